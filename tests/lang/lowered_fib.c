/* worker long fib(long n) {
 *   if (n <= 2) return 1;
 *   long a, b;
 *   do_two a = fib(n - 1);
 *          share (in n; out b) b = fib(n - 2);
 *   return a + b;
 * } */
#include "lowered.h"

/* What operations read: n is captured by value, because nothing assigns it. */
struct fib_two {
  weft_tascell_choice choice;
  long n;
};

static weft_tascell_task *fib_two_divide(weft_tascell_record *record, weft_tascell_worker *worker) {
  struct fib_two *two = (struct fib_two *)record;
  if (two->choice.given != NULL) return NULL;
  fib_task *task = (fib_task *)weft_tascell_task_make(worker, &fib_kind);
  if (task == NULL) return NULL;
  task->n = two->n - 2;
  return &task->header;
}

static const weft_tascell_operations fib_two_operations = {
    WEFT_TASCELL_CHOICE, {"fib.tc", "fib", 4}, NULL, NULL, fib_two_divide, NULL, NULL, NULL, NULL};

long fib(weft_tascell_worker *worker, weft_tascell_record *up, long n) {
  if (n <= 2) return 1;
  long a, b;
  struct fib_two two;
  weft_tascell_choice_begin(&two.choice, up, &fib_two_operations);
  two.n = n;
  weft_tascell_poll(worker, &two.choice.record);
  a = fib(worker, &two.choice.record, n - 1);
  if (two.choice.given == NULL) {
    b = fib(worker, up, n - 2);
  } else {
    fib_task *task = (fib_task *)weft_tascell_join(worker, &two.choice);
    b = task->result;
    weft_tascell_task_free(&task->header);
  }
  return a + b;
}

static void fib_run(weft_tascell_task *task, weft_tascell_worker *worker, weft_tascell_record *up) {
  fib_task *self = (fib_task *)task;
  self->result = fib(worker, up, self->n);
}

static bool fib_pack_in(const weft_tascell_task *task, weft_tascell_bytes *bytes) {
  return weft_tascell_write(bytes, &((const fib_task *)task)->n, sizeof(long));
}
static bool fib_unpack_in(weft_tascell_task *task, weft_tascell_bytes *bytes) {
  return weft_tascell_read(bytes, &((fib_task *)task)->n, sizeof(long));
}
static bool fib_pack_out(const weft_tascell_task *task, weft_tascell_bytes *bytes) {
  return weft_tascell_write(bytes, &((const fib_task *)task)->result, sizeof(long));
}
static bool fib_unpack_out(weft_tascell_task *task, weft_tascell_bytes *bytes) {
  return weft_tascell_read(bytes, &((fib_task *)task)->result, sizeof(long));
}

const weft_tascell_kind fib_kind = {"fib",
                                    sizeof(fib_task),
                                    _Alignof(fib_task),
                                    {"fib.tc", "fib", 4},
                                    fib_run,
                                    fib_pack_in,
                                    fib_unpack_in,
                                    fib_pack_out,
                                    fib_unpack_out,
                                    NULL,
                                    0};
