/* See engine.h. Threads that park push their records onto a stack, `arrivals`. The engine takes
 * them from there into a queue of its own, which only the holder of `is_held` touches. It asks for a
 * slice of the queue from its front; what is not complete goes to the back.
 *
 * The source is one in which an idle worker sleeps: it asks again after 1, 2, 4 ... microseconds, up
 * to WEFT_MPI_POLL, spinning first and sleeping from some length on. It belongs to one life of the
 * runtime, so its address lies in a word of worker 0, which is 0 when a life begins.
 *
 * Tried: MPI_Testsome over all requests. It is cheaper per request, but completes them in the
 * engine's name, and MPICH 4.0 then calls the error handler of MPI_COMM_WORLD, whatever that of the
 * communicator is. */
#include "engine.h"

#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "describe.h"
#include "errors.h"
#include "real.h"
#include "settings.h"

#define TESTS_A_POLL 16u      /* of a worker that has other work */
#define LEAST_SLEEP_NS 16000u /* shorter pauses spin */
#define DESCRIBED_AFTER_NS 10000000u

static struct {
  unsigned word; /* of weft_ext_worker_word */
  bool has_word;

  mpi_wait *arrivals; /* atomic; the newest first */
  uint32_t sleeps;    /* atomic: a worker is about to sleep, or sleeps, on it; also the futex */
  uint32_t is_rung;   /* atomic: wake was called */
  unsigned parked;    /* atomic: threads */
  unsigned calls;     /* atomic: that have parked, and are not ended */

  uint32_t is_held; /* atomic; guards what follows */
  mpi_wait *first, *last;
  unsigned queued;
  mpi_wait *complete;  /* found, and not yet made ready; the newest first */
  uint64_t changed_ns; /* the last completion, report, or arrival in an empty queue */
} engine;

static __thread bool is_inside; /* this OS thread holds engine.is_held */

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool try_enter(void) {
  if (__atomic_exchange_n(&engine.is_held, 1, __ATOMIC_ACQUIRE) != 0) return false;
  return is_inside = true;
}

static void leave(void) {
  is_inside = false;
  __atomic_store_n(&engine.is_held, 0, __ATOMIC_RELEASE); /* pairs with try_enter */
}

static void enter(void) {
  while (!try_enter()) sched_yield();
}

/* ---- inside -------------------------------------------------------------------------------- */

static void push_back(mpi_wait *one) {
  one->next = NULL;
  if (engine.first == NULL) {
    engine.first = one;
  } else {
    engine.last->next = one;
  }
  engine.last = one;
  ++engine.queued;
}

static mpi_wait *pop_front(void) {
  mpi_wait *const one = engine.first;
  engine.first = one->next;
  --engine.queued;
  return one;
}

