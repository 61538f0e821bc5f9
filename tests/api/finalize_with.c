/* weft_finalize_with(WEFT_DROP): an end that does not wait. What is dropped never runs again, gives
 * its memory back, and is told to those that join it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <weft/blocking.h>
#include <weft/ext.h>
#include <weft/hot.h>
#include <weft/syncvar.h>
#include <weft/word.h>

#include "await_support.h"
#include "check.h"
#include "os_thread.h"
#include "said.h"

enum { ROUNDS = IS_SLOW ? 2 : 10, EACH = IS_SLOW ? 3 : 20 };

static atomic_int passed; /* by a thread that should have been dropped before */

static void drop(void) { OK(weft_finalize_with(WEFT_DROP)); }

static void is_told(int threads, int ready, int blocked) {
  char line[128];
  snprintf(line, sizeof line, "weft: dropped %d thread%s at the end, %d ready, %d blocked;", threads, threads == 1 ? "" : "s",
           ready, blocked);
  CHECK(lines_with(line) == 1);
}

/* ---- threads that never end, one kind each ---- */

static weft_event never = WEFT_EVENT_INIT;
static weft_mutex held = WEFT_MUTEX_INIT;
static weft_semaphore semaphore = WEFT_SEMAPHORE_INIT(0);
static uint64_t emptied, word;
static weft_syncvar variable = WEFT_SYNCVAR_INIT(0);
static atomic_int arrived;

static void arrive(void) { atomic_fetch_add(&arrived, 1); }

static void wait_for_event(void *argument) {
  (void)argument;
  arrive();
  OK(weft_event_wait(&never));
  add_one(&passed);
}
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
static void yield_for_ever(void *argument) {
  (void)argument;
  arrive();
  for (;;) weft_yield();
}
static void fork_and_wait(void *argument) {
  char work = 0;
  weft_forked *forked = weft_fork(wait_for_event, &work, sizeof work);
  wait_for_semaphore(argument);
  weft_fork_join(forked, wait_for_event, &work, sizeof work);
}
/* The awaiter is on the thread's stack, and its record in the table of words. */
static void await_word(void *argument) {
  struct wait mine;
  prepare(&mine, WEFT_AWAIT_FEB_READ);
  CHECK(arm(&mine, &emptied, WEFT_AWAIT_FEB_READ));
  wait_for_event(argument);
}

static const weft_function kinds[] = {wait_for_event,   wait_for_mutex, wait_for_semaphore, sleep_long,
                                      read_empty,       wait_at_word,   join_another,       read_empty_variable,
                                      suspend_for_ever, yield_for_ever, fork_and_wait,      await_word};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void prepare_objects(void) {
  never = (weft_event)WEFT_EVENT_INIT;
  held = (weft_mutex)WEFT_MUTEX_INIT;
  semaphore = (weft_semaphore)WEFT_SEMAPHORE_INIT(0);
  atomic_store(&arrived, 0);
}

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
  CHECK(says_all && names_reader && has_more);
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
  wait_at_least(&arrived, 301);
  drop();
  is_told(301, 0, 301);
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

struct joiner {
  weft_thread *target;
  bool has_deadline;
  atomic_int has_begun;
};

static void join_from_outside(void *argument) {
  struct joiner *mine = argument;
  atomic_store(&mine->has_begun, 1);
  if (mine->has_deadline) {
    IS(WEFT_ENDED, weft_thread_join_until(mine->target, weft_deadline_in(1000 * SECOND)));
  } else {
    IS(WEFT_ENDED, weft_thread_join(mine->target));
  }
  OK(weft_thread_detach(mine->target));
}

