/* weft_finalize_with(WEFT_DROP): an end that does not wait. What is dropped never runs again, gives
 * its memory back, and is told to those that join it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <weft/ext.h>
#include <weft/hot.h>
#include <weft/syncvar.h>
#include <weft/word.h>

#include "await_support.h"
#include "check.h"
#include "drop_support.h"
#include "os_thread.h"

enum { ROUNDS = IS_SLOW ? 2 : 10, EACH = IS_SLOW ? 3 : 20 };

/* ---- threads that never end, one kind each ---- */

static uint64_t emptied, word;
static weft_syncvar variable = WEFT_SYNCVAR_INIT(0);
static void wait_for_mutex(void *argument) {
  (void)argument;
  arrive();
  OK(weft_mutex_lock(&held));
  add_one(&passed);
}
static void wait_for_semaphore(void *argument) {
  (void)argument;
  arrive();
  OK(weft_semaphore_acquire_until(&semaphore, weft_deadline_in(1000 * SECOND)));
  add_one(&passed);
}
static void sleep_long(void *argument) {
  (void)argument;
  arrive();
  OK(weft_sleep_ns(1000 * SECOND));
  add_one(&passed);
}
static void read_empty(void *argument) {
  (void)argument;
  arrive();
  uint64_t value;
  OK(weft_feb_read_ff(&emptied, &value));
  add_one(&passed);
}
static void read_empty_variable(void *argument) {
  (void)argument;
  arrive();
  uint64_t value;
  OK(weft_syncvar_read_ff(&variable, &value));
  add_one(&passed);
}
static void wait_at_word(void *argument) {
  (void)argument;
  arrive();
  OK(weft_word_wait(&word, sizeof word, 0, WEFT_FOREVER));
  add_one(&passed);
}
static void join_another(void *argument) {
  (void)argument;
  weft_thread *other = start(wait_for_event, NULL);
  arrive();
  OK(weft_thread_join(other));
  add_one(&passed);
}
static void suspend_for_ever(void *argument) {
  (void)argument;
  arrive();
  OK(weft_suspend());
  add_one(&passed);
}
static void fork_and_wait(void *argument) {
  char work = 0;
  weft_forked *forked = weft_fork(wait_for_event, &work, sizeof work);
  wait_for_semaphore(argument);
  weft_fork_join(forked, wait_for_event, &work, sizeof work);
}
static void take_empty(void *argument) {
  (void)argument;
  arrive();
  OK(weft_feb_read_fe(&emptied, NULL));
  add_one(&passed);
}
static uint64_t full;
static void fill_full(void *argument) {
  (void)argument;
  arrive();
  OK(weft_feb_write_ef(&full, 1));
  add_one(&passed);
}

/* The awaiters are on the thread's stack, and their records in the tables of words. */
static void await_words(void *argument) {
  struct wait at_feb, at_word;
  prepare(&at_feb, WEFT_AWAIT_FEB_READ);
  CHECK(arm(&at_feb, &emptied, WEFT_AWAIT_FEB_READ));
  prepare(&at_word, WEFT_AWAIT_WORD_8);
  CHECK(arm(&at_word, &word, WEFT_AWAIT_WORD_8));
  wait_for_event(argument);
}

static const weft_function kinds[] = {wait_for_event, wait_for_mutex, wait_for_semaphore,  sleep_long,       read_empty,
                                      wait_at_word,   join_another,   read_empty_variable, suspend_for_ever, yield_for_ever,
                                      fork_and_wait,  await_words,    take_empty,          fill_full};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- whatever they do ---- */

static void everything_is_dropped(unsigned workers) {
  phase = "every kind";
  for (int round = 0; round < ROUNDS; ++round) {
    prepare_objects();
    init_with(workers);
    OK(weft_mutex_lock(&held));
    OK(weft_feb_empty(&emptied));
    OK(weft_syncvar_empty(&variable));
    for (int kind = 0; kind < KINDS; ++kind) {
      for (int each = 0; each < EACH; ++each) OK(weft_thread_create(kinds[kind], NULL, NULL, NULL));
    }
    wait_at_least(&arrived, KINDS * EACH);
    for (int each = 0; each < EACH; ++each) {
      OK(weft_thread_create(nothing, NULL, NULL, NULL));
      OK(weft_tasklet_create(nothing, NULL, NULL, NULL));
    }
    drop();
    CHECK(lines_with("weft: dropped ") == 1);
    CHECK(!weft_is_initialized() && weft_self() == NULL);

    /* What is kept for the process has no trace of them. */
    init_with(workers);
    uint64_t value = 0;
    OK(weft_feb_write_ef(&emptied, 7));
    OK(weft_feb_read_ff(&emptied, &value));
    CHECK(value == 7);
    OK(weft_syncvar_write_ef(&variable, 8));
    OK(weft_syncvar_read_fe(&variable, &value));
    CHECK(value == 8);
    CHECK(weft_word_wake(&word, SIZE_MAX) == 0);
    OK(weft_feb_empty(&full));
    OK(weft_feb_write_ef(&full, 7));
    OK(weft_finalize());
    CHECK(lines_with("weft:") == 0);
  }
  CHECK(atomic_load(&passed) == 0);
}

