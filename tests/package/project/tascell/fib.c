#include <stdio.h>

#include <weft/tascell.h>

struct fib_task {
  weft_tascell_task header;
  long n, result;
};
static long fib(weft_tascell_worker *worker, weft_tascell_record *up, long n);

static void fib_run(weft_tascell_task *task, weft_tascell_worker *worker, weft_tascell_record *up) {
  struct fib_task *self = (struct fib_task *)task;
  self->result = fib(worker, up, self->n);
}
static const weft_tascell_kind fib_kind = {
    "fib", sizeof(struct fib_task), _Alignof(struct fib_task), {__FILE__, "fib", __LINE__}, fib_run, NULL, NULL, NULL, NULL, NULL,
    0};

struct fib_two {
  weft_tascell_choice choice;
  long n;
};
static weft_tascell_task *fib_divide(weft_tascell_record *record, weft_tascell_worker *worker) {
  struct fib_two *two = (struct fib_two *)record;
  if (two->choice.given != NULL) return NULL;
  struct fib_task *task = (struct fib_task *)weft_tascell_task_make(worker, &fib_kind);
  if (task == NULL) return NULL;
  task->n = two->n - 2;
  return &task->header;
}
static const weft_tascell_operations fib_operations = {
    WEFT_TASCELL_CHOICE, {__FILE__, "fib", __LINE__}, NULL, NULL, fib_divide, NULL, NULL};

static long fib(weft_tascell_worker *worker, weft_tascell_record *up, long n) {
  if (n < 2) return n;
  struct fib_two two;
  weft_tascell_choice_begin(&two.choice, up, &fib_operations);
  two.n = n;
  weft_tascell_poll(worker, &two.choice.record);
  const long a = fib(worker, &two.choice.record, n - 1);
  if (two.choice.given == NULL) return a + fib(worker, up, n - 2);
  struct fib_task *task = (struct fib_task *)weft_tascell_join(worker, &two.choice);
  const long b = task->result;
  weft_tascell_task_free(&task->header);
  return a + b;
}

static int tascell_main(weft_tascell_worker *worker, weft_tascell_record *up, int argc, char **argv) {
  (void)argc, (void)argv;
  printf("%ld\n", fib(worker, up, 25));
  return 0;
}

int main(int argc, char **argv) { return weft_tascell_main(tascell_main, argc, argv, NULL); }
