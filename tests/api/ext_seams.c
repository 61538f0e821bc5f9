/* ext.h: what is set before weft_init and holds for the process: extension bytes, carried bytes,
 * stack memory, event sink. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <weft/ext.h>
#include <weft/hot.h>

#include "check.h"

enum { MANY = 200 };

/* ---- extension bytes ---- */

static size_t small_offset, large_offset;
enum { SMALL = 24, LARGE = 208 };

static void reserves(void) {
  phase = "reserve";
  size_t out = 77;
  IS(WEFT_INVALID, weft_ext_reserve(16, NULL));
  const size_t bad[] = {0, 257, SIZE_MAX, SIZE_MAX - 15, SIZE_MAX - 16};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) IS(WEFT_INVALID, weft_ext_reserve(bad[i], &out));
  CHECK(out == 77);
  OK(weft_ext_reserve(SMALL, &small_offset));
  OK(weft_ext_reserve(LARGE, &large_offset));
  CHECK(large_offset >= small_offset + SMALL && small_offset % 16 == 0 && large_offset % 16 == 0);
  IS(WEFT_INVALID, weft_ext_reserve(32, &out)); /* 32 + 208 are gone */
  OK(weft_ext_reserve(16, &out));
  IS(WEFT_INVALID, weft_ext_reserve(1, &out));
  CHECK(weft_ext_bytes(NULL, small_offset) == NULL);
}

static bool is_all(const unsigned char *bytes, size_t count, unsigned char value) {
  for (size_t i = 0; i < count; ++i) {
    if (bytes[i] != value) return false;
  }
  return true;
}

/* Finds zeros, and leaves something else for the next unit that gets the descriptor. */
static void use_bytes(void *argument) {
  unsigned char *const small = weft_ext_bytes(weft_self(), small_offset);
  unsigned char *const large = weft_ext_bytes(weft_self(), large_offset);
  CHECK((uintptr_t)small % 16 == 0 && (uintptr_t)large % 16 == 0);
  CHECK(is_all(small, SMALL, 0) && is_all(large, LARGE, 0));
  const unsigned char mine = (unsigned char)((uintptr_t)argument % 250 + 1);
  memset(small, mine, SMALL);
  memset(large, mine + 1, LARGE);
  weft_yield(); /* in a tasklet it does nothing */
  CHECK(is_all(small, SMALL, mine) && is_all(large, LARGE, mine + 1));
}

/* Finds zeros, too, and leaves them, as a builder promises that wants fewer instructions. */
static void use_bytes_and_clean(void *self) {
  unsigned char *const large = weft_ext_bytes(self, large_offset);
  CHECK(is_all(large, LARGE, 0));
  memset(large, 7, LARGE);
  weft_yield();
  CHECK(is_all(large, LARGE, 7));
  memset(large, 0, LARGE);
}

static void start_units(weft_thread **units) {
  for (int i = 0; i < MANY; ++i) {
    void *const number = (void *)(uintptr_t)i;
    if (i % 3 == 0) {
      OK(weft_tasklet_create(use_bytes, number, NULL, &units[i]));
    } else if (i % 5 == 0) {
      OK(weft_ext_thread_make_in(NULL, use_bytes_and_clean, WEFT_MAKE_CLEANED | (i % 2 ? 0 : WEFT_MAKE_TASKLET), &units[i]));
      OK(weft_ext_thread_start(units[i]));
    } else {
      units[i] = start(use_bytes, number);
    }
  }
}

static void every_unit_has_bytes(void) {
  size_t out = 77;
  IS(WEFT_BUSY, weft_ext_reserve(16, &out));
  CHECK(out == 77);
  if (weft_self() != NULL) use_bytes((void *)99); /* the adopted caller has them, too */
  weft_thread *units[MANY];
  for (int round = 0; round < 5; ++round) {
    start_units(units);
    OK(weft_thread_join_many(units, MANY));
  }
  weft_thread *one = start(nothing, NULL);
  wait_for_state(one, WEFT_THREAD_ENDED);
  CHECK(is_all(weft_ext_bytes(one, small_offset), SMALL, 0)); /* others may look while the handle is good */
  OK(weft_thread_join(one));
}

/* ---- carried bytes ---- */

static _Thread_local uint64_t carried_words[2];

__attribute__((noinline)) static void *address_of_words(void) {
  __asm__ volatile(""); /* afresh after every switch */
  return carried_words;
}
static void *another_address(void) { return NULL; }

