/* Workers that come and go, more workers than CPUs, and the regimes of locality. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "tree.h"

enum { ROUNDS = IS_SLOW ? 2 : 20 };

static void refuses(void) {
  const unsigned count = weft_worker_count();
  IS(WEFT_INVALID, weft_worker_add(NULL));
  IS(WEFT_BUSY, weft_worker_remove(0));
  IS(WEFT_INVALID, weft_worker_remove(count));
  IS(WEFT_INVALID, weft_worker_remove(5000));
  IS(WEFT_INVALID, weft_worker_remove(UINT32_MAX));
  CHECK(weft_worker_count() == count);
}

static void note_worker(void *argument) { atomic_store((atomic_int *)argument, weft_worker_self()); }

static void adds_and_removes(void) {
  const unsigned count = weft_worker_count();
  for (int round = 0; round < ROUNDS; ++round) {
    unsigned index = 12345;
    OK(weft_worker_add(&index));
    CHECK(index != 0 && index != 12345);
    CHECK(weft_worker_count() == count + 1);
    atomic_int ran_on = -1;
    OK(weft_thread_join(start_pinned(note_worker, &ran_on, (int)index)));
    CHECK(atomic_load(&ran_on) == (int)index);
    OK(weft_worker_remove(index));
    CHECK(weft_worker_count() == count);
    IS(WEFT_INVALID, weft_worker_remove(index));
    weft_thread *none = NULL;
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.worker = (int)index;
    IS(WEFT_INVALID, weft_thread_create(nothing, NULL, &attr, &none));
  }
}

static void wait_until_set(void *argument) { wait_for(argument, 1); }

static void pinned_units_keep_it(void) {
  unsigned index;
  OK(weft_worker_add(&index));
  atomic_int may_end = 0;
  weft_thread *pinned = start_pinned(wait_until_set, &may_end, (int)index);
  IS(WEFT_BUSY, weft_worker_remove(index));
  atomic_store(&may_end, 1);
  OK(weft_thread_join(pinned));
  OK(weft_worker_remove(index));
}

struct nomad {
  int home;
  weft_status result;
};

/* A thread ends the very worker that it runs on, and goes on elsewhere. */
static void remove_own_worker(void *argument) {
  struct nomad *self = argument;
  OK(weft_pin(self->home));
  OK(weft_pin(WEFT_ANY_WORKER));
  self->result = weft_worker_remove((unsigned)self->home);
  CHECK(weft_worker_self() != self->home || self->result != WEFT_OK);
}

static void removes_its_own(void) {
  for (int round = 0; round < ROUNDS; ++round) {
    unsigned index;
    OK(weft_worker_add(&index));
    struct nomad self = {(int)index, WEFT_BUSY};
    OK(weft_thread_join(start(remove_own_worker, &self)));
    OK(self.result);
  }
}

/* What the worker had in its queue, others run. */
struct heap {
  atomic_int *count;
  int size;
};

static void fill_queue(void *argument) {
  struct heap *heap = argument;
  for (int i = 0; i < heap->size; ++i) OK(weft_thread_create(add_one, heap->count, NULL, NULL));
}

static void hands_its_queue_over(void) {
  for (int round = 0; round < ROUNDS; ++round) {
    unsigned index;
    OK(weft_worker_add(&index));
    atomic_int count = 0;
    struct heap heap = {&count, IS_SLOW ? 50 : 500};
    OK(weft_thread_join(start_pinned(fill_queue, &heap, (int)index)));
    OK(weft_worker_remove(index));
    wait_for(&count, heap.size);
  }
}

/* ---- under load ---- */

struct load {
  atomic_int stop;
  atomic_long done;
};

static void work(void *argument) {
  struct load *load = argument;
  while (atomic_load(&load->stop) == 0) {
    weft_thread *children[4];
    atomic_int count = 0;
    for (int i = 0; i < 4; ++i) children[i] = start(add_one, &count);
    weft_yield();
    OK(weft_thread_join_many(children, 4));
    CHECK(atomic_load(&count) == 4);
    if (atomic_fetch_add(&load->done, 1) % 16 == 0) OK(weft_sleep_ns(20 * MICROSECOND));
  }
}

static void comes_and_goes_under_load(void) {
  struct load load = {0, 0};
  weft_thread *workers[8];
  for (int i = 0; i < 8; ++i) workers[i] = start(work, &load);
  for (int round = 0; round < ROUNDS; ++round) {
    unsigned added[3];
    for (int i = 0; i < 3; ++i) OK(weft_worker_add(&added[i]));
    const long before = atomic_load(&load.done);
    while (atomic_load(&load.done) < before + 20) breathe();
    for (int i = 0; i < 3; ++i) OK(weft_worker_remove(added[i]));
  }
  atomic_store(&load.stop, 1);
  OK(weft_thread_join_many(workers, 8));
}