static void joiners_are_told(unsigned workers) {
  phase = "joins";
  for (int round = 0; round < ROUNDS; ++round) {
    prepare_objects();
    init_with(workers);
    struct os_thread others[2];
    struct joiner joiners[2];
    for (int each = 0; each < 2; ++each) {
      joiners[each] = (struct joiner){start(wait_for_event, NULL), each == 1, 0};
      begin(&others[each], join_from_outside, &joiners[each]);
      wait_for(&joiners[each].has_begun, 1);
    }
    weft_thread *kept = start(wait_for_event, NULL), *ready = NULL;
    struct wait end;
    prepare(&end, WEFT_AWAIT_THREAD);
    weft_thread *awaited = start(wait_for_event, NULL);
    CHECK(arm(&end, awaited, WEFT_AWAIT_THREAD));
    wait_at_least(&arrived, 4);
    ready = start(nothing, NULL);
    if (round % 2 == 0) OK(weft_sleep_ns(5 * MILLISECOND)); /* the joiners sleep by then */
    drop();
    CHECK(lines_with("weft: dropped ") == 1);
    for (int each = 0; each < 2; ++each) join(&others[each]);
    CHECK(end.calls == 1 && end.status == WEFT_ENDED);
    OK(weft_thread_detach(awaited));
    IS(WEFT_ENDED, weft_thread_join(kept));
    IS(WEFT_ENDED, weft_thread_try_join(kept));
    CHECK(strstr(weft_last_error(), "WEFT_DROP") != NULL);
    init_with(1); /* another runtime */
    IS(WEFT_ENDED, weft_thread_join(kept));
    OK(weft_thread_detach(kept));
    OK(weft_finalize());
    const weft_status of_ready = weft_thread_join(ready); /* another worker may have run it */
    CHECK(of_ready == WEFT_OK || of_ready == WEFT_ENDED);
    if (of_ready == WEFT_ENDED) OK(weft_thread_detach(ready));
    CHECK(lines_with("weft: fatal") == 0);
  }
}

/* ---- pools ---- */

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
    wait_at_least(&arrived, EACH);
    attr.pool = other;
    for (int each = 0; each < EACH; ++each) OK(weft_thread_create(nothing, NULL, &attr, NULL));
    IS(WEFT_BUSY, weft_pool_destroy(other));
    OK(weft_pool_detach(served, 1));
    drop();
    is_told(2 * EACH, EACH, EACH);
    OK(weft_pool_destroy(served));
    OK(weft_pool_destroy(other));
  }
}

/* ---- what it waits for ---- */

struct call {
  int ends[2];
  atomic_int is_inside, has_returned;
};

static void read_in_region(void *argument) {
  struct call *mine = argument;
  char byte;
  OK(weft_blocking_begin());
  atomic_store(&mine->is_inside, 1);
  CHECK(read(mine->ends[0], &byte, 1) == 1);
  atomic_store(&mine->has_returned, 1);
  OK(weft_blocking_end());
  yield_for_ever(NULL);
}

static void *write_later(void *argument) {
  CHECK(usleep(20000) == 0);
  CHECK(write(*(int *)argument, "xx", 2) == 2);
  return NULL;
}

static void awaits_calls(int worker) {
  phase = "blocking regions";
  prepare_objects();
  init_with(2);
  struct call calls[2];
  pthread_t writer;
  CHECK(pipe(calls[0].ends) == 0);
  for (int each = 0; each < 2; ++each) {
    calls[each] = (struct call){{calls[0].ends[0], calls[0].ends[1]}, 0, 0};
    if (worker < 0)
      OK(weft_thread_detach(start(read_in_region, &calls[each])));
    else
      OK(weft_thread_detach(start_pinned(read_in_region, &calls[each], worker)));
    wait_for(&calls[each].is_inside, 1);
  }
  CHECK(pthread_create(&writer, NULL, write_later, &calls[0].ends[1]) == 0);
  drop();
  CHECK(atomic_load(&calls[0].has_returned) == 1 && atomic_load(&calls[1].has_returned) == 1);
  CHECK(pthread_join(writer, NULL) == 0);
  CHECK(close(calls[0].ends[0]) == 0 && close(calls[0].ends[1]) == 0);
  CHECK(lines_with("weft: dropped 2 threads") == 1);
}

