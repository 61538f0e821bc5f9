/* What is printed for people: that it is there, names its object, and prints nothing that is not
 * asked for. */
#include "check.h"

#include <sys/uio.h>
#include <unistd.h>

static char *printed;
static size_t length;

static FILE *open_printed(void) {
  FILE *file = open_memstream(&printed, &length);
  CHECK(file != NULL);
  return file;
}

/* How often what was printed so far names it. */
static int mentions(FILE *file, const void *object) {
  char name[32];
  int count = 0;
  fflush(file);
  snprintf(name, sizeof name, "%p", object);
  for (const char *at = printed; (at = strstr(at, name)) != NULL; at += strlen(name)) ++count;
  return count;
}

static bool says(const char *words) { return strstr(printed, words) != NULL; }

static void close_printed(FILE *file, bool is_empty) {
  fclose(file);
  CHECK((length == 0) == is_empty);
  free(printed);
}

static void attributes(void) {
  static char stack[65536] __attribute__((aligned(64)));
  ABT_thread_attr attr;
  OK(ABT_thread_attr_create(&attr));
  for (int has_stack = 0; has_stack < 2; ++has_stack) {
    if (has_stack) OK(ABT_thread_attr_set_stack(attr, stack, sizeof stack));
    FILE *file = open_printed();
    OK(ABT_info_print_thread_attr(file, attr));
    fflush(file);
    if (has_stack) CHECK(strstr(printed, "65536") != NULL);
    close_printed(file, false);
  }
  OK(ABT_thread_attr_free(&attr));
  FILE *file = open_printed();
  IS(ABT_ERR_INV_THREAD_ATTR, ABT_info_print_thread_attr(file, ABT_THREAD_ATTR_NULL));
  close_printed(file, true);
}

/* ABT_PRINT_RAW_STACK shows what lies in stacks, such as this. */
#define WORD_IN_STACK 0x5eed5eed12345678u
static bool shows_memory(void) {
  const char *const wish = getenv("ABT_PRINT_RAW_STACK");
  return wish != NULL && strcmp(wish, "yes") == 0;
}

static void await_turn(void *argument) {
  atomic_int *turn = argument;
  volatile uint64_t word = WORD_IN_STACK;
  CHECK(word == WORD_IN_STACK);
  add_one(turn);
  while (atomic_load(turn) < 100) OK(ABT_self_yield());
}

static void stacks_in_a_pool(void) {
  atomic_int turn = 0;
  ABT_pool pool = new_pool(ABT_POOL_FIFO);
  ABT_thread threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(pool, await_turn, &turn);
  for (int i = 0; i < 2; ++i) CHECK(run_next(pool)); /* two have a stack, the third has not started */
  CHECK(atomic_load(&turn) == 2);
  FILE *file = open_printed();
  OK(ABT_info_print_thread_stacks_in_pool(file, pool));
  fflush(file);
  CHECK(atomic_load(&turn) == 2); /* no unit ran */
  CHECK(mentions(file, pool) >= 1);
  for (int i = 0; i < 3; ++i) CHECK(mentions(file, threads[i]) >= 1);
  if (IS_WEFT) CHECK((strstr(printed, "5eed5eed12345678") != NULL) == shows_memory());
  close_printed(file, false);
  file = open_printed();
  IS(ABT_ERR_INV_POOL, ABT_info_print_thread_stacks_in_pool(file, ABT_POOL_NULL));
  close_printed(file, true);
  atomic_store(&turn, 100);
  run_what_is_there(pool);
  for (int i = 0; i < 3; ++i) end(threads[i]);
  OK(ABT_pool_free(&pool));
}

/* ---- where ULTs stand ---- */

static bool reads_frames(void) { /* emulators do not let a process read itself so */
  int from = 1, to = 0;
  const struct iovec here = {&to, sizeof to}, there = {&from, sizeof from};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)sizeof to;
}

static void print_own_stack(void *file) {
  ABT_thread self;
  OK(ABT_self_get_thread(&self));
  OK(ABT_info_print_thread_stack(file, self));
}

static void frames(void) {
  atomic_int turn = 0, suspended = 0;
  ABT_pool pool = new_pool(ABT_POOL_FIFO);
  const ABT_thread in_pool = start(pool, await_turn, &turn), away = start(pool, suspend_for_ever, &suspended);
  for (int i = 0; i < 2; ++i) CHECK(run_next(pool));
  await_blocked(away);
  FILE *const file = open_printed();
  OK(ABT_info_print_thread_stacks_in_pool(file, pool));
  fflush(file);
  CHECK(says("await_turn+") == reads_frames() && !says("suspend_for_ever"));
  OK(ABT_info_print_thread_stack(file, away));
  fflush(file);
  CHECK(says("suspend_for_ever+") == reads_frames());
  CHECK(!says("no frames: it runs"));
  end(start(my_pool(), print_own_stack, file));
  fflush(file);
  CHECK(says("no frames: it runs") == reads_frames());
  close_printed(file, false);
  atomic_store(&turn, 100);
  OK(ABT_thread_cancel(away));
  OK(ABT_thread_resume(away));
  run_what_is_there(pool);
  end(in_pool);
  end(away);
  OK(ABT_pool_free(&pool));
}

