/* weft_finalize_with(WEFT_DROP) while threads run, are in blocking regions, or add and remove
 * workers; and what it refuses. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>
#include <weft/blocking.h>
#include <weft/ext.h>

#include "await_support.h"
#include "check.h"
#include "drop_support.h"
#include "os_thread.h"

enum { ROUNDS = IS_SLOW ? 2 : 10, EACH = IS_SLOW ? 3 : 20 };

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
  for (;;) { /* a region each time, and no other switch */
    OK(weft_blocking_begin());
    CHECK(usleep(10) == 0);
    OK(weft_blocking_end());
  }
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

/* ---- a region whose call waits for a thread that is dropped ---- */

enum way { JOINS, JOINS_WITH_DEADLINE, WAITS, AWAITS, AS_ANOTHER_OS_THREAD, WAYS };
_Static_assert(2 * WAYS == 10, "as it is told below");

struct waits {
  enum way how;
  weft_thread *target;
  atomic_int has_begun, was_told;
};

static void wait_for_target(struct waits *mine, enum way how) {
  if (how != AWAITS) atomic_store(&mine->has_begun, 1);
  switch (how) {
    case JOINS: IS(WEFT_ENDED, weft_thread_join(mine->target)); break;
    case JOINS_WITH_DEADLINE: IS(WEFT_ENDED, weft_thread_join_until(mine->target, weft_deadline_in(1000 * SECOND))); break;
    case WAITS: IS(WEFT_ENDED, weft_ext_thread_wait(mine->target)); break;
    default: {
      struct wait end;
      prepare(&end, WEFT_AWAIT_THREAD);
      CHECK(arm(&end, mine->target, WEFT_AWAIT_THREAD));
      atomic_store(&mine->has_begun, 1);
      while (atomic_load(&end.calls) == 0) CHECK(usleep(100) == 0);
      CHECK(end.status == WEFT_ENDED);
    }
  }
}

static void *wait_as_os_thread(void *argument) {
  wait_for_target(argument, JOINS);
  return NULL;
}

static void wait_in_region(void *argument) {
  struct waits *mine = argument;
  arrive();
  OK(weft_blocking_begin());
  if (mine->how == AS_ANOTHER_OS_THREAD) {
    pthread_t other;
    CHECK(pthread_create(&other, NULL, wait_as_os_thread, mine) == 0);
    CHECK(pthread_join(other, NULL) == 0);
  } else {
    wait_for_target(mine, mine->how);
  }
  atomic_store(&mine->was_told, 1);
  OK(weft_blocking_end());
  add_one(&passed);
}

/* Another OS thread runs their worker meanwhile, or none. The worker is not main's: a region on main's OS
 * thread is waited for. */