static void remove_worker(void *argument) {
  (void)argument;
  arrive();
  const weft_status result = weft_worker_remove(2);
  CHECK(result == WEFT_OK || result == WEFT_NOT_INITIALIZED); /* it came in time, or not */
}

/* A worker that another thread removes goes first. */
static void awaits_removals(void) {
  phase = "a removal";
  for (int round = 0; round < ROUNDS; ++round) {
    prepare_objects();
    init_with(3);
    OK(weft_thread_detach(start_pinned(remove_worker, NULL, 1)));
    wait_at_least(&arrived, round % 2);
    drop();
    CHECK(lines_with("weft: fatal") == 0);
  }
}

static void grow_for_ever(void *argument) {
  (void)argument;
  arrive();
  for (;;) {
    weft_thread *const child = start(nothing, NULL);
    OK(weft_thread_join(child));
    weft_yield();
  }
}

static void others_run_meanwhile(void) {
  phase = "others run";
  for (int round = 0; round < ROUNDS; ++round) {
    prepare_objects();
    init_with(3);
    for (int each = 0; each < 6; ++each) OK(weft_thread_create(grow_for_ever, NULL, NULL, NULL));
    wait_at_least(&arrived, 6);
    drop();
    CHECK(lines_with("weft: dropped ") == 1);
  }
}

/* ---- what is refused ---- */

struct guest {
  atomic_int is_there, may_leave;
};

static void stay_for_a_while(void *argument) {
  struct guest *mine = argument;
  OK(weft_worker_adopt(NULL));
  atomic_store(&mine->is_there, 1);
  IS(WEFT_NOT_OWNER, weft_finalize_with(WEFT_DROP));
  wait_for(&mine->may_leave, 1);
  OK(weft_worker_leave());
}

static void refuses(void) {
  phase = "refusals";
  prepare_objects();
  IS(WEFT_NOT_INITIALIZED, weft_finalize_with(WEFT_DROP));
  init_with(1);
  IS(WEFT_INVALID, weft_finalize_with((weft_finalize_mode)2));
  struct guest guest = {0, 0};
  struct os_thread other;
  begin(&other, stay_for_a_while, &guest);
  wait_for(&guest.is_there, 1);
  IS(WEFT_BUSY, weft_finalize_with(WEFT_DROP));
  CHECK(strstr(weft_last_error(), "weft_worker_leave") != NULL);
  OK(weft_thread_join(start(nothing, NULL))); /* it goes on */
  OK(weft_worker_add(&(unsigned){0}));
  atomic_store(&guest.may_leave, 1);
  join(&other);
  OK(weft_init(NULL));
  drop(); /* undoes that */
  CHECK(weft_is_initialized());
  OK(weft_thread_create(wait_for_event, NULL, NULL, NULL));
  wait_at_least(&arrived, 1);
  drop();
  is_told(1, 0, 1);
  init_with(1);
  OK(weft_finalize_with(WEFT_DRAIN));
}

static void from_an_os_thread(void) {
  phase = "caller outside";
  prepare_objects();
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  config.caller_outside = true;
  OK(weft_init(&config));
  for (int each = 0; each < EACH; ++each) OK(weft_thread_create(wait_for_event, NULL, NULL, NULL));
  wait_at_least(&arrived, EACH);
  drop();
  is_told(EACH, 0, EACH);
}

int main(void) {
  listen_to_library();
  everything_is_dropped(1);
  everything_is_dropped(3);
  says_how_many();
  gives_its_memory_back();
  joiners_are_told(1);
  joiners_are_told(2);
  pools_lose_them();
  awaits_calls(WEFT_ANY_WORKER);
  awaits_calls(1);
  awaits_removals();
  others_run_meanwhile();
  refuses();
  from_an_os_thread();
  return 0;
}