struct primary_print {
  FILE *file;
  ABT_thread primary;
  bool is_done;
};

static void print_primary(void *argument) {
  struct primary_print *const mine = argument;
  OK(ABT_info_print_thread_stack(mine->file, mine->primary));
  mine->is_done = true;
}

__attribute__((noinline)) static void give_way_until(const bool *is_done) {
  while (!*is_done) OK(ABT_self_yield());
}

static void frames_of_primary(void) {
  struct primary_print mine = {.file = open_printed()};
  OK(ABT_self_get_thread(&mine.primary));
  const ABT_thread printing = start(my_pool(), print_primary, &mine);
  give_way_until(&mine.is_done);
  fflush(mine.file);
  CHECK(says("give_way_until+") == reads_frames());
  CHECK(!says("no stack now") && !says("no frames: it runs"));
  OK(ABT_info_print_thread_stack(mine.file, mine.primary));
  fflush(mine.file);
  CHECK(says("no frames: it runs") == reads_frames());
  close_printed(mine.file, false);
  end(printing);
}

/* ---- each object, with those that belong to it ---- */

static void streams_and_their_pools(void) {
  ABT_xstream streams[2] = {ABT_XSTREAM_NULL, start_stream()};
  ABT_sched sched;
  OK(ABT_xstream_self(&streams[0]));
  FILE *file = open_printed();
  OK(ABT_info_print_all_xstreams(file));
  for (int i = 0; i < 2; ++i) CHECK(mentions(file, streams[i]) >= 1);
  close_printed(file, false);
  file = open_printed();
  OK(ABT_info_print_xstream(file, streams[1]));
  OK(ABT_xstream_get_main_sched(streams[1], &sched));
  CHECK(mentions(file, streams[1]) >= 1 && mentions(file, sched) >= 1 && mentions(file, streams[0]) == 0);
  close_printed(file, false);
  file = open_printed();
  OK(ABT_info_print_sched(file, sched));
  CHECK(mentions(file, sched) >= 1 && mentions(file, pool_of(streams[1])) >= 1);
  close_printed(file, false);
  file = open_printed();
  OK(ABT_info_print_pool(file, my_pool()));
  CHECK(mentions(file, my_pool()) == 1 && mentions(file, sched) == 0);
  close_printed(file, false);
  end_stream(streams[1]);
}

static int data_of_pool;
static void data_and_arguments(void) {
  static char argument;
  ABT_pool pool = new_pool(ABT_POOL_RANDWS);
  OK(ABT_pool_set_data(pool, &data_of_pool));
  const ABT_thread thread = start(pool, nothing, &argument);
  ABT_task task;
  OK(ABT_task_create(pool, nothing, &argument, &task));
  FILE *const file = open_printed();
  OK(ABT_info_print_pool(file, pool));
  CHECK(mentions(file, &data_of_pool) == 1);
  OK(ABT_info_print_thread(file, thread));
  CHECK(mentions(file, thread) >= 1 && mentions(file, &argument) == 1);
  OK(ABT_info_print_task(file, task));
  CHECK(mentions(file, task) >= 1 && mentions(file, &argument) == 2);
  OK(ABT_info_print_thread_stack(file, thread)); /* it has none yet */
  close_printed(file, false);
  run_what_is_there(pool);
  end(thread);
  OK(ABT_task_free(&task));
  OK(ABT_pool_free(&pool));
}

static void null_handles(void) {
  FILE *const file = open_printed();
  IS(ABT_ERR_INV_XSTREAM, ABT_info_print_xstream(file, ABT_XSTREAM_NULL));
  IS(ABT_ERR_INV_SCHED, ABT_info_print_sched(file, ABT_SCHED_NULL));
  IS(ABT_ERR_INV_POOL, ABT_info_print_pool(file, ABT_POOL_NULL));
  IS(ABT_ERR_INV_THREAD, ABT_info_print_thread(file, ABT_THREAD_NULL));
  IS(ABT_ERR_INV_TASK, ABT_info_print_task(file, ABT_TASK_NULL));
  IS(ABT_ERR_INV_THREAD, ABT_info_print_thread_stack(file, ABT_THREAD_NULL));
  close_printed(file, true);
}

void check_printing(void) {
  RUN(attributes);
  RUN(stacks_in_a_pool);
  if (IS_WEFT) RUN(frames);
  if (IS_WEFT) RUN(frames_of_primary);
  RUN(streams_and_their_pools);
  if (IS_WEFT) RUN(data_and_arguments); /* Argobots' own pools keep something of theirs there */
  RUN(null_handles);
}