static void joiners_in_regions_are_told(const char *os_threads) {
  phase = os_threads;
  CHECK(setenv("WEFT_BLOCKING_THREADS", os_threads, 1) == 0);
  const bool has_spares = *os_threads != '0';
  for (int round = 0; round < ROUNDS; ++round) {
    prepare_objects();
    init_with(has_spares ? 2 : WAYS + 2);
    struct waits all[WAYS];
    weft_thread *joiners[WAYS];
    for (int each = 0; each < WAYS; ++each) {
      all[each] = (struct waits){(enum way)each, start_pinned(wait_for_event, NULL, 1), 0, 0};
      wait_at_least(&arrived, 2 * each + 1);
      joiners[each] = start_pinned(wait_in_region, &all[each], has_spares ? 1 : each + 2);
      wait_for(&all[each].has_begun, 1);
    }
    if (round % 2 == 0) OK(weft_sleep_ns(MILLISECOND)); /* they wait by then */
    drop();
    for (int each = 0; each < WAYS; ++each) {
      CHECK(atomic_load(&all[each].was_told) == 1);
      OK(weft_thread_detach(all[each].target));
      IS(WEFT_ENDED, weft_thread_join(joiners[each]));
      OK(weft_thread_detach(joiners[each]));
    }
    CHECK(lines_with("weft: dropped 10 threads") == 1);
  }
  CHECK(atomic_load(&passed) == 0 && unsetenv("WEFT_BLOCKING_THREADS") == 0);
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

/* ---- a removal that waits for a region whose call waits for a thread that is dropped ---- */

static void join_in_region_on_2(void *target) {
  OK(weft_pin(2));
  OK(weft_pin(WEFT_ANY_WORKER));
  OK(weft_blocking_begin());
  arrive();
  IS(WEFT_ENDED, weft_thread_join(target));
  add_one(&passed);
  OK(weft_blocking_end());
}

static void remove_the_callers(void *argument) {
  remove_worker(argument);
  add_one(&passed);
}

static void removals_are_given_up(bool is_outside) {
  phase = "a removal of a worker in a region";
  CHECK(setenv("WEFT_BLOCKING_THREADS", "0", 1) == 0);
  for (int round = 0; round < ROUNDS; ++round) {
    prepare_objects();
    atomic_store(&passed, 0);
    init_with(3);
    weft_thread *target = start_pinned(wait_for_event, NULL, 1);
    wait_at_least(&arrived, 1);
    OK(weft_thread_detach(start(join_in_region_on_2, target)));
    wait_at_least(&arrived, 2);
    struct os_thread remover;
    if (is_outside)
      begin(&remover, remove_the_callers, NULL);
    else
      OK(weft_thread_detach(start_pinned(remove_worker, NULL, 1)));
    wait_at_least(&arrived, 3);
    if (is_outside || round % 2 == 0) {
      while (weft_ext_worker_set_scheduler(2, NULL, NULL) != WEFT_INVALID) weft_yield(); /* it goes */
      OK(weft_sleep_ns(MILLISECOND));                                                    /* it is waited for by then */
    }
    drop();
    if (is_outside) join(&remover);
    CHECK(atomic_load(&passed) == (is_outside ? 2 : 1));
    OK(weft_thread_detach(target));
    CHECK(lines_with("weft: fatal") == 0);
  }
  atomic_store(&passed, 0);
  CHECK(unsetenv("WEFT_BLOCKING_THREADS") == 0);
}

/* ---- a region on the OS thread of the caller of weft_finalize_with ---- */

struct own_os_thread {
  atomic_int ends_now, has_ended;
};

static void stay_on_mains(void *argument) {
  struct own_os_thread *mine = argument;
  OK(weft_blocking_begin());
  arrive();
  while (atomic_load(&mine->ends_now) == 0) CHECK(usleep(100) == 0);
  atomic_store(&mine->has_ended, 1);
  OK(weft_blocking_end());
  add_one(&passed);
}

static void let_it_end(void *argument) {
  struct own_os_thread *mine = argument;
  CHECK(usleep(5000) == 0);
  CHECK(atomic_load(&mine->has_ended) == 0);
  atomic_store(&mine->ends_now, 1);
}

static void regions_on_its_own_os_thread_are_waited_for(void) {
  phase = "a region on the caller's own OS thread";
  for (int round = 0; round < ROUNDS; ++round) {
    prepare_objects();
    init_with(2);
    struct own_os_thread one = {0, 0};
    OK(weft_thread_detach(start_pinned(stay_on_mains, &one, 0)));
    wait_at_least(&arrived, 1);
    struct os_thread other;
    begin(&other, let_it_end, &one);
    drop();
    CHECK(atomic_load(&one.has_ended) == 1);
    join(&other);
  }
  CHECK(atomic_load(&passed) == 0);
}

static void add_and_remove(void *argument) {
  (void)argument;
  arrive();
  for (;;) {
    unsigned index;
    if (weft_worker_add(&index) == WEFT_OK) {
      const weft_status status = weft_worker_remove(index);
      CHECK(status == WEFT_OK || status == WEFT_NOT_INITIALIZED);
    }
    weft_yield();
  }
}

static void workers_come_and_go_meanwhile(void) {
  phase = "workers come and go";
  for (int round = 0; round < ROUNDS; ++round) {
    prepare_objects();
    init_with(2);
    for (int each = 0; each < 3; ++each) OK(weft_thread_create(add_and_remove, NULL, NULL, NULL));
    wait_at_least(&arrived, 3);
    drop();
    CHECK(lines_with("weft: dropped 3 threads") == 1);
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
  IS(WEFT_NOT_OWNER, weft_finalize_with(WEFT_DROP));
  atomic_store(&mine->is_there, 1);
  wait_for(&mine->may_leave, 1);
  OK(weft_worker_leave());
}

static void adopt_briefly(void *argument) {
  (void)argument;
  OK(weft_worker_adopt(NULL));
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
  on_os_thread(adopt_briefly, NULL);
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
  awaits_calls(WEFT_ANY_WORKER);
  awaits_calls(1);
  joiners_in_regions_are_told("100");
  joiners_in_regions_are_told("0");
  awaits_removals();
  removals_are_given_up(false);
  removals_are_given_up(true);
  regions_on_its_own_os_thread_are_waited_for();
  workers_come_and_go_meanwhile();
  others_run_meanwhile();
  refuses();
  from_an_os_thread();
  return 0;
}
