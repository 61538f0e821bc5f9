/* Full/empty words. The length of the longest common subsequence of two texts, a thread for each
 * row of the table: a cell is empty until it is computed, and the thread below waits for it, so
 * that the rows run in a wave. Any word of the program's can be full or empty. */
#include <stdint.h>
#include <stdio.h>

#include <weft/weft.h>

#include "must.h"

static const char across[] = "the warp is held under tension", down[] = "the weft is drawn through";
enum { columns = sizeof across, rows = sizeof down }; /* a row and a column of zeros come first */

static uint64_t table[rows][columns];

static uint64_t wait_for(uint64_t *cell) {
  uint64_t value = 0;
  must(weft_feb_read_ff(cell, &value)); /* full-full: waits until it is full, and leaves it so */
  return value;
}

static void compute_row(void *argument) {
  const size_t row = *(const size_t *)argument;
  uint64_t left = 0;
  for (size_t column = 1; column < columns; ++column) {
    const uint64_t above = wait_for(&table[row - 1][column]);
    uint64_t longest = above > left ? above : left;
    if (down[row - 1] == across[column - 1]) longest = wait_for(&table[row - 1][column - 1]) + 1;
    must(weft_feb_write_ef(&table[row][column], longest)); /* empty-full: fills it, and wakes the thread below */
    left = longest;
  }
}

int main(void) {
  must(weft_init(NULL));
  for (size_t row = 1; row < rows; ++row) {
    for (size_t column = 1; column < columns; ++column) must(weft_feb_empty(&table[row][column]));
  }
  size_t numbers[rows];
  weft_thread *threads[rows];
  for (size_t row = rows - 1; row > 0; --row) { /* the last row first: each has to wait */
    numbers[row] = row;
    must(weft_thread_create(compute_row, &numbers[row], NULL, &threads[row]));
  }
  printf("%llu characters in common\n", (unsigned long long)wait_for(&table[rows - 1][columns - 1]));
  must(weft_thread_join_many(threads + 1, rows - 1));
  must(weft_finalize());
  return 0;
}