/* ---- what it says ---- */

static void says_how_many(void) {
  phase = "counts";
  prepare_objects();
  init_with(1);
  drop();
  CHECK(lines_with("weft:") == 0);

  init_with(1);
  OK(weft_thread_create(wait_for_event, NULL, NULL, NULL));
  wait_at_least(&arrived, 1);
  drop();
  is_told(1, 0, 1);

  prepare_objects();
  CHECK(setenv("WEFT_STATS", "1", 1) == 0);
  init_with(1);
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = "reader";
  attr.detached = true;
  OK(weft_thread_create(wait_for_event, NULL, &attr, NULL));
  wait_at_least(&arrived, 1);
  for (int each = 0; each < 20; ++each) OK(weft_thread_create(nothing, NULL, NULL, NULL));
  drop();
  rewind(said);
  char line[1024];
  bool says_all = false, names_reader = false, has_more = false;
  while (fgets(line, sizeof line, said) != NULL) {
    says_all |= strncmp(line, "weft: dropped 21 threads at the end, 20 ready, 1 blocked; no destructor", 70) == 0;
    names_reader |= strstr(line, "\"reader\"") != NULL && strstr(line, "event") != NULL;
    has_more |= strcmp(line, "weft:   and 5 more\n") == 0;
  }
  CHECK(says_all && has_more);
#if !defined(IS_EMULATED) /* an emulator has no process_vm_readv, by which reports read threads */
  CHECK(names_reader);
#endif
  CHECK(lines_with("weft: fatal") == 0);
  CHECK(unsetenv("WEFT_STATS") == 0);
}

/* ---- memory ---- */

static int mappings(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps != NULL);
  int lines = 0;
  for (int each; (each = fgetc(maps)) != EOF;) lines += each == '\n';
  CHECK(fclose(maps) == 0);
  return lines;
}

static void drop_some(void) {
  prepare_objects();
  init_with(2);
  OK(weft_mutex_lock(&held));
  static _Alignas(64) char memory[64 * 1024];
  weft_thread_attr large = WEFT_THREAD_ATTR_INIT, own = WEFT_THREAD_ATTR_INIT;
  large.stack_bytes = 1024 * 1024;
  own.stack = memory;
  own.stack_bytes = sizeof memory;
  large.detached = own.detached = true;
  for (int each = 0; each < 300; ++each) OK(weft_thread_create(wait_for_event, NULL, each % 3 == 0 ? &large : NULL, NULL));
  OK(weft_thread_create(wait_for_mutex, NULL, &own, NULL));
  large.stack_bytes = (size_t)1100 * 1024 * 1024; /* of no class: a mapping of its own */
  const int of_its_own = !IS_SLOW && weft_thread_create(wait_for_event, NULL, &large, NULL) == WEFT_OK;
  wait_at_least(&arrived, 301 + of_its_own);
  drop();
  is_told(301 + of_its_own, 0, 301 + of_its_own);
}

static void gives_its_memory_back(void) {
  phase = "memory";
  drop_some();
  const int before = mappings();
  for (int round = 0; round < ROUNDS; ++round) drop_some();
#if !defined(__SANITIZE_THREAD__) /* which maps memory of its own */
  CHECK(mappings() <= before + 2);
#else
  (void)before;
#endif
}

/* ---- handles ---- */

enum way_to_join { JOINS, JOINS_WITH_DEADLINE, WAITS, WAYS };

struct joiner {
  weft_thread *target;
  enum way_to_join how;
  atomic_int has_begun;
};

static void join_from_outside(void *argument) {
  struct joiner *mine = argument;
  atomic_store(&mine->has_begun, 1);
  switch (mine->how) {
    case JOINS: IS(WEFT_ENDED, weft_thread_join(mine->target)); break;
    case JOINS_WITH_DEADLINE: IS(WEFT_ENDED, weft_thread_join_until(mine->target, weft_deadline_in(1000 * SECOND))); break;
    default: IS(WEFT_ENDED, weft_ext_thread_wait(mine->target));
  }
  OK(weft_thread_detach(mine->target));
}

