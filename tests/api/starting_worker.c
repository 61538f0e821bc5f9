/* Threads that stay on the worker that starts them (WEFT_STARTING_WORKER). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <weft/ext.h>
#include <weft/hot.h>

#include "check.h"
#include "fork_fib.h"
#include "os_thread.h"

enum { WORKERS = 4, STAYERS = IS_SLOW ? 8 : 24, ROUNDS = IS_SLOW ? 20 : 200 };

static pid_t here(void) { return (pid_t)syscall(SYS_gettid); }

static weft_thread_attr staying(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = WEFT_STARTING_WORKER;
  return attr;
}

static weft_thread *start_staying(weft_function function, void *argument) {
  const weft_thread_attr attr = staying();
  return start_with(&attr, function, argument);
}

/* Under a schedule all workers share one OS thread, and an OS thread that computes stops them all. */
static bool has_schedule(void) { return getenv("WEFT_SCHEDULE") != NULL; }

/* ---- what moves other threads ---- */

static atomic_int churn_ends;

static void yield_once(void *argument) {
  (void)argument;
  weft_yield();
}

static void churn(void *argument) {
  (void)argument;
  while (atomic_load(&churn_ends) == 0) {
    weft_thread *some[8];
    for (int i = 0; i < 8; ++i) some[i] = start(yield_once, NULL);
    OK(weft_thread_join_many(some, 8));
  }
}

/* Runs body among threads that workers steal from each other. */
static void in_a_churn(void (*body)(void)) {
  weft_thread *churners[WORKERS];
  atomic_store(&churn_ends, 0);
  for (int i = 0; i < WORKERS; ++i) churners[i] = start(churn, NULL);
  body();
  atomic_store(&churn_ends, 1);
  OK(weft_thread_join_many(churners, WORKERS));
}

/* ---- it stays ---- */

static weft_mutex shared = WEFT_MUTEX_INIT;
static weft_semaphore tokens = WEFT_SEMAPHORE_INIT(0);

static bool is_done(void *calls) { return ++*(int *)calls == 3; }

static void resume_it(void *argument) { OK(weft_resume(argument)); }

struct place {
  int worker;
  pid_t os_thread;
};

static struct place place_now(void) { return (struct place){weft_worker_self(), here()}; }
static void is_at(const struct place *first) { CHECK(weft_worker_self() == first->worker && here() == first->os_thread); }

static void stay(void *argument) {
  const struct place first = place_now();
  for (int round = 0; round < ROUNDS; ++round) {
    weft_yield();
    is_at(&first);
    OK(weft_mutex_lock(&shared));
    weft_yield();
    OK(weft_mutex_unlock(&shared));
    is_at(&first);
    OK(weft_semaphore_release(&tokens, 1));
    weft_yield();
    OK(weft_semaphore_acquire(&tokens));
    is_at(&first);
    if (round % 20 != 0) continue;
    OK(weft_sleep_ns(50 * MICROSECOND));
    is_at(&first);
    const weft_status waited = weft_yield_or_wait(WEFT_FOREVER);
    CHECK(waited == WEFT_OK);
    is_at(&first);
    int calls = 0;
    OK(weft_wait_poll(is_done, &calls, WEFT_FOREVER));
    is_at(&first);
    weft_thread *const other = start(resume_it, weft_self());
    OK(weft_suspend());
    is_at(&first);
    OK(weft_thread_join(other));
    is_at(&first);
  }
  if (argument != NULL) add_one(argument);
}

static void start_many_that_stay(void) {
  weft_thread *stayers[STAYERS];
  for (int i = 0; i < STAYERS; ++i) stayers[i] = start_staying(stay, NULL);
  OK(weft_thread_join_many(stayers, STAYERS));
}

static void stays_over_waits(void) { in_a_churn(start_many_that_stay); }

static void note_worker(void *argument) {
  const int first = weft_worker_self();
  weft_yield();
  CHECK(weft_worker_self() == first);
  atomic_store((atomic_int *)argument, first + 1);
}