static void registers(void) {
  phase = "carry";
  IS(WEFT_INVALID, weft_ext_carry(NULL, 16));
  const size_t bad[] = {0, 4, 12, 40, SIZE_MAX, SIZE_MAX - 7};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) IS(WEFT_INVALID, weft_ext_carry(address_of_words, bad[i]));
  OK(weft_ext_carry(address_of_words, 16));
  OK(weft_ext_carry(address_of_words, 16)); /* the same layer again */
  IS(WEFT_BUSY, weft_ext_carry(another_address, 16));
  IS(WEFT_BUSY, weft_ext_carry(address_of_words, 8));
}

static void set_words(uint64_t first, uint64_t second) {
  uint64_t *words = address_of_words();
  words[0] = first;
  words[1] = second;
}
static void check_words(uint64_t first, uint64_t second) {
  const uint64_t *words = address_of_words();
  CHECK(words[0] == first && words[1] == second);
}

static void switch_and_look(void *argument) {
  const uint64_t number = (uint64_t)(uintptr_t)argument;
  check_words(0, 0); /* no other unit's are left behind */
  const uint64_t first = number % 3 == 0 ? 0 : number, second = number % 3 == 1 ? 0 : ~number;
  set_words(first, second);
  for (int i = 0; i < 10; ++i) {
    weft_yield();
    check_words(first, second);
  }
  OK(weft_sleep_ns(100 * MICROSECOND));
  check_words(first, second);
  set_words(0, 0);
  weft_yield();
  check_words(0, 0);
}

static void bytes_follow_their_thread(void) {
  weft_thread *threads[MANY];
  if (weft_self() != NULL) set_words(5, 6);
  for (int i = 0; i < MANY; ++i) threads[i] = start(switch_and_look, (void *)(uintptr_t)(i + 1));
  OK(weft_thread_join_many(threads, MANY));
  if (weft_self() != NULL) check_words(5, 6);
  set_words(0, 0);
}

/* ---- stack memory ---- */

enum { MOST_MAPPINGS = 64 };
struct provider {
  struct {
    char *base;
    size_t bytes;
  } mapped[MOST_MAPPINGS];
  atomic_int mappings, unmapped, refuses;
};

static void *map_memory(void *state, size_t bytes) {
  struct provider *provider = state;
  if (atomic_load(&provider->refuses) != 0) return NULL;
  char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(base != MAP_FAILED);
  const int index = atomic_fetch_add(&provider->mappings, 1);
  CHECK(index < MOST_MAPPINGS);
  provider->mapped[index].base = base;
  provider->mapped[index].bytes = bytes;
  return base;
}

static void unmap_memory(void *state, void *base, size_t bytes) {
  atomic_fetch_add(&((struct provider *)state)->unmapped, 1);
  CHECK(munmap(base, bytes) == 0);
}

static struct provider provider;

static bool is_provided(const char *address) {
  for (int i = 0; i < atomic_load(&provider.mappings); ++i) {
    if (address >= provider.mapped[i].base && address < provider.mapped[i].base + provider.mapped[i].bytes) return true;
  }
  return false;
}

static void check_own_stack(void *argument) {
  (void)argument;
  void *base = NULL;
  size_t bytes = 0;
  char here = 0;
  weft_ext_thread_stack(weft_self(), &base, &bytes);
  CHECK(&here >= (char *)base && &here < (char *)base + bytes);
  CHECK(is_provided(&here) && is_provided(base));
  weft_ext_thread_stack(weft_self(), NULL, NULL);
  weft_yield();
}

static bool note_parked(weft_thread *self, void *has_parked) {
  (void)self;
  atomic_store((atomic_int *)has_parked, 1);
  return true;
}
static void park_until_told(void *has_parked) { OK(weft_ext_park(note_parked, has_parked, "the test")); }

static void tells_stacks(void) {
  void *base = &base;
  size_t bytes = 1;
  weft_ext_thread_stack(NULL, &base, &bytes);
  CHECK(base == NULL && bytes == 0);
  atomic_int has_parked = 0;
  weft_thread *parked = start(park_until_told, &has_parked);
  wait_for(&has_parked, 1);
  weft_ext_thread_stack(parked, &base, &bytes);
  CHECK(is_provided(base) && bytes >= WEFT_STACK_MIN);
  weft_ext_unpark(parked);
  OK(weft_thread_join(parked));
}

static weft_status start_large(size_t bytes, weft_thread **out) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = bytes;
  return weft_thread_create(check_own_stack, NULL, &attr, out);
}

