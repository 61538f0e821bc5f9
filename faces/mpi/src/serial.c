/* See serial.h. The lock is a semaphore, since a ULT may leave it on another OS thread than that on
 * which it took it, if a callback of the program waits for another thread. */
#include "serial.h"

#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <weft/hot.h>
#include <weft/weft.h>

#define TRIES 100u /* before others may run */
#define YIELDS 20u /* before the caller sleeps */
#define LEAST_SLEEP_NS 10000u
#define MOST_SLEEP_NS 1000000u

bool mpi_is_serial;

static void (*warn_of_os_thread)(void); /* set before calls go one at a time */
static bool funnels;                    /* atomic */
/* Whether this OS thread called MPI_Init: the MPI is asked once. */
static __thread enum { UNKNOWN, IS_OF_START, IS_ANOTHER } own_place;
static sem_t turns;
static const void *holder; /* atomic */
static unsigned depth;     /* the holder's */
static bool has_moved;     /* the holder is a ULT that is pinned for its turn */

void prepare_turns(void) { sem_init(&turns, 0, 1); }

void serialize_calls(bool is_funneled, void (*warn)(void)) {
  warn_of_os_thread = warn;
  __atomic_store_n(&funnels, is_funneled, __ATOMIC_RELAXED);
  __atomic_store_n(&mpi_is_serial, true, __ATOMIC_RELAXED);
}

bool is_funneled(void) { return __atomic_load_n(&funnels, __ATOMIC_RELAXED); }

static bool is_thread_of_start(void) {
  int flag = 0;
  return PMPI(Is_thread_main)(&flag) == MPI_SUCCESS && flag != 0;
}

/* Not inlined: the caller may have changed its OS thread since it asked last. */
__attribute__((noinline)) bool may_call_here(void) {
  __asm__ volatile("");
  if (!is_funneled()) return true;
  if (own_place == UNKNOWN) own_place = is_thread_of_start() ? IS_OF_START : IS_ANOTHER;
  return own_place == IS_OF_START;
}

/* A fork that another worker took has its forker's identity, but a name of its own here. */
static const void *own_name(void) {
  static __thread char of_os_thread;
  const weft_thread *const self = weft_hot_known_self();
  return self == NULL ? (const void *)&of_os_thread : (const void *)self;
}

/* Only the caller itself writes its name there. */
static bool is_holder(const void *name) { return __atomic_load_n(&holder, __ATOMIC_RELAXED) == name; }

bool is_in_call(void) { return is_serial() && is_holder(own_name()); }

static bool try_as(const void *name) {
  if (is_holder(name)) {
    ++depth;
    return true;
  }
  if (sem_trywait(&turns) != 0) return false;
  __atomic_store_n(&holder, name, __ATOMIC_RELAXED);
  depth = 1;
  return true;
}

bool try_turn(void) { return try_as(own_name()); }

/* A ULT sleeps outside its worker, so that others run, and an OS thread in the kernel; what can do
 * neither waits until the semaphore is free. */
static bool wait_for_turn(const void *name, unsigned round, uint64_t *sleep_ns) {
  if (round < TRIES) {
    if (round % 10u == 9u) sched_yield();
    return true;
  }
  if (round < TRIES + YIELDS) {
    weft_yield();
    return true;
  }
  const bool sleeps = weft_sleep_ns(*sleep_ns) == WEFT_OK;
  if (*sleep_ns < MOST_SLEEP_NS) *sleep_ns *= 2;
  if (sleeps) return true;
  while (sem_wait(&turns) != 0 && errno == EINTR) {
  }
  __atomic_store_n(&holder, name, __ATOMIC_RELAXED);
  depth = 1;
  return false;
}

static void wait_until_turn(void) {
  uint64_t sleep_ns = LEAST_SLEEP_NS;
  for (unsigned round = 0; !try_as(own_name()); ++round) {
    if (!wait_for_turn(own_name(), round, &sleep_ns)) return;
  }
}

/* Worker 0 runs on the OS thread that called weft_init, in most programs that of MPI_Init. */
static bool go_to_first_worker(void) { return !may_call_here() && weft_pin(0) == WEFT_OK; }

/* The wait may have led an unpinned caller to another worker. */
static bool must_go(void) { return depth == 1 && !may_call_here(); }

void take_turn(void) {
  bool moved = !is_holder(own_name()) && go_to_first_worker();
  wait_until_turn();
  if (!moved && must_go()) {
    end_turn();
    moved = go_to_first_worker();
    wait_until_turn();
  }
  if (depth == 1) has_moved = moved;
  if (must_go()) warn_of_os_thread();
}

void warn_if_elsewhere(void) {
  if (!may_call_here()) warn_of_os_thread();
}

void end_turn(void) {
  if (--depth != 0) return;
  const bool moved = has_moved;
  has_moved = false;
  __atomic_store_n(&holder, NULL, __ATOMIC_RELAXED);
  sem_post(&turns);
  if (moved && weft_pin(WEFT_ANY_WORKER) != WEFT_OK) return; /* a ULT that was pinned can be unpinned */
}
