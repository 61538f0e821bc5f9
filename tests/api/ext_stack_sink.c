/* What a builder is told of stacks whose threads have ended (weft_ext_set_stack_sink): full/empty
 * words that they leave empty there are full again for the next ones. */
#include <stdlib.h>
#include <weft/ext.h>
#include <weft/hot.h>

#include "check.h"

enum { WORKERS = 4, EACH = IS_SLOW ? 5 : 40 };

/* ---- the sink ---- */

static atomic_int told;
static int state_of_sink;

static void forget(void *state, void *base, size_t bytes) {
  CHECK(state == &state_of_sink && base != NULL && bytes >= WEFT_STACK_MIN / 2);
  CHECK(weft_self() == NULL);
  if (weft_worker_self() >= 0) IS(WEFT_CANNOT_BLOCK, weft_sleep_ns(1));
  atomic_fetch_add(&told, 1);
  OK(weft_feb_forget(base, bytes));
}

/* ---- threads that leave words empty ---- */

enum { PLACES = 1024 };
static _Atomic(uint64_t *) emptied[PLACES];
static atomic_int reused; /* a word at an address that was emptied before */

static unsigned place_of(const uint64_t *word) { return (unsigned)((uintptr_t)word * UINT64_C(0x9e3779b97f4a7c15) >> 54); }

static __attribute__((noinline)) uint64_t *leave_empty(void) {
  uint64_t words[4] = {1, 2, 3, 4};
  uint64_t *volatile word; /* the compiler knows nothing of it */
  word = &words[2];
  for (int i = 0; i < 4; ++i) CHECK(weft_feb_is_full(&words[i]));
  if (atomic_exchange(&emptied[place_of(word)], word) == word) atomic_fetch_add(&reused, 1);
  uint64_t value = 0;
  OK(weft_feb_read_fe(word, &value));
  CHECK(value == 3);
  OK(weft_feb_empty(&words[0]));
  return word;
}

struct visit {
  uint64_t *word;
  void *base;
  size_t bytes;
};

static void note_in(struct visit *visit) {
  visit->word = leave_empty();
  weft_ext_thread_stack(weft_self(), &visit->base, &visit->bytes);
}

static void visit_once(void *visit) { note_in(visit); }
static void visit_and_yield(void *visit) {
  weft_yield();
  note_in(visit);
  weft_yield();
}
static void visit_and_park(void *visit) {
  note_in(visit);
  OK(weft_sleep_ns(10 * MICROSECOND));
}

static bool is_alone = true; /* no other visitor may have emptied the word since */

static void join_visitor(weft_thread *visitor, const struct visit *visit) {
  OK(weft_thread_join(visitor));
  CHECK(visit->word != NULL && (!is_alone || weft_feb_is_full(visit->word)));
}

static void visit_with(const weft_thread_attr *attr, weft_function function) {
  for (int i = 0; i < EACH; ++i) {
    struct visit visit = {NULL, NULL, 0};
    join_visitor(start_with(attr, function, &visit), &visit);
  }
}

static void visit_in_batches(const weft_thread_attr *attr, weft_function function) {
  weft_thread *visitors[EACH];
  struct visit visits[EACH];
  for (int i = 0; i < EACH; ++i) visitors[i] = start_with(attr, function, &visits[i]);
  OK(weft_thread_join_many(visitors, EACH));
}

/* ---- each way to get a stack ---- */

static void visit_all_ways(void) {
  const weft_function functions[] = {visit_once, visit_and_yield, visit_and_park};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    visit_with(NULL, functions[i]);
    visit_in_batches(NULL, functions[i]);
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.keep_fp = true;
    visit_in_batches(&attr, functions[i]);
    attr = (weft_thread_attr)WEFT_THREAD_ATTR_INIT;
    attr.stack_bytes = (size_t)1 << 18; /* a class of its own */
    visit_in_batches(&attr, functions[i]);
    attr.worker = WEFT_STARTING_WORKER;
    visit_in_batches(&attr, functions[i]);
    attr = (weft_thread_attr)WEFT_THREAD_ATTR_INIT;
    attr.stack_bytes = (size_t)1 << 17;
    attr.stack = malloc(attr.stack_bytes);
    CHECK(attr.stack != NULL);
    visit_with(&attr, functions[i]);
    free(attr.stack);
  }
}

static void visit_from_thread(void *unused) {
  (void)unused;
  visit_all_ways();
}

/* Main's stack is an OS thread's; a thread could lend its own to what it joins. */
static void from_main_and_from_a_thread(void) {
  atomic_store(&reused, 0);
  visit_all_ways();
  CHECK(atomic_load(&reused) > 0);
  atomic_store(&reused, 0);
  OK(weft_thread_join(start(visit_from_thread, NULL)));
  CHECK(atomic_load(&reused) > 0);
}

static void from_many_threads(void) {
  weft_thread *many[WORKERS * 2];
  is_alone = false;
  for (int i = 0; i < WORKERS * 2; ++i) many[i] = start(visit_from_thread, NULL);
  OK(weft_thread_join_many(many, WORKERS * 2));
  is_alone = true;
}

/* ---- units of a builder ---- */