/* Its maker does not leave its own worker meanwhile, so that another one starts it. */
static void any_worker_starts_it(void) {
  if (has_schedule()) return;
  atomic_int found = 0;
  weft_thread *const stayer = start_staying(note_worker, &found);
  const int mine = weft_worker_self();
  compute_until(&found, 1);
  CHECK(atomic_load(&found) != mine + 1);
  OK(weft_thread_join(stayer));
}

/* All forms of creation, and attributes besides. */
static void check_copy(void *copy) {
  int *const number = copy;
  const struct place first = place_now();
  weft_yield();
  OK(weft_sleep_ns(MICROSECOND));
  is_at(&first);
  CHECK(*number == 7);
}

struct entry {
  atomic_int *ended;
};
static void stay_as_entry(void *argument) { stay(((struct entry *)argument)->ended); }

static void every_form_of_creation(void) {
  weft_thread_attr attr = staying();
  attr.name = "stayer";
  attr.keep_fp = true;
  attr.stack_bytes = (size_t)1 << 18;
  weft_thread *made = start_with(&attr, stay, NULL);
  CHECK(strcmp(weft_thread_get_name(made), "stayer") == 0);
  OK(weft_thread_join(made));
  static char memory[1 << 17];
  attr.stack = memory;
  attr.stack_bytes = sizeof memory;
  OK(weft_thread_join(start_with(&attr, stay, NULL)));

  attr = staying();
  const int number = 7;
  OK(weft_thread_create_copy(check_copy, &number, sizeof number, &attr, &made));
  OK(weft_thread_join(made));

  atomic_int ended = 0;
  struct entry entries[STAYERS];
  weft_thread *many[STAYERS];
  for (int i = 0; i < STAYERS; ++i) entries[i].ended = &ended;
  OK(weft_thread_create_many(stay_as_entry, entries, sizeof *entries, STAYERS, &attr, many));
  OK(weft_thread_join_many(many, STAYERS));
  CHECK(atomic_load(&ended) == STAYERS);

  attr.detached = true;
  OK(weft_thread_create(stay, &ended, &attr, NULL));
  wait_for(&ended, STAYERS + 1);
}

/* A tasklet never moves. */
static void of_a_tasklet_it_means_nothing(void) {
  const weft_thread_attr attr = staying();
  atomic_int runs = 0;
  weft_thread *tasklet = NULL;
  OK(weft_tasklet_create(add_one, &runs, &attr, &tasklet));
  OK(weft_thread_join(tasklet));
  CHECK(atomic_load(&runs) == 1);
}

/* ---- forks ---- */

static void fork_and_stay(void *argument) {
  (void)argument;
  const struct place first = place_now();
  for (int round = 0; round < 5; ++round) {
    CHECK(fib(IS_SLOW ? 12 : 18) == (IS_SLOW ? 144 : 2584));
    is_at(&first);
    weft_yield();
    is_at(&first);
  }
}

static void it_forks(void) {
  weft_thread *stayers[WORKERS];
  for (int i = 0; i < WORKERS; ++i) stayers[i] = start_staying(fork_and_stay, NULL);
  OK(weft_thread_join_many(stayers, WORKERS));
}

/* ---- blocking regions ---- */

static void *sleep_a_little(void *unused) {
  usleep(2000); /* longer than a region that keeps its worker */
  return unused;
}

/* Regions of others may give the worker, but not the thread, another OS thread. */
static void block_and_stay(void *argument) {
  (void)argument;
  const int worker = weft_worker_self();
  for (int round = 0; round < 5; ++round) {
    const pid_t before = here();
    OK(weft_blocking_begin());
    sleep_a_little(NULL);
    OK(weft_blocking_end());
    CHECK(weft_worker_self() == worker && here() == before);
    weft_yield();
    CHECK(weft_worker_self() == worker);
  }
}

static void block_many(void) {
  weft_thread *stayers[STAYERS];
  for (int i = 0; i < STAYERS; ++i) stayers[i] = start_staying(block_and_stay, NULL);
  OK(weft_thread_join_many(stayers, STAYERS));
}

static void comes_back_from_regions(void) { in_a_churn(block_many); }