static void stacks_come_from_the_provider(void) {
  IS(WEFT_BUSY, weft_ext_set_stack_provider(NULL));
  CHECK(atomic_load(&provider.mappings) > 0);
  for (int i = 0; i < MANY; ++i) OK(weft_thread_join(start(check_own_stack, NULL)));
  tells_stacks();
  weft_thread *large = NULL;
  OK(start_large(300000, &large));
  OK(weft_thread_join(large));
  atomic_store(&provider.refuses, 1);
  weft_thread *const untouched = large;
  IS(WEFT_NOMEM, start_large(400000, &large));
  CHECK(large == untouched);
  OK(start_large(300000, &large)); /* whose stack is there */
  OK(weft_thread_join(large));
  OK(weft_thread_join(start(check_own_stack, NULL))); /* there still are some */
  atomic_store(&provider.refuses, 0);
}

static void provides_stacks(void) {
  phase = "stack provider";
  weft_stack_provider given = {sizeof given, map_memory, unmap_memory, &provider};
  given.size = 1;
  IS(WEFT_INVALID, weft_ext_set_stack_provider(&given));
  given = (weft_stack_provider){sizeof given, NULL, unmap_memory, &provider};
  IS(WEFT_INVALID, weft_ext_set_stack_provider(&given));
  given.map = map_memory;
  OK(weft_ext_set_stack_provider(&given));
  with_workers("stack provider, two workers", 2, stacks_come_from_the_provider);
  CHECK(atomic_load(&provider.unmapped) == atomic_load(&provider.mappings));

  atomic_store(&provider.refuses, 1);
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  IS(WEFT_NOMEM, weft_init(&config));
  CHECK(!weft_is_initialized());

  const int mappings = atomic_load(&provider.mappings);
  OK(weft_ext_set_stack_provider(NULL));
  with_workers("Weft's own stacks again", 1, every_unit_has_bytes);
  CHECK(atomic_load(&provider.mappings) == mappings);
}

/* ---- events ---- */

/* In the extension bytes: the last event of a thread, plus one; 0: none. */
static atomic_int seen[WEFT_ON_STEAL + 1];
static const void *const sink_state = &seen;

static bool may_follow(int last, weft_event_kind kind) {
  switch (kind) {
    case WEFT_ON_CREATE: return last == -1;
    case WEFT_ON_READY: return last == WEFT_ON_CREATE || last == WEFT_ON_PARK;
    case WEFT_ON_STEAL: return last == WEFT_ON_READY || last == WEFT_ON_YIELD || last == WEFT_ON_STEAL;
    case WEFT_ON_RUN: return last == WEFT_ON_READY || last == WEFT_ON_YIELD || last == WEFT_ON_STEAL;
    case WEFT_ON_YIELD: return last == WEFT_ON_RUN;
    case WEFT_ON_PARK: return last == WEFT_ON_RUN;
    case WEFT_ON_END: return last == WEFT_ON_RUN;
    case WEFT_ON_JOIN: return last == WEFT_ON_END;
  }
  return false;
}

static void note_event(void *state, weft_event_kind kind, weft_thread *thread) {
  CHECK(state == sink_state);
  CHECK(weft_self() == NULL); /* without identity */
  int *last = weft_ext_bytes(thread, small_offset);
  if (*last == 0 && kind != WEFT_ON_CREATE) *last = WEFT_ON_RUN + 1; /* the adopted caller was not created */
  if (!may_follow(*last - 1, kind)) fprintf(stderr, "event %d after event %d\n", (int)kind, *last - 1);
  CHECK(may_follow(*last - 1, kind));
  *last = (int)kind + 1;
  atomic_fetch_add(&seen[kind], 1);
}

static void make_all_events(void *argument) {
  weft_yield();
  OK(weft_sleep_ns(100 * MICROSECOND));
  const weft_status result = weft_yield_to(argument);
  CHECK(result == WEFT_OK || result == WEFT_AGAIN || result == WEFT_INVALID); /* ready, or not, or ended */
}

static void set_flag(void *argument) { atomic_store((atomic_int *)argument, 1); }

/* Keeps this worker until another has run a thread of its queue. */
static void be_robbed(void) {
  atomic_int has_run = 0;
  weft_thread *prey = start(set_flag, &has_run);
  while (atomic_load(&has_run) == 0) sched_yield();
  OK(weft_thread_join(prey));
}

static void tries_and_joins(weft_thread *one) {
  weft_status result;
  while ((result = weft_thread_try_join(one)) == WEFT_BUSY) breathe();
  OK(result);
}

static int made;

static void nothing_of(void *work) { (void)work; }

