/* The board of queens-board, for C, Tascell and C++. The number of rows and the row to fill are
 * not part of it: a search that has them in variables of its own need not load them anew after
 * each call. */
#ifndef WEFT_BENCH_QUEENS_BOARD_H
#define WEFT_BENCH_QUEENS_BOARD_H

#define QUEENS_BOARD_MOST 18

typedef struct queens_board {
  int column_of[QUEENS_BOARD_MOST]; /* of the queens in the rows above; behind them, the free columns */
  char rising[2 * QUEENS_BOARD_MOST], falling[2 * QUEENS_BOARD_MOST]; /* diagonals with a queen */
} queens_board;

typedef struct queens_count {
  long solutions, placements;
} queens_count;

static inline queens_board queens_board_empty(int size) {
  queens_board made = {{0}, {0}, {0}};
  for (int column = 0; column < size; ++column) made.column_of[column] = column;
  return made;
}

/* Whether the i-th column can have a queen in the row. */
static inline int queens_board_is_free(const queens_board *board, int size, int row, int i) {
  const int column = board->column_of[i];
  return !board->rising[row + column] && !board->falling[row - column + size];
}

static inline void queens_board_place(queens_board *board, int size, int row, int i) {
  const int column = board->column_of[i];
  board->column_of[i] = board->column_of[row];
  board->column_of[row] = column;
  board->rising[row + column] = 1;
  board->falling[row - column + size] = 1;
}

static inline void queens_board_displace(queens_board *board, int size, int row, int i) {
  const int column = board->column_of[row];
  board->rising[row + column] = 0;
  board->falling[row - column + size] = 0;
  board->column_of[row] = board->column_of[i];
  board->column_of[i] = column;
}

#endif