static void joiners_are_told(unsigned workers) {
  phase = "joins";
  for (int round = 0; round < ROUNDS; ++round) {
    prepare_objects();
    init_with(workers);
    struct os_thread others[WAYS];
    struct joiner joiners[WAYS];
    for (int each = 0; each < WAYS; ++each) {
      joiners[each] = (struct joiner){start(wait_for_event, NULL), (enum way_to_join)each, 0};
      begin(&others[each], join_from_outside, &joiners[each]);
      wait_for(&joiners[each].has_begun, 1);
    }
    weft_thread *kept = start(wait_for_event, NULL), *ready = NULL;
    struct wait end;
    prepare(&end, WEFT_AWAIT_THREAD);
    weft_thread *awaited = start(wait_for_event, NULL);
    CHECK(arm(&end, awaited, WEFT_AWAIT_THREAD));
    wait_at_least(&arrived, WAYS + 2);
    ready = start(nothing, NULL);
    OK(weft_sleep_ns(5 * MILLISECOND)); /* the joiners wait by then */
    drop();
    CHECK(lines_with("weft: dropped ") == 1);
    for (int each = 0; each < WAYS; ++each) join(&others[each]);
    CHECK(end.calls == 1 && end.status == WEFT_ENDED);
    OK(weft_thread_detach(awaited));
    IS(WEFT_ENDED, weft_thread_join(kept));
    IS(WEFT_ENDED, weft_thread_try_join(kept));
    CHECK(strstr(weft_last_error(), "WEFT_DROP") != NULL);
    init_with(1); /* another runtime */
    IS(WEFT_ENDED, weft_thread_join(kept));
    bool waits = true;
    prepare(&end, WEFT_AWAIT_THREAD);
    IS(WEFT_ENDED, weft_ext_await(&end.awaiter, kept, WEFT_AWAIT_THREAD, &waits));
    CHECK(end.calls == 0);
    weft_event unset = WEFT_EVENT_INIT;
    weft_await_case either[2] = {{.object = &unset, .kind = WEFT_AWAIT_EVENT}, {.object = kept, .kind = WEFT_AWAIT_THREAD}};
    end.awaiter.winner = 7;
    IS(WEFT_ENDED, weft_ext_await_any(&end.awaiter, either, 2, &waits));
    CHECK(end.calls == 0 && end.awaiter.winner == 2);
    OK(weft_thread_detach(kept));
    OK(weft_finalize());
    const weft_status of_ready = weft_thread_join(ready); /* another worker may have run it */
    CHECK(of_ready == WEFT_OK || of_ready == WEFT_ENDED);
    if (of_ready == WEFT_ENDED) OK(weft_thread_detach(ready));
    CHECK(lines_with("weft: fatal") == 0);
  }
}

/* ---- awaiters of several threads that are dropped, each freed by its ready ---- */

struct of_two {
  weft_awaiter awaiter;
  weft_await_case cases[2];
};

static atomic_int freed;
static void free_of_two(weft_awaiter *awaiter, weft_status status) {
  CHECK(status == WEFT_ENDED && awaiter->winner == 2);
  memset(awaiter, 0xff, sizeof(struct of_two));
  free(awaiter);
  add_one(&freed);
}

static void awaiters_of_two_threads(void) {
  phase = "awaiters of two threads each";
  enum { AWAITERS = 4 };
  prepare_objects();
  atomic_store(&freed, 0);
  init_with(2);
  weft_thread *targets[AWAITERS][2];
  for (int each = 0; each < AWAITERS; ++each) {
    struct of_two *const one = malloc(sizeof *one);
    CHECK(one != NULL);
    one->awaiter = (weft_awaiter)WEFT_AWAITER_INIT(free_of_two);
    for (int which = 0; which < 2; ++which) {
      targets[each][which] = start(wait_for_event, NULL);
      one->cases[which] = (weft_await_case){.object = targets[each][which], .kind = WEFT_AWAIT_THREAD};
    }
    bool waits = false;
    OK(weft_ext_await_any(&one->awaiter, one->cases, 2, &waits));
    CHECK(waits);
  }
  wait_at_least(&arrived, 2 * AWAITERS);
  drop();
  CHECK(atomic_load(&freed) == AWAITERS);
  for (int each = 0; each < AWAITERS; ++each)
    for (int which = 0; which < 2; ++which) OK(weft_thread_detach(targets[each][which]));
}

static weft_thread *target_of_all;
static void join_target(void *argument) {
  arrive();
  if (argument == NULL)
    OK(weft_thread_join(target_of_all));
  else
    OK(weft_thread_join_until(target_of_all, weft_deadline_in(1000 * SECOND)));
}