/* Whose forker leaves become threads, wherever they run. */
static void forks_are_left(void) {
  char nothing_to_carry = 0;
  weft_forked *forks[3];
  for (int i = 0; i < 3; ++i, ++made) forks[i] = weft_fork(nothing_of, &nothing_to_carry, 1);
  weft_yield();
  for (int i = 3; i-- > 0;) weft_fork_join(forks[i], nothing_of, &nothing_to_carry, 1);
}

static void all_kinds_happen(void) {
  made = 0;
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i, ++made) threads[i] = start(make_all_events, i % 2 == 0 ? weft_self() : threads[i - 1]);
  for (int i = 0; i < MANY; ++i) OK(weft_thread_join(threads[MANY - 1 - i]));
  OK(weft_thread_create_many(nothing, NULL, 0, MANY, NULL, threads));
  made += MANY;
  for (int i = 0; i < MANY; ++i) tries_and_joins(threads[i]);
  weft_thread *tasklet;
  OK(weft_tasklet_create(nothing, NULL, NULL, &tasklet));
  ++made;
  OK(weft_thread_join_until(tasklet, WEFT_FOREVER));
  for (int i = 0; i < MANY; ++i) forks_are_left();
  if (weft_worker_count() > 1) {
    be_robbed();
    ++made;
  }
}

static void check_counts(unsigned workers) {
  CHECK(atomic_load(&seen[WEFT_ON_CREATE]) == made);
  CHECK(atomic_load(&seen[WEFT_ON_END]) == made);
  CHECK(atomic_load(&seen[WEFT_ON_JOIN]) == made);
  CHECK(atomic_load(&seen[WEFT_ON_RUN]) >= made);
  CHECK(atomic_load(&seen[WEFT_ON_READY]) >= made + atomic_load(&seen[WEFT_ON_PARK]));
  CHECK(atomic_load(&seen[WEFT_ON_YIELD]) > 0);
  CHECK(atomic_load(&seen[WEFT_ON_PARK]) > 0);
  CHECK((atomic_load(&seen[WEFT_ON_STEAL]) > 0) == (workers > 1));
}

static atomic_int creations;

/* Told of its creation, and of each new beginning; not of a discard. */
static void owned_units_are_told_of(void) {
  weft_thread *one;
  const int before = atomic_load(&creations);
  OK(weft_ext_thread_make(nothing, NULL, NULL, false, &one));
  CHECK(atomic_load(&creations) == before + 1);
  OK(weft_ext_dispatch(one));
  OK(weft_ext_thread_wait(one));
  OK(weft_ext_thread_revive(one, nothing, NULL));
  CHECK(atomic_load(&creations) == before + 2);
  OK(weft_ext_dispatch(one));
  OK(weft_thread_join(one));
  OK(weft_ext_thread_make_in(NULL, nothing, WEFT_MAKE_TASKLET, &one));
  CHECK(atomic_load(&creations) == before + 3);
  weft_ext_thread_discard(one);
  CHECK(atomic_load(&creations) == before + 3);
}

static void count_creations(void *unused, weft_event_kind kind, weft_thread *thread) {
  CHECK(unused == NULL && thread != NULL);
  if (kind == WEFT_ON_CREATE) atomic_fetch_add(&creations, 1);
}

static void sees_owned_units(void) {
  OK(weft_ext_set_event_sink(count_creations, NULL));
  with_workers("event sink and owned units", 1, owned_units_are_told_of);
  OK(weft_ext_set_event_sink(NULL, NULL));
}

static void sees_events(void) {
  for (unsigned workers = 1; workers <= 3; ++workers) {
    for (int kind = 0; kind <= WEFT_ON_STEAL; ++kind) atomic_store(&seen[kind], 0);
    OK(weft_ext_set_event_sink(note_event, (void *)&seen));
    with_workers("event sink", workers, all_kinds_happen);
    check_counts(workers);
  }
  OK(weft_ext_set_event_sink(NULL, NULL));
  const int created = atomic_load(&seen[WEFT_ON_CREATE]);
  with_workers("no event sink", 2, all_kinds_happen);
  CHECK(atomic_load(&seen[WEFT_ON_CREATE]) == created);
}

/* Set while the runtime runs, a sink hears of what goes through a pool. */
static atomic_int heard[WEFT_ON_STEAL + 1];
static void hear(void *state, weft_event_kind kind, weft_thread *thread) {
  CHECK(state == (void *)&heard);
  CHECK(thread != NULL);
  atomic_fetch_add(&heard[kind], 1);
}

static void sleep_a_little(void *argument) {
  (void)argument;
  OK(weft_sleep_ns(1000));
}

static void run_in_pool(weft_pool *pool) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  weft_thread *thread;
  OK(weft_thread_create(sleep_a_little, NULL, &attr, &thread));
  OK(weft_thread_join(thread));
}