static void dispatched_ones(void) {
  const weft_function functions[] = {visit_once, visit_and_yield, visit_and_park};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    for (int round = 0; round < EACH; ++round) {
      struct visit visit = {NULL, NULL, 0};
      weft_thread *unit = NULL;
      OK(weft_ext_thread_make(functions[i], &visit, NULL, false, &unit));
      OK(weft_ext_dispatch(unit));
      OK(weft_ext_thread_wait(unit));
      CHECK(weft_feb_is_full(visit.word));
      OK(weft_ext_thread_revive(unit, functions[i], &visit));
      OK(weft_ext_dispatch(unit));
      join_visitor(unit, &visit);
    }
  }
}

/* ---- what is told, and when ---- */

static void is_told_of_each_end(void) {
  const int before = atomic_load(&told);
  visit_with(NULL, visit_once);
  visit_with(NULL, visit_and_park);
  CHECK(atomic_load(&told) == before + 2 * EACH);
  IS(WEFT_BUSY, weft_ext_set_stack_sink(NULL, NULL));
}

static void *last_base;
static size_t last_bytes;

static void note_stack(void *state, void *base, size_t bytes) {
  (void)state;
  last_base = base;
  last_bytes = bytes;
}

static void is_told_what_the_thread_has(void) {
  struct visit visit = {NULL, NULL, 0};
  OK(weft_thread_join(start(visit_and_park, &visit)));
  CHECK(last_base == visit.base && last_bytes == visit.bytes);
  static char memory[1 << 17];
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack = memory;
  attr.stack_bytes = sizeof memory;
  OK(weft_thread_join(start_with(&attr, visit_once, &visit)));
  CHECK(last_base == visit.base && last_bytes == visit.bytes && (char *)last_base == memory);
  OK(weft_feb_forget(memory, sizeof memory));
}

/* What destructors of keys leave counts, too. */
static _Atomic(uint64_t *) left_by_destructor;
static void empty_one_more(void *unused) {
  (void)unused;
  atomic_store(&left_by_destructor, leave_empty());
}

static weft_key key;
static void set_value(void *value) { OK(weft_key_set(key, value)); }

static void after_destructors(void) {
  OK(weft_key_create(empty_one_more, &key));
  for (int i = 0; i < EACH; ++i) {
    OK(weft_thread_join(start(set_value, &key)));
    CHECK(weft_feb_is_full(atomic_load(&left_by_destructor)));
  }
  OK(weft_key_delete(key));
}

static void tasklets(void) {
  for (int i = 0; i < EACH; ++i) {
    weft_thread *tasklet = NULL;
    OK(weft_tasklet_create(empty_one_more, NULL, NULL, &tasklet));
    OK(weft_thread_join(tasklet));
    CHECK(weft_feb_is_full(atomic_load(&left_by_destructor)));
  }
}

static void run_all(void) {
  RUN(from_main_and_from_a_thread);
  RUN(from_many_threads);
  RUN(dispatched_ones);
  RUN(is_told_of_each_end);
  RUN(after_destructors);
  RUN(tasklets);
}

/* ---- threads that are dropped ---- */

static weft_event never;
static uint64_t *dropped_words[EACH];
static atomic_int arrived;

static void wait_for_ever(void *argument) {
  *(uint64_t **)argument = leave_empty();
  atomic_fetch_add(&arrived, 1);
  OK(weft_event_wait(&never));
}

static void of_dropped_threads(void) {
  phase = "dropped";
  never = (weft_event)WEFT_EVENT_INIT;
  init_with(WORKERS);
  for (int i = 0; i < EACH; ++i) OK(weft_thread_create(wait_for_ever, &dropped_words[i], NULL, NULL));
  wait_for(&arrived, EACH);
  for (int i = 0; i < EACH; ++i) CHECK(!weft_feb_is_full(dropped_words[i]));
  OK(weft_finalize_with(WEFT_DROP));
  for (int i = 0; i < EACH; ++i) CHECK(weft_feb_is_full(dropped_words[i]));
}

/* ---- nothing is told when nothing is wanted ---- */

static void threads_run(void) {
  for (int i = 0; i < EACH; ++i) OK(weft_thread_join(start(nothing, NULL)));
}

int main(void) {
  OK(weft_ext_set_stack_sink(forget, &state_of_sink));
  with_workers("1 worker", 1, run_all);
  with_workers("4 workers", WORKERS, run_all);
  setenv("WEFT_STACK_REPORT", "on", 1);
  with_workers("reports of stacks", 2, run_all);
  unsetenv("WEFT_STACK_REPORT");
  setenv("WEFT_GUARD", "canary", 1);
  with_workers("canaries", 2, run_all);
  unsetenv("WEFT_GUARD");
  of_dropped_threads();
  OK(weft_ext_set_stack_sink(note_stack, NULL));
  with_workers("another sink", 1, is_told_what_the_thread_has);
  OK(weft_ext_set_stack_sink(NULL, NULL));
  const int before = atomic_load(&told);
  last_base = NULL;
  with_workers("no sink", 2, threads_run);
  CHECK(atomic_load(&told) == before && last_base == NULL);
  return 0;
}