/* ---- what is refused ---- */

static atomic_int step;

static void refuses_moves(void *argument) {
  (void)argument;
  const struct place first = place_now();
  IS(WEFT_BUSY, weft_pin(0));
  CHECK(strstr(weft_last_error(), "weft_pin: the caller was made to stay on the worker that started it") != NULL);
  IS(WEFT_BUSY, weft_pin(WEFT_ANY_WORKER));
  IS(WEFT_NOT_OWNER, weft_pinned_end());
  OK(weft_pinned_begin());
  OK(weft_pinned_end());
  IS(WEFT_NOT_OWNER, weft_pinned_end());
  IS(WEFT_NOT_OWNER, weft_thread_migrate_to_worker(weft_self(), 0));
  CHECK(strstr(weft_last_error(), "it was made to stay on the worker that starts it") != NULL);
  for (int i = 0; i < 100; ++i) {
    weft_yield();
    is_at(&first);
  }
  atomic_store(&step, 1);
  wait_for(&step, 2);
  is_at(&first);
}

static void moves_are_refused(void) {
  weft_pool *pool;
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  OK(weft_pool_attach(pool, 1));
  atomic_store(&step, 0);
  weft_thread *const stayer = start_staying(refuses_moves, NULL);
  IS(WEFT_NOT_OWNER, weft_thread_migrate_to_worker(stayer, 1));
  wait_for(&step, 1);
  for (unsigned worker = 0; worker < WORKERS; ++worker) IS(WEFT_NOT_OWNER, weft_thread_migrate_to_worker(stayer, worker));
  IS(WEFT_NOT_OWNER, weft_thread_migrate_to_pool(stayer, pool));
  atomic_store(&step, 2);
  OK(weft_thread_join(stayer));
  OK(weft_pool_detach(pool, 1));
  OK(weft_pool_destroy(pool));
  IS(WEFT_INVALID, weft_pin(WEFT_STARTING_WORKER));
}

/* ---- pools ---- */

static void stay_in_pool(void *argument) {
  const struct place first = place_now();
  for (int round = 0; round < ROUNDS; ++round) {
    weft_yield();
    is_at(&first);
    if (round % 20 == 0) OK(weft_sleep_ns(20 * MICROSECOND));
    is_at(&first);
  }
  add_one(argument);
}

static void in_pools(void) {
  const weft_pool_kind kinds[] = {WEFT_POOL_FIFO, WEFT_POOL_LIFO, WEFT_POOL_PRIORITY};
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
    weft_pool *pool;
    OK(weft_pool_create(kinds[kind], WEFT_POOL_SHARED, &pool));
    for (unsigned worker = 0; worker < WORKERS; ++worker) OK(weft_pool_attach(pool, worker));
    atomic_int ended = 0;
    weft_thread_attr attr = staying();
    attr.pool = pool;
    weft_thread *stayers[STAYERS];
    for (int i = 0; i < STAYERS; ++i) stayers[i] = start_with(&attr, stay_in_pool, &ended);
    OK(weft_thread_join_many(stayers, STAYERS));
    CHECK(atomic_load(&ended) == STAYERS);
    for (int i = 0; i < STAYERS; ++i) OK(weft_thread_join(start_with(&attr, stay_in_pool, &ended))); /* at once */
    for (unsigned worker = 0; worker < WORKERS; ++worker) OK(weft_pool_detach(pool, worker));
    OK(weft_pool_destroy(pool));
  }
}

/* ---- units of a builder ---- */

struct visit {
  int worker; /* where the unit is to start */
  weft_thread *unit;
};

static void start_it_here(void *argument) {
  struct visit *const visit = argument;
  CHECK(weft_worker_self() == visit->worker);
  OK(weft_ext_dispatch(visit->unit));
}

static void dispatch_at(int worker, weft_thread *unit) {
  struct visit visit = {worker, unit};
  OK(weft_thread_join(start_pinned(start_it_here, &visit, worker)));
}

static void expect_worker(void *argument) {
  const int worker = *(const int *)argument;
  CHECK(weft_worker_self() == worker);
  for (int i = 0; i < 5; ++i) {
    OK(weft_sleep_ns(50 * MICROSECOND));
    CHECK(weft_worker_self() == worker);
  }
}