static void sink_comes_and_goes(void) {
  weft_pool *pool;
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  OK(weft_pool_attach(pool, 0));
  run_in_pool(pool);
  CHECK(atomic_load(&heard[WEFT_ON_PARK]) == 0);
  for (int time = 1; time <= 3; ++time) {
    OK(weft_ext_set_event_sink(hear, (void *)&heard));
    run_in_pool(pool);
    CHECK(atomic_load(&heard[WEFT_ON_PARK]) >= time);
    CHECK(atomic_load(&heard[WEFT_ON_READY]) >= 2 * time);
    OK(weft_ext_set_event_sink(NULL, NULL));
  }
  const int parked = atomic_load(&heard[WEFT_ON_PARK]);
  run_in_pool(pool);
  CHECK(atomic_load(&heard[WEFT_ON_PARK]) == parked);
  OK(weft_pool_detach(pool, 0));
  OK(weft_pool_destroy(pool));
}

/* A caller that waits for many threads is woken for few of them: of 64, the worker runs one that
 * has waited longest, for which the caller waits. */
static void few_waits_join_many(void) {
  enum { THREADS = 100 };
  weft_thread *threads[THREADS];
  OK(weft_thread_create_many(nothing, NULL, 0, THREADS, NULL, threads));
  const int before = atomic_load(&heard[WEFT_ON_PARK]);
  OK(weft_thread_join_many(threads, THREADS));
  CHECK(atomic_load(&heard[WEFT_ON_PARK]) - before <= 4);
}

static void sink_is_set_while_running(void) { with_workers("event sink while running", 1, sink_comes_and_goes); }

/* A sink that keeps a lock of its own which a forker wants: here it waits until the forker has
 * used every way to its forks. */
static atomic_int is_armed, is_in_sink, has_passed;
static void hold_thief(void *state, weft_event_kind kind, weft_thread *thread) {
  (void)state;
  (void)thread;
  if (kind != WEFT_ON_CREATE || weft_worker_self() == 0 || atomic_exchange(&is_armed, 0) == 0) return;
  atomic_store(&is_in_sink, 1);
  while (atomic_load(&has_passed) == 0) sched_yield();
}

static atomic_int has_run;
static void tell_run(void *work) {
  (void)work;
  atomic_store(&has_run, 1);
}

/* A fork that a thief takes. One that the forker gives to a worker that searches is told on the
 * forker's worker. */
static weft_forked *fork_for_thief(char *nothing_to_carry) {
  const struct timespec until_it_sleeps = {0, 2000000};
  for (;;) {
    atomic_store(&has_run, 0);
    atomic_store(&is_armed, 1);
    weft_forked *taken = weft_fork(tell_run, nothing_to_carry, 1);
    while (atomic_load(&is_in_sink) == 0 && atomic_load(&has_run) == 0) sched_yield();
    if (atomic_load(&is_in_sink) != 0) return taken;
    weft_fork_join(taken, tell_run, nothing_to_carry, 1);
    nanosleep(&until_it_sleeps, NULL);
  }
}

static void forks_meanwhile(void) {
  char nothing_to_carry = 0;
  weft_forked *taken = fork_for_thief(&nothing_to_carry);
  weft_forked *one = weft_fork(nothing_of, &nothing_to_carry, 1);
  weft_forked *other = weft_fork(nothing_of, &nothing_to_carry, 1);
  weft_fork_join(one, nothing_of, &nothing_to_carry, 1); /* out of order */
  weft_fork_join(other, nothing_of, &nothing_to_carry, 1);
  atomic_store(&has_passed, 1);
  weft_fork_join(taken, tell_run, &nothing_to_carry, 1);
}

static void sink_may_wait_for_a_forker(void) {
  OK(weft_ext_set_event_sink(hold_thief, NULL));
  with_workers("slow event sink", 2, forks_meanwhile);
  OK(weft_ext_set_event_sink(NULL, NULL));
}

int main(void) {
  reserves();
  registers();
  for (unsigned workers = 1; workers <= 3; workers += 2) {
    with_workers("extension bytes", workers, every_unit_has_bytes);
    with_workers("carried bytes", workers, bytes_follow_their_thread);
  }
  provides_stacks();
  sees_events();
  sees_owned_units();
  sink_is_set_while_running();
  OK(weft_ext_set_event_sink(hear, (void *)&heard));
  with_workers("few waits for many", 1, few_waits_join_many);
  OK(weft_ext_set_event_sink(NULL, NULL));
  sink_may_wait_for_a_forker();
  return 0;
}
