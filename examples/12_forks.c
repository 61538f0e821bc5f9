/* Forks: children at the price of a call. Another worker takes one only when it has nothing to
 * do; else the join runs it here. */
#include <stdio.h>

#include <weft/hot.h>

#include "must.h"

enum { size = 12 };

/* The ways to place queens in the rows from `row` on, `columns` and the diagonals being
 * attacked. */
struct board {
  unsigned row, columns, left, right;
};
union work {
  struct board board;
  long solutions; /* what comes back */
};

static long count(struct board board);
static void count_run(void *given) {
  union work *work = given;
  work->solutions = count(work->board);
}

static long count(struct board board) {
  const unsigned all = (1u << size) - 1;
  if (board.row == size) return 1;
  union work works[size];
  weft_forked *forks[size];
  int forked = 0;
  for (unsigned free = all & ~(board.columns | board.left | board.right); free != 0; free &= free - 1) {
    const unsigned queen = free & -free;
    works[forked].board =
        (struct board){board.row + 1, board.columns | queen, (board.left | queen) << 1, (board.right | queen) >> 1};
    forks[forked] = weft_fork(count_run, &works[forked], sizeof works[forked]);
    ++forked;
  }
  long solutions = 0;
  while (forked-- != 0) { /* the last one first is the cheapest */
    weft_fork_join(forks[forked], count_run, &works[forked], sizeof works[forked]);
    solutions += works[forked].solutions;
  }
  return solutions;
}

int main(void) {
  must(weft_init(NULL));
  printf("%d queens: %ld solutions\n", size, count((struct board){0, 0, 0, 0}));
  must(weft_finalize());
  return 0;
}
