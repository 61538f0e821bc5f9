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

static sem_t turns;
static const void *holder; /* atomic */
static unsigned depth;     /* the holder's */

void prepare_turns(void) { sem_init(&turns, 0, 1); }

void serialize_calls(void) { __atomic_store_n(&mpi_is_serial, true, __ATOMIC_RELAXED); }

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

void take_turn(void) {
  uint64_t sleep_ns = LEAST_SLEEP_NS;
  for (unsigned round = 0; !try_as(own_name()); ++round) {
    if (!wait_for_turn(own_name(), round, &sleep_ns)) return;
  }
}

void end_turn(void) {
  if (--depth != 0) return;
  __atomic_store_n(&holder, NULL, __ATOMIC_RELAXED);
  sem_post(&turns);
}
