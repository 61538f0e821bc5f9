/* worker long queens(board *b) {              // b: the workspace, which each task copies
 *   if (b->row == b->n) return 1;
 *   long sum = 0;
 *   do_many (long i : b->row, b->n) share (copy *b; reduce(+: sum)) {
 *     if (is free(b, i))
 *       wind { place(b, i); } { sum += queens(b); } { displace(b, i); }
 *   }
 *   return sum;
 * } */
#include <string.h>

#include "lowered.h"

static bool is_free(const queens_board *board, long i) {
  int row = board->row, column = board->column_of[i];
  return !board->rising[row + column] && !board->falling[row - column + board->n];
}

static void swap_columns(queens_board *board, long i) {
  int column = board->column_of[i];
  board->column_of[i] = board->column_of[board->row];
  board->column_of[board->row] = column;
}

static inline void place(queens_board *board, long i) {
  int column = board->column_of[i];
  swap_columns(board, i);
  board->rising[board->row + column] = 1;
  board->falling[board->row - column + board->n] = 1;
  board->row++;
}

static inline void displace(queens_board *board, long i) {
  board->row--;
  int column = board->column_of[board->row];
  board->rising[board->row + column] = 0;
  board->falling[board->row - column + board->n] = 0;
  swap_columns(board, i);
}

struct queens_many {
  weft_tascell_choice choice;
  long i, end;
  queens_board *board;
};

static weft_tascell_task *queens_many_divide(weft_tascell_record *record, weft_tascell_worker *worker) {
  struct queens_many *many = (struct queens_many *)record;
  long from = weft_tascell_middle(many->i, many->end);
  if (from >= many->end) return NULL;
  queens_task *task = (queens_task *)weft_tascell_task_make(worker, &queens_kind);
  if (task == NULL) return NULL;
  task->board = *many->board;
  task->from = from;
  task->to = many->end;
  many->end = from;
  return &task->header;
}

static const weft_tascell_operations queens_many_operations = {
    WEFT_TASCELL_CHOICE, {"queens.tc", "queens", 4}, NULL, NULL, queens_many_divide, NULL, NULL, NULL, NULL};

struct queens_wind {
  weft_tascell_wind wind;
  long i;
  queens_board *board;
};

static void queens_wind_undo(weft_tascell_record *record, weft_tascell_worker *worker) {
  struct queens_wind *wind = (struct queens_wind *)record;
  (void)worker;
  displace(wind->board, wind->i);
}
static void queens_wind_redo(weft_tascell_record *record, weft_tascell_worker *worker) {
  struct queens_wind *wind = (struct queens_wind *)record;
  (void)worker;
  place(wind->board, wind->i);
}

static const weft_tascell_operations queens_wind_operations = {
    WEFT_TASCELL_WIND, {"queens.tc", "queens", 6}, queens_wind_undo, queens_wind_redo, NULL, NULL, NULL, NULL, NULL};

static long queens(weft_tascell_worker *worker, weft_tascell_record *up, queens_board *board, long from, long to) {
  if (board->row == board->n) return 1;
  long sum = 0;
  struct queens_many many;
  weft_tascell_choice_begin(&many.choice, up, &queens_many_operations);
  many.i = from;
  many.end = to;
  many.board = board;
  weft_tascell_poll(worker, &many.choice.record);
  for (long i = from; i < many.end; i++) {
    many.i = i;
    if (!is_free(board, i)) continue;
    struct queens_wind wind;
    place(board, i);
    weft_tascell_wind_begin(&wind.wind, &many.choice.record, &queens_wind_operations);
    wind.i = i;
    wind.board = board;
    sum += queens(worker, &wind.wind.record, board, board->row, board->n);
    displace(board, i);
  }
  while (many.choice.given != NULL) {
    queens_task *task = (queens_task *)weft_tascell_join(worker, &many.choice);
    sum += task->result;
    weft_tascell_task_free(&task->header);
  }
  return sum;
}

static void queens_run(weft_tascell_task *task, weft_tascell_worker *worker, weft_tascell_record *up) {
  queens_task *self = (queens_task *)task;
  self->result = queens(worker, up, &self->board, self->from, self->to);
}

static bool queens_pack_in(const weft_tascell_task *task, weft_tascell_bytes *bytes) {
  const queens_task *self = (const queens_task *)task;
  return weft_tascell_write(bytes, &self->board, sizeof self->board) && weft_tascell_write(bytes, &self->from, sizeof(long)) &&
         weft_tascell_write(bytes, &self->to, sizeof(long));
}
static bool queens_unpack_in(weft_tascell_task *task, weft_tascell_bytes *bytes) {
  queens_task *self = (queens_task *)task;
  return weft_tascell_read(bytes, &self->board, sizeof self->board) && weft_tascell_read(bytes, &self->from, sizeof(long)) &&
         weft_tascell_read(bytes, &self->to, sizeof(long));
}
static bool queens_pack_out(const weft_tascell_task *task, weft_tascell_bytes *bytes) {
  return weft_tascell_write(bytes, &((const queens_task *)task)->result, sizeof(long));
}
static bool queens_unpack_out(weft_tascell_task *task, weft_tascell_bytes *bytes) {
  return weft_tascell_read(bytes, &((queens_task *)task)->result, sizeof(long));
}

const weft_tascell_kind queens_kind = {"queens",
                                       sizeof(queens_task),
                                       _Alignof(queens_task),
                                       {"queens.tc", "queens", 4},
                                       queens_run,
                                       queens_pack_in,
                                       queens_unpack_in,
                                       queens_pack_out,
                                       queens_unpack_out,
                                       NULL,
                                       0};

void queens_start(queens_task *task, int n) {
  memset(&task->board, 0, sizeof task->board);
  task->board.n = n;
  for (int i = 0; i < n; i++) task->board.column_of[i] = i;
  task->from = 0;
  task->to = n;
}