/* Each life has a pin of its own: the worker of the life before can go. */
static void revived_ones_are_pinned_anew(void) {
  const weft_thread_attr attr = staying();
  weft_thread *unit = NULL;
  int worker = 1;
  OK(weft_ext_thread_make(expect_worker, &worker, &attr, false, &unit));
  dispatch_at(worker, unit);
  OK(weft_ext_thread_wait(unit));
  for (int life = 0; life < 6; ++life) {
    unsigned added;
    OK(weft_worker_add(&added));
    worker = (int)added;
    OK(weft_ext_thread_revive(unit, expect_worker, &worker));
    dispatch_at(worker, unit);
    OK(weft_ext_thread_wait(unit));
    OK(weft_worker_remove(added));
  }
  OK(weft_thread_join(unit));
}

static void one_that_never_starts_is_discarded(void) {
  const weft_thread_attr attr = staying();
  weft_thread *unit = NULL;
  OK(weft_ext_thread_make(nothing, NULL, &attr, false, &unit));
  weft_ext_thread_discard(unit);
}

/* ---- workers that go ---- */

struct guest {
  weft_event goes_on;
  atomic_int has_begun;
  weft_thread *stayer;
  unsigned worker;
};

static void stay_until_told(void *argument) {
  struct guest *const guest = argument;
  CHECK(weft_worker_self() == (int)guest->worker);
  atomic_store(&guest->has_begun, 1);
  OK(weft_event_wait(&guest->goes_on));
  CHECK(weft_worker_self() == (int)guest->worker);
}

static void start_guest(void *argument) {
  struct guest *const guest = argument;
  guest->stayer = start_staying(stay_until_told, guest);
}

/* Without theft: what a thread makes starts on its worker. */
static void its_worker_is_busy_until_it_ends(void) {
  struct guest guest = {.goes_on = WEFT_EVENT_INIT};
  OK(weft_worker_add(&guest.worker));
  OK(weft_thread_join(start_pinned(start_guest, &guest, (int)guest.worker)));
  wait_for(&guest.has_begun, 1);
  IS(WEFT_BUSY, weft_worker_remove(guest.worker));
  CHECK(strstr(weft_last_error(), "units, or a source, are pinned to worker") != NULL);
  OK(weft_event_set(&guest.goes_on));
  OK(weft_thread_join(guest.stayer));
  OK(weft_worker_remove(guest.worker));
}

enum { CHILDREN = 200 };

struct family {
  int numbers[CHILDREN];
  weft_thread *children[CHILDREN];
};

/* Most end at once, so that the worker is often without one. */
static void stay_for_a_moment(void *number) {
  const struct place first = place_now();
  for (int i = 0; i < *(int *)number % 4; ++i) {
    weft_yield();
    is_at(&first);
  }
}

static void start_children(void *argument) {
  struct family *const family = argument;
  for (int i = 0; i < CHILDREN; ++i) {
    family->numbers[i] = i;
    family->children[i] = start_staying(stay_for_a_moment, &family->numbers[i]);
  }
}

/* The removal begins while the worker starts threads that are to stay. */
static void a_worker_goes_while_they_start(void) {
  for (int round = 0; round < (IS_SLOW ? 5 : 100); ++round) {
    unsigned added;
    OK(weft_worker_add(&added));
    static struct family family;
    OK(weft_thread_join(start_pinned(start_children, &family, (int)added)));
    for (weft_status status; (status = weft_worker_remove(added)) != WEFT_OK;) {
      CHECK(status == WEFT_BUSY);
      breathe();
    }
    OK(weft_thread_join_many(family.children, CHILDREN));
  }
}

/* ---- ends ---- */

static weft_event never = WEFT_EVENT_INIT;
static atomic_int begun;

static void wait_for_ever(void *argument) {
  (void)argument;
  atomic_fetch_add(&begun, 1);
  OK(weft_event_wait(&never));
  CHECK(false);
}