static void take_arrivals(uint64_t now) {
  /* acquire: sees the records; pairs with `enlist` */
  mpi_wait *newest = __atomic_exchange_n(&engine.arrivals, NULL, __ATOMIC_SEQ_CST);
  mpi_wait *oldest = NULL;
  if (newest == NULL) return;
  if (engine.first == NULL) engine.changed_ns = now;
  while (newest != NULL) {
    mpi_wait *const next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  while (oldest != NULL) {
    mpi_wait *const next = oldest->next;
    push_back(oldest);
    oldest = next;
  }
}

/* An error is for the thread, which gets it from the MPI when it completes the request. */
bool is_request_complete(MPI_Request request) {
  int flag = 0;
  const bool before = return_errors(true);
  const int error = PMPI(Request_get_status)(request, &flag, MPI_STATUS_IGNORE);
  return_errors(before);
  return error != MPI_SUCCESS || flag != 0;
}

static bool is_message_there(const mpi_wait *one) {
  int flag = 0;
  const bool before = return_errors(true);
  const int error = PMPI(Iprobe)(one->peer, one->tag, one->comm, &flag, MPI_STATUS_IGNORE);
  return_errors(before);
  return error != MPI_SUCCESS || flag != 0;
}

static bool is_complete(mpi_wait *one, unsigned *tests) {
  switch (one->kind) {
    case WAITS_FOR_MESSAGE: ++*tests; return is_message_there(one);
    case WAITS_FOR_ANY:
      for (int i = 0; i < one->count; ++i) {
        ++*tests;
        if (is_request_complete(one->requests[i])) return true;
      }
      return false;
    default:
      for (; one->completed < one->count; ++one->completed) {
        ++*tests;
        if (!is_request_complete(one->requests[one->completed])) return false;
      }
      return true;
  }
}

/* Asks for as many of the queue as `most` tests allow; returns whether calls are complete. */
static bool look(unsigned most, uint64_t now) {
  unsigned tests = 0;
  take_arrivals(now);
  for (unsigned left = engine.queued; left != 0 && tests < most; --left) {
    mpi_wait *const one = pop_front();
    if (is_complete(one, &tests)) {
      one->next = engine.complete;
      engine.complete = one;
      engine.changed_ns = now;
      continue;
    }
    if (!one->is_described && now - one->since_ns > DESCRIBED_AFTER_NS) describe_wait(one);
    push_back(one);
  }
  return engine.complete != NULL;
}

static void report_stall(uint64_t now) {
  const uint64_t stall_ns = mpi_settings()->stall_ns;
  if (engine.queued == 0 || stall_ns == 0 || now - engine.changed_ns < stall_ns) return;
  report_stalled_calls(engine.first, engine.queued, now, now - engine.changed_ns);
  engine.changed_ns = now;
}

/* In the order in which the MPI told of them. */
static mpi_wait *take_complete(void) {
  mpi_wait *found = NULL;
  while (engine.complete != NULL) {
    mpi_wait *const one = engine.complete;
    engine.complete = one->next;
    one->next = found;
    found = one;
  }
  return found;
}

/* ---- the source ------------------------------------------------------------------------------ */

static weft_source *current_source(void) {
  uint64_t *const word = engine.has_word ? weft_ext_worker_word(0, engine.word) : NULL;
  return word == NULL ? NULL : (weft_source *)(uintptr_t)__atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static size_t make_ready(mpi_wait *found) {
  size_t count = 0;
  while (found != NULL) {
    mpi_wait *const next = found->next; /* its thread may run, and the record be gone */
    weft_thread *const thread = found->thread;
    weft_ext_unpark(thread);
    ++count;
    found = next;
  }
  if (count == 0) return 0;
  __atomic_fetch_sub(&engine.parked, (unsigned)count, __ATOMIC_RELAXED);
  weft_ext_source_expect(current_source(), -(int)count);
  return count;
}

static bool has_parked(void) { return __atomic_load_n(&engine.parked, __ATOMIC_RELAXED) != 0; }

static size_t poll_engine(void *state) {
  (void)state;
  if (!has_parked() || !try_enter()) return 0;
  const uint64_t now = now_ns();
  mpi_wait *found = NULL;
  if (look(TESTS_A_POLL, now)) {
    found = take_complete();
  } else {
    report_stall(now);
  }
  leave();
  return make_ready(found);
}

static bool finds_complete(void) {
  if (!has_parked() || !try_enter()) return false;
  const uint64_t now = now_ns();
  const bool found = look(engine.queued + TESTS_A_POLL, now);
  if (!found) report_stall(now);
  leave();
  return found;
}

static void spin_until(uint64_t end_ns) {
  while (now_ns() < end_ns && __atomic_load_n(&engine.arrivals, __ATOMIC_RELAXED) == NULL &&
         __atomic_load_n(&engine.is_rung, __ATOMIC_RELAXED) == 0) {
    sched_yield();
  }
}

static void sleep_until(uint64_t now, uint64_t end_ns) {
  const uint64_t pause_ns = end_ns == WEFT_FOREVER ? 3600000000000u : end_ns - now;
  const struct timespec pause = {.tv_sec = (time_t)(pause_ns / 1000000000u), .tv_nsec = (long)(pause_ns % 1000000000u)};
  /* Those that ring write their word first, and then look at this one. */
  __atomic_store_n(&engine.sleeps, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&engine.arrivals, __ATOMIC_SEQ_CST) == NULL && __atomic_load_n(&engine.is_rung, __ATOMIC_SEQ_CST) == 0) {
    syscall(SYS_futex, &engine.sleeps, FUTEX_WAIT_PRIVATE, 1, &pause, NULL, 0);
  }
  __atomic_store_n(&engine.sleeps, 0, __ATOMIC_RELAXED);
}

static void end_sleep(void) {
  if (__atomic_load_n(&engine.sleeps, __ATOMIC_SEQ_CST) == 0) return;
  __atomic_store_n(&engine.sleeps, 0, __ATOMIC_RELAXED);
  syscall(SYS_futex, &engine.sleeps, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void wait_in_engine(void *state, uint64_t deadline_ns) {
  uint64_t pause_ns = 1000;
  (void)state;
  while (__atomic_exchange_n(&engine.is_rung, 0, __ATOMIC_SEQ_CST) == 0 && !finds_complete()) {
    const uint64_t now = now_ns();
    if (now >= deadline_ns) return;
    uint64_t end_ns = has_parked() ? now + pause_ns : WEFT_FOREVER;
    if (end_ns > deadline_ns) end_ns = deadline_ns;
    if (end_ns - now < LEAST_SLEEP_NS) {
      spin_until(end_ns);
    } else {
      sleep_until(now, end_ns);
    }
    pause_ns = 2 * pause_ns < mpi_settings()->poll_ns ? 2 * pause_ns : mpi_settings()->poll_ns;
  }
}

static void wake_engine(void *state) {
  (void)state;
  __atomic_store_n(&engine.is_rung, 1, __ATOMIC_SEQ_CST);
  end_sleep();
}

void prepare_engine(void) { engine.has_word = weft_ext_worker_reserve(&engine.word) == WEFT_OK; }

/* By one caller at a time; a runtime ends only after its threads. */
static bool add_source(uint64_t *word) {
  static const weft_source_ops ops = {sizeof ops, poll_engine, wait_in_engine, wake_engine};
  bool has_source = true;
  enter();
  if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0) {
    weft_source *source = NULL;
    has_source = weft_ext_source_add_with(&ops, NULL, &source) == WEFT_OK;
    __atomic_store_n(word, (uint64_t)(uintptr_t)source, __ATOMIC_RELEASE); /* pairs with current_source */
  }
  leave();
  return has_source;
}

bool has_engine(void) {
  if (!engine.has_word) return false;
  uint64_t *const word = weft_ext_worker_word(0, engine.word);
  if (word == NULL) return false;
  return __atomic_load_n(word, __ATOMIC_ACQUIRE) != 0 || add_source(word);
}

/* ---- parking --------------------------------------------------------------------------------- */

static bool enlist(weft_thread *self, void *argument) {
  mpi_wait *const one = argument;
  one->thread = self;
  mpi_wait *newest = __atomic_load_n(&engine.arrivals, __ATOMIC_RELAXED);
  do {
    one->next = newest;
    /* release: publishes the record; pairs with take_arrivals */
  } while (!__atomic_compare_exchange_n(&engine.arrivals, &newest, one, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  end_sleep();
  return true;
}

void park_until_complete(mpi_wait *wait) {
  unsigned tests = 0;
  wait->completed = 0;
  wait->has_parked = false;
  if (is_complete(wait, &tests)) return;
  wait->has_parked = true;
  wait->is_described = false;
  wait->since_ns = now_ns();
  strncpy(wait->text, wait->call, sizeof wait->text - 1);
  wait->text[sizeof wait->text - 1] = 0;
  __atomic_fetch_add(&engine.calls, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&engine.parked, 1, __ATOMIC_RELAXED);
  weft_ext_source_expect(current_source(), 1);
  const weft_status result = weft_ext_park(enlist, wait, wait->text);
  (void)result; /* the caller is a ULT */
}

void end_wait(const mpi_wait *wait) {
  /* release: MPI_Finalize comes after the call; pairs with parked_calls */
  if (wait->has_parked) __atomic_fetch_sub(&engine.calls, 1, __ATOMIC_RELEASE);
}

unsigned parked_calls(void) { return __atomic_load_n(&engine.calls, __ATOMIC_ACQUIRE); }

void report_parked_calls(void) {
  enter();
  const uint64_t now = now_ns();
  take_arrivals(now);
  report_calls(engine.first, engine.queued, now);
  leave();
}

void forget_communicator(MPI_Comm comm) {
  if (!has_parked() || is_inside) return;
  enter();
  take_arrivals(now_ns());
  for (mpi_wait *one = engine.first; one != NULL; one = one->next) {
    if (!one->has_comm || one->comm != comm || one->is_described) continue;
    describe_wait(one);
  }
  leave();
}
