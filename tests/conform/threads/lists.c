/* Lists of tasks, of both kinds. */
#include "check.h"

static bool is_anonymous;

static threads_list new_list(void) {
  const threads_list named = THREADS_LIST_INIT;
  const threads_list anonymous = THREADS_LIST_ANONYMOUS_INIT;
  return is_anonymous ? anonymous : named;
}

struct number {
  long value;
  long unused; /* a stride that is not the value's size */
};

static void negate(void *number) { ((struct number *)number)->value *= -1; }

static void run_numbers(threads_list *list, size_t count) {
  struct number *const numbers = calloc(count, sizeof *numbers);
  CHECK(numbers != NULL);
  for (size_t i = 0; i < count; ++i) numbers[i].value = (long)i;
  OK(threads_list_add_many(list, negate, numbers, sizeof *numbers, count / 2));
  for (size_t i = count / 2; i < count; ++i) OK(threads_list_add(list, negate, &numbers[i]));
  OK(threads_list_wait(list));
  for (size_t i = 0; i < count; ++i) CHECK(numbers[i].value == -(long)i);
  free(numbers);
}

static void every_task_runs_once_and_a_list_is_used_again(void) {
  static const size_t counts[] = {0, 1, 2, THREADS_TASKS_INSIDE, THREADS_TASKS_INSIDE + 1, 100, 3};
  threads_list list = new_list();
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) run_numbers(&list, counts[i]);
  OK(threads_list_destroy(&list));
  run_numbers(&list, 2);
}

static void fibonacci(void *given) {
  long *const number = given;
  if (*number < 2) return;
  long parts[2] = {*number - 1, *number - 2};
  threads_list children;
  memset(&children, 0xaa, sizeof children);
  threads_list_init(&children, is_anonymous);
  OK(threads_list_add_many(&children, fibonacci, parts, sizeof *parts, 2));
  OK(threads_list_wait(&children));
  *number = parts[0] + parts[1];
}

static void tasks_have_children(void) {
  long number = 8;
  fibonacci(&number);
  CHECK(number == 21);
}

static threads_sync ball[2];

static void play(void *given) {
  const size_t side = *(const size_t *)given;
  for (uint64_t i = 0; i < 20; ++i) {
    uint64_t got = 0;
    OK(threads_sync_read_fe(&ball[side], &got));
    CHECK(got == 2 * i + side);
    OK(threads_sync_write_ef(&ball[1 - side], got + 1));
  }
}

static void siblings_wait_for_each_other(void) {
  size_t sides[2] = {0, 1};
  threads_list players = new_list();
  OK(threads_sync_write_xf(&ball[0], 0));
  OK(threads_list_add_many(&players, play, sides, sizeof *sides, 2));
  OK(threads_list_wait(&players));
  uint64_t last = 0;
  OK(threads_sync_read_fe(&ball[0], &last));
  CHECK(last == 40);
}

static void answer(void *given) {
  threads_sync *const dialogue = given;
  uint64_t asked = 0;
  OK(threads_sync_read_fe(&dialogue[0], &asked));
  OK(threads_sync_write_ef(&dialogue[1], asked + 1));
}

/* Before it waits for the list. */
static void a_parent_talks_to_its_tasks(void) {
  threads_sync dialogue[2] = {THREADS_SYNC_INIT, THREADS_SYNC_INIT};
  uint64_t answered = 0;
  threads_list list = new_list();
  OK(threads_list_add(&list, answer, dialogue));
  OK(threads_list_start(&list));
  OK(threads_sync_write_ef(&dialogue[0], 41));
  OK(threads_sync_read_fe(&dialogue[1], &answered));
  CHECK(answered == 42);
  OK(threads_list_wait(&list));
}

static void ignore(void *unused) { (void)unused; }

static void calls_out_of_place(void) {
  threads_list list = new_list();
  IS(THREADS_INVALID, threads_list_add(NULL, ignore, NULL));
  IS(THREADS_INVALID, threads_list_add(&list, NULL, NULL));
  IS(THREADS_INVALID, threads_list_add_many(&list, NULL, NULL, 0, 3));
  IS(THREADS_NOMEM, threads_list_add_many(&list, ignore, NULL, 0, SIZE_MAX / 8));
  IS(THREADS_INVALID, threads_list_start(NULL));
  IS(THREADS_INVALID, threads_list_wait(NULL));
  IS(THREADS_INVALID, threads_list_destroy(NULL));
  OK(threads_list_wait(&list));
  OK(threads_list_add(&list, ignore, NULL));
  OK(threads_list_start(&list));
  IS(THREADS_BUSY, threads_list_start(&list));
  IS(THREADS_BUSY, threads_list_add(&list, ignore, NULL));
  IS(THREADS_BUSY, threads_list_destroy(&list));
  OK(threads_list_wait(&list));
}

static void note_id(void *id) { *(uint64_t *)id = threads_self_id(); }

static void named_tasks_have_ids(void) {
  uint64_t ids[2] = {0, 0};
  threads_list list = THREADS_LIST_INIT;
  OK(threads_list_add_many(&list, note_id, ids, sizeof *ids, 2));
  OK(threads_list_wait(&list));
  CHECK(ids[0] != 0 && ids[1] != 0 && ids[0] != threads_self_id() && ids[1] != threads_self_id());
}

void check_lists(void) {
  for (int anonymous = 0; anonymous < 2; ++anonymous) {
    is_anonymous = anonymous != 0;
    RUN(every_task_runs_once_and_a_list_is_used_again);
    RUN(tasks_have_children);
    RUN(siblings_wait_for_each_other);
    RUN(a_parent_talks_to_its_tasks);
    RUN(calls_out_of_place);
  }
  RUN(named_tasks_have_ids);
}