static void yield_for_ever(void *argument) {
  (void)argument;
  atomic_fetch_add(&begun, 1);
  for (;;) weft_yield();
}

static void are_dropped(void) {
  phase = "dropped";
  for (int round = 0; round < (IS_SLOW ? 2 : 10); ++round) {
    never = (weft_event)WEFT_EVENT_INIT;
    atomic_store(&begun, 0);
    init_with(WORKERS);
    weft_thread_attr attr = staying();
    attr.detached = true;
    for (int i = 0; i < STAYERS; ++i) {
      OK(weft_thread_create(i % 2 == 0 ? wait_for_ever : yield_for_ever, NULL, &attr, NULL));
    }
    if (round % 2 == 0) wait_for(&begun, STAYERS); /* or some have not begun */
    const int number = 7;
    OK(weft_thread_create_copy(check_copy, &number, sizeof number, &attr, NULL));
    OK(weft_finalize_with(WEFT_DROP));
  }
}

static void finalize_waits_for_them(void) {
  phase = "finalize";
  for (int round = 0; round < (IS_SLOW ? 2 : 10); ++round) {
    atomic_int ended = 0;
    init_with(WORKERS);
    weft_thread_attr attr = staying();
    attr.detached = true;
    for (int i = 0; i < STAYERS; ++i) OK(weft_thread_create(stay_in_pool, &ended, &attr, NULL));
    OK(weft_finalize());
    CHECK(atomic_load(&ended) == STAYERS);
  }
}

/* ---- reports ---- */

#if !defined(IS_EMULATED) /* an emulator has no process_vm_readv, by which dumps read threads */
static void shown_in_a_dump(void *argument) {
  (void)argument;
  OK(weft_event_wait(&never));
}

static int count_in(FILE *file, const char *text) {
  char line[1024];
  int count = 0;
  rewind(file);
  while (fgets(line, sizeof line, file) != NULL) count += strstr(line, text) != NULL;
  return count;
}

/* One that has started, and one that has not. */
static void dumps_name_its_function(void) {
  never = (weft_event)WEFT_EVENT_INIT;
  FILE *const dumped = tmpfile();
  CHECK(dumped != NULL);
  const weft_thread_attr attr = staying();
  weft_thread *unit = NULL;
  OK(weft_ext_thread_make(shown_in_a_dump, NULL, &attr, false, &unit));
  weft_thread *const stayer = start_staying(shown_in_a_dump, NULL);
  wait_for_state(stayer, WEFT_THREAD_BLOCKED);
  OK(weft_dump(fileno(dumped)));
  CHECK(count_in(dumped, "(shown_in_a_dump)") == 2);
  CHECK(count_in(dumped, "(run_where_started)") == 0); /* which may be among its frames */
  fclose(dumped);
  OK(weft_event_set(&never));
  OK(weft_thread_join(stayer));
  weft_ext_thread_discard(unit);
}
#endif

static void run_most(void) {
  RUN(stays_over_waits);
  RUN(any_worker_starts_it);
  RUN(every_form_of_creation);
  RUN(of_a_tasklet_it_means_nothing);
  RUN(it_forks);
  RUN(moves_are_refused);
  RUN(in_pools);
  RUN(revived_ones_are_pinned_anew);
  RUN(one_that_never_starts_is_discarded);
#if !defined(IS_EMULATED)
  RUN(dumps_name_its_function);
#endif
  RUN(comes_back_from_regions);
  RUN(a_worker_goes_while_they_start);
}

int main(void) {
  with_workers("4 workers", WORKERS, run_most);
  setenv("WEFT_LOCALITY", "strict", 1);
  with_workers("strict", 2, its_worker_is_busy_until_it_ends);
  setenv("WEFT_LOCALITY", "domain", 1);
  with_workers("domains", WORKERS, stays_over_waits);
  unsetenv("WEFT_LOCALITY");
  setenv("WEFT_MIGRATE", "on", 1);
  with_workers("migrate", WORKERS, start_many_that_stay);
  unsetenv("WEFT_MIGRATE");
  finalize_waits_for_them();
  are_dropped();
  return 0;
}
