/* Programs as the compiler makes them, written by hand: what the tests run. */
#ifndef WEFT_TESTS_LANG_LOWERED_H
#define WEFT_TESTS_LANG_LOWERED_H

#include <weft/tascell.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fib_task {
  weft_tascell_task header;
  long n;      /* in */
  long result; /* out */
} fib_task;
extern const weft_tascell_kind fib_kind;
long fib(weft_tascell_worker *worker, weft_tascell_record *up, long n);

enum { queens_max = 20 };
/* The workspace: the columns that are free, and the diagonals that are taken. */
typedef struct queens_board {
  int n;
  int row;                   /* rows that are filled */
  int column_of[queens_max]; /* a permutation; the first row entries are placed */
  char rising[2 * queens_max], falling[2 * queens_max];
} queens_board;
typedef struct queens_task {
  weft_tascell_task header;
  queens_board board; /* in */
  long from, to;      /* in: the candidates for the next row */
  long result;        /* out */
} queens_task;
extern const weft_tascell_kind queens_kind;
/* Readies a root task for n queens. */
void queens_start(queens_task *task, int n);

typedef bool (*dig_condition)(void *argument);
/* Goes down `bottom` winds and choice points, whose tasks never end, waits for the condition and
 * throws 5. Returns 1 if its catch, of tag, ended the throw. *open is 0 after each such end. */
int try_to_dig(weft_tascell_worker *worker, weft_tascell_record *up, int bottom, int64_t tag, int *open, dig_condition condition,
               void *argument);

#ifdef __cplusplus
}
#endif
#endif