/* Workers that were part of the runtime from the beginning go, too; and come back when the
 * runtime ends with some missing. */
static void first_ones_go(void) {
  const unsigned count = weft_worker_count();
  for (unsigned index = 1; index < count; ++index) OK(weft_worker_remove(index));
  CHECK(weft_worker_count() == 1);
  atomic_int ran = 0;
  for (int i = 0; i < 100; ++i) OK(weft_thread_create(add_one, &ran, NULL, NULL));
  wait_for(&ran, 100);
  unsigned index;
  OK(weft_worker_add(&index));
  CHECK(index >= 1 && (index < count || count == 1));
}

static void *add_outside(void *argument) {
  unsigned index;
  OK(weft_worker_add(&index));
  OK(weft_worker_remove(index));
  atomic_store((atomic_int *)argument, 1);
  return NULL;
}

static void from_outside(void) {
  atomic_int is_done = 0;
  pthread_t other;
  CHECK(pthread_create(&other, NULL, add_outside, &is_done) == 0);
  wait_for(&is_done, 1);
  CHECK(pthread_join(other, NULL) == 0);
}

static void all(void) {
  RUN(refuses);
  RUN(adds_and_removes);
  RUN(pinned_units_keep_it);
  RUN(removes_its_own);
  RUN(hands_its_queue_over);
  RUN(comes_and_goes_under_load);
  RUN(from_outside);
  RUN(first_ones_go);
}

/* ---- regimes ---- */

static void grows_a_tree(void) {
  struct tree root = {IS_SLOW ? 4 : 7, 0};
  OK(weft_thread_join(start(grow, &root)));
  CHECK(root.leaves == (IS_SLOW ? 81 : 2187));
}

static void stay_here(void *argument) {
  const int home = weft_worker_self();
  for (int i = 0; i < 100; ++i) {
    weft_yield();
    CHECK(weft_worker_self() == home);
  }
  add_one(argument);
}

/* Without stealing, what is made and yields on a worker stays there; what is woken goes to its
 * waker. */
static void stays_where_it_is_made(void *argument) {
  atomic_int *done = argument;
  const int home = weft_worker_self();
  weft_thread *threads[10];
  for (int i = 0; i < 10; ++i) threads[i] = start(stay_here, done);
  OK(weft_thread_join_many(threads, 10));
  CHECK(weft_worker_self() == home);
}

static void strict_means_strict(void) {
  atomic_int done = 0;
  weft_thread *threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start_pinned(stays_where_it_is_made, &done, i);
  OK(weft_thread_join_many(threads, 3));
  CHECK(atomic_load(&done) == 30);
}

static void regime(const char *name, weft_locality locality, unsigned workers, const char *topology) {
  phase = name;
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.locality = locality;
  config.topology = topology;
  OK(weft_init(&config));
  RUN(grows_a_tree);
  if (locality == WEFT_LOCALITY_STRICT && workers == 3) RUN(strict_means_strict);
  if (locality != WEFT_LOCALITY_STRICT) RUN(comes_and_goes_under_load);
  OK(weft_finalize());
}

/* The OS thread of a worker has its number in its name, for tools such as top and gdb. */
static void note_name(void *argument) {
  char *name = argument;
  CHECK(pthread_getname_np(pthread_self(), name, 16) == 0);
}

static void names_its_os_threads(void) {
  for (unsigned index = 1; index < weft_worker_count(); ++index) {
    char name[16] = "", wanted[16];
    (void)snprintf(wanted, sizeof wanted, "weft-%u", index % 10000);
    OK(weft_thread_join(start_pinned(note_name, name, (int)index)));
    CHECK(strcmp(name, wanted) == 0);
  }
}

static void crowded(void) {
  RUN(names_its_os_threads);
  RUN(grows_a_tree);
}

int main(void) {
  unsigned index;
  IS(WEFT_NOT_INITIALIZED, weft_worker_add(&index));
  IS(WEFT_NOT_INITIALIZED, weft_worker_remove(1));
  with_workers("one worker", 1, all);
  with_workers("four workers", 4, all);
  with_workers("32 workers", 32, crowded);
  regime("strict, one worker", WEFT_LOCALITY_STRICT, 1, NULL);
  regime("strict, three workers", WEFT_LOCALITY_STRICT, 3, NULL);
  regime("domains of the machine", WEFT_LOCALITY_DOMAIN, 3, NULL);
  regime("two domains", WEFT_LOCALITY_DOMAIN, 6, "numa:2 core:4 pu:2");
  regime("near first", WEFT_LOCALITY_STEAL, 6, "numa:2 core:4 pu:2");
  return 0;
}