/* Another dropped thread joined the thread, on its own stack or not: the handle is still good. */
static void handles_of_joined_ones_stay(void) {
  phase = "joined by a dropped thread";
  for (int kind = 0; kind < 3; ++kind) {
    prepare_objects();
    init_with(1);
    target_of_all = start(wait_for_event, NULL);
    if (kind != 2) wait_at_least(&arrived, 1); /* else it begins on its joiner's stack */
    OK(weft_thread_detach(start(join_target, kind == 1 ? &kind : NULL)));
    wait_at_least(&arrived, 2);
    drop();
    is_told(2, 0, 2);
    IS(WEFT_ENDED, weft_thread_join(target_of_all));
    OK(weft_thread_detach(target_of_all));
  }
}

static void detach_from_outside(void *argument) {
  weft_thread *const target = argument;
  weft_status status;
  while ((status = weft_thread_try_join(target)) == WEFT_BUSY) sched_yield();
  CHECK(status == WEFT_ENDED);
  OK(weft_thread_detach(target));
}

static void may_be_detached_meanwhile(void) {
  phase = "detached meanwhile";
  for (int round = 0; round < ROUNDS; ++round) {
    prepare_objects();
    init_with(1);
    struct os_thread others[3];
    for (int each = 0; each < 3; ++each) begin(&others[each], detach_from_outside, start(wait_for_event, NULL));
    wait_at_least(&arrived, 3);
    drop();
    for (int each = 0; each < 3; ++each) join(&others[each]);
    is_told(3, 0, 3);
  }
}

/* ---- awaiters ---- */

static void timed_awaiters_end(void) {
  phase = "an awaiter with a deadline";
  prepare_objects();
  init_with(1);
  struct wait mine;
  prepare(&mine, WEFT_AWAIT_EVENT);
  mine.awaiter.deadline_ns = weft_deadline_in(1000 * SECOND);
  CHECK(arm(&mine, &never, WEFT_AWAIT_EVENT));
  drop();
  CHECK(mine.calls == 1 && mine.status == WEFT_ENDED);
}

/* ---- pools ---- */

static weft_pool *in_pool;
static void join_in_pool(void *argument) {
  (void)argument;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = in_pool;
  OK(weft_thread_join(start_with(&attr, wait_for_event, NULL)));
}

static void pools_lose_them(void) {
  phase = "pools";
  const weft_pool_kind of[] = {WEFT_POOL_FIFO, WEFT_POOL_LIFO, WEFT_POOL_PRIORITY, WEFT_POOL_DEQUE};
  for (int kind = 0; kind < 4; ++kind) {
    prepare_objects();
    init_with(2);
    weft_pool *served, *other;
    OK(weft_pool_create(of[kind], WEFT_POOL_SHARED, &served));
    OK(weft_pool_create(of[kind], WEFT_POOL_SHARED, &other));
    OK(weft_pool_attach(served, 1));
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.pool = served;
    attr.detached = true;
    for (int each = 0; each < EACH; ++each) OK(weft_thread_create(wait_for_event, NULL, &attr, NULL));
    OK(weft_thread_create(suspend_for_ever, NULL, &attr, NULL));
    in_pool = served;
    OK(weft_thread_create(join_in_pool, NULL, &attr, NULL));
    wait_at_least(&arrived, EACH + 2);
    attr.pool = other;
    for (int each = 0; each < EACH; ++each) OK(weft_thread_create(nothing, NULL, &attr, NULL));
    IS(WEFT_BUSY, weft_pool_destroy(other));
    OK(weft_pool_detach(served, 1));
    drop();
    is_told(2 * EACH + 3, EACH, EACH + 3);
    OK(weft_pool_destroy(served));
    OK(weft_pool_destroy(other));
  }
}

/* ---- regions ---- */

static void go_from_region_to_region(void *argument) {
  arrive();
  for (;;) OK(weft_blocking(nothing, argument));
}

static void regions_end(const char *schedule, unsigned workers) {
  phase = "regions under a schedule";
  prepare_objects();
  CHECK(setenv("WEFT_SCHEDULE", schedule, 1) == 0);
  init_with(workers);
  for (int each = 0; each < EACH; ++each) OK(weft_thread_create(go_from_region_to_region, NULL, NULL, NULL));
  wait_at_least(&arrived, EACH);
  drop();
  is_told(EACH, EACH, 0);
  CHECK(unsetenv("WEFT_SCHEDULE") == 0);
}

int main(void) {
  listen_to_library();
  everything_is_dropped(1);
  everything_is_dropped(3);
  says_how_many();
  gives_its_memory_back();
  joiners_are_told(1);
  joiners_are_told(2);
  handles_of_joined_ones_stay();
  may_be_detached_meanwhile();
  awaiters_of_two_threads();
  timed_awaiters_end();
  pools_lose_them();
  regions_end("seed:1", 2);
  regions_end("seed:2,sample:pos", 2);
  regions_end("record:/dev/null", 1);
  regions_end("record:/dev/null", 2);
  return 0;
}
