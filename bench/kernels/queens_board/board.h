/* The board of queens-board, for C, Tascell and C++. */
#ifndef WEFT_BENCH_QUEENS_BOARD_H
#define WEFT_BENCH_QUEENS_BOARD_H

#define QUEENS_BOARD_MOST 18

typedef struct queens_board {
  int size, row;
  int column_of[QUEENS_BOARD_MOST]; /* of the queens in the rows above row; behind them, the free columns */
  char rising[2 * QUEENS_BOARD_MOST], falling[2 * QUEENS_BOARD_MOST]; /* diagonals with a queen */
} queens_board;

typedef struct queens_count {
  long solutions, placements;
} queens_count;

static inline queens_board queens_board_empty(int size) {
  queens_board made = {size, 0, {0}, {0}, {0}};
  for (int column = 0; column < size; ++column) made.column_of[column] = column;
  return made;
}

/* Whether the i-th column can have a queen in the next row. */
static inline int queens_board_is_free(const queens_board *board, int i) {
  const int column = board->column_of[i];
  return !board->rising[board->row + column] && !board->falling[board->row - column + board->size];
}

static inline void queens_board_place(queens_board *board, int i) {
  const int column = board->column_of[i];
  board->column_of[i] = board->column_of[board->row];
  board->column_of[board->row] = column;
  board->rising[board->row + column] = 1;
  board->falling[board->row - column + board->size] = 1;
  board->row++;
}

static inline void queens_board_displace(queens_board *board, int i) {
  board->row--;
  const int column = board->column_of[board->row];
  board->rising[board->row + column] = 0;
  board->falling[board->row - column + board->size] = 0;
  board->column_of[board->row] = board->column_of[i];
  board->column_of[i] = column;
}

#endif
