/* See engine.h, arrivals.h for what OS threads share, and pollers.h for callers that poll. Threads
 * that park push their records onto a stack. The engine takes them from there into a queue of its
 * own, which only its holder touches. It asks for a slice of the queue from its front; what is not
 * complete goes to the back.
 *
 * A thread that is alone in waiting spins for a while before it parks: the worker would have
 * nothing else to do, and a message that is under way comes within microseconds.
 *
 * The source is one in which an idle worker sleeps: it asks again after an eighth of the time for
 * which there has been no news, at most after WEFT_MPI_POLL, spinning first and sleeping from some
 * length on. News are completions, arrivals, and tests that take long: those move parts of a long
 * message, which would crawl if the next part had to wait. The source belongs to one life of the
 * runtime, so its address lies in a word of worker 0, which is 0 when a life begins.
 *
 * Tried: MPI_Testsome over all requests. It is cheaper per request, but completes them in the
 * engine's name, and MPICH 4.0 then calls the error handler of MPI_COMM_WORLD, whatever that of the
 * communicator is. */
#include "engine.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "arrivals.h"
#include "describe.h"
#include "errors.h"
#include "faults.h"
#include "pollers.h"
#include "real.h"
#include "serial.h"
#include "settings.h"
#include "texts.h"
#include "wait_name.h"
#include "waited.h"

#define TESTS_A_POLL 16u      /* of a worker that has other work */
#define LEAST_SLEEP_NS 16000u /* shorter pauses spin */
#define LEAST_PAUSE_NS 1000u
#define PAUSES_BY_QUIET 8u /* the part of the quiet time that a pause takes */
#define LONG_TEST_NS 2000u /* such a test has moved data */
#define LONGEST_SLEEP_NS 3600000000000u
#define DESCRIBED_AFTER_NS 10000000u

#define SPINS_NS 50000u /* of a thread that is alone in waiting */
#define TESTS_A_TURN 8u /* of a thread that spins, between looks at what else there is to do */

static struct {
  unsigned word; /* of weft_ext_worker_word */
  bool has_word;

  mpi_arrivals shared;
  unsigned parked;  /* atomic: threads */
  bool has_spinner; /* atomic */

  /* Its holder's. */
  mpi_wait *first, *last;
  unsigned queued;
  mpi_wait *complete;  /* found, and not yet made ready; the newest first */
  uint64_t changed_ns; /* the last completion, report, or arrival in an empty queue */
  uint64_t news_ns;    /* the last completion, arrival, or long test */
} engine;

static __thread bool is_inside; /* this OS thread holds the engine */
static __thread bool has_turn;  /* and with it a turn in the MPI */
static __thread bool must_ask;  /* no other OS thread would */

/* Inside, calls of MPI need no turn of their own: waiting for one might switch. */
static bool try_enter(void) {
  if (!(may_call_here() || must_ask) || !hold_arrivals(&engine.shared)) return false;
  has_turn = is_serial();
  if (has_turn && !try_turn()) {
    let_arrivals_go(&engine.shared);
    return false;
  }
  return is_inside = true;
}

static void leave(void) {
  const bool is_taken = has_turn;
  is_inside = false;
  let_arrivals_go(&engine.shared);
  leave_turn(is_taken);
}

static void enter(void) {
  const bool is_taken = begin_turn(); /* may switch, so it comes first */
  while (!hold_arrivals(&engine.shared)) sched_yield();
  has_turn = is_taken;
  is_inside = true;
}

/* ---- inside -------------------------------------------------------------------------------- */

static void push_back(mpi_wait *one) {
  one->link.next = NULL;
  if (engine.first == NULL) {
    engine.first = one;
  } else {
    engine.last->link.next = &one->link;
  }
  engine.last = one;
  ++engine.queued;
}

static mpi_wait *pop_front(void) {
  mpi_wait *const one = engine.first;
  engine.first = next_of(one);
  --engine.queued;
  return one;
}

static void take_arrivals(uint64_t now) {
  mpi_link *one = take_arrivals_in_order(&engine.shared);
  if (one == NULL) return;
  if (engine.first == NULL) engine.changed_ns = now;
  engine.news_ns = now;
  while (one != NULL) {
    mpi_link *const next = one->next;
    push_back((mpi_wait *)one);
    one = next;
  }
}

/* An error is for the thread, which gets it from the MPI when it completes the request. */
bool is_request_complete(MPI_Request request) {
  int flag = 0;
  const bool is_taken = begin_turn(); /* may switch, so it comes first */
  const bool before = return_errors(true);
  const int error = CALL(Request_get_status, request, &flag, MPI_STATUS_IGNORE);
  const bool has_passed = has_passed_error();
  const bool has_ended = error != MPI_SUCCESS || flag != 0 || has_passed || has_failed(request);
  return_errors(before);
  leave_turn(is_taken);
  return has_ended;
}

/* MPI_Waitall returns once one of its requests has failed: the others may never end. */
static bool has_failed_request(const mpi_wait *one) {
  if (!one->is_of_program || !tells_faults()) return false;
  for (int i = one->completed + 1; i < one->count; ++i) {
    if (has_failed(one->requests[i])) return true;
  }
  return false;
}

static bool is_message_there(const mpi_wait *one) {
  int flag = 0;
  const bool is_taken = begin_turn();
  const bool before = return_errors(true);
  const int error = CALL(Iprobe, one->peer, one->tag, one->comm, &flag, MPI_STATUS_IGNORE);
  const bool has_passed = has_passed_error();
  return_errors(before);
  leave_turn(is_taken);
  return error != MPI_SUCCESS || flag != 0 || has_passed;
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
        if (!is_request_complete(one->requests[one->completed])) return has_failed_request(one);
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
      one->link.next = (mpi_link *)engine.complete; /* its first member; may be null */
      engine.complete = one;
      engine.changed_ns = engine.news_ns = now;
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
    engine.complete = next_of(one);
    one->link.next = (mpi_link *)found;
    found = one;
  }
  return found;
}

/* ---- the source ------------------------------------------------------------------------------ */

static weft_source *current_source(void) {
  uint64_t *const word = engine.has_word ? weft_ext_worker_word(0, engine.word) : NULL;
  return word == NULL ? NULL : (weft_source *)(uintptr_t)read_source(word);
}

static size_t make_ready(mpi_wait *found) {
  size_t count = 0;
  while (found != NULL) {
    mpi_wait *const next = next_of(found); /* its thread may run, and the record be gone */
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

static uint64_t pause_after(uint64_t quiet_ns) {
  const uint64_t pause_ns = quiet_ns / PAUSES_BY_QUIET;
  const uint64_t most_ns = mpi_settings()->poll_ns;
  if (pause_ns > most_ns) return most_ns;
  return pause_ns < LEAST_PAUSE_NS ? LEAST_PAUSE_NS : pause_ns;
}

/* Whether the MPI moves parts of a message. A first test may take long because the process has
 * slept. */
static bool is_moving(uint64_t now) {
  unsigned tests = 0;
  if (engine.first == NULL || now - engine.news_ns < SPINS_NS || now_ns() - now < LONG_TEST_NS) return false;
  const uint64_t again = now_ns();
  is_complete(engine.first, &tests);
  return now_ns() - again > LONG_TEST_NS * tests;
}

/* *pause_ns: until it is worth while to ask again. */
static bool finds_complete(uint64_t *pause_ns) {
  *pause_ns = LEAST_PAUSE_NS;
  if (!has_parked()) return false;
  if (!try_enter()) {
    if (is_serial()) *pause_ns = 2 * LEAST_SLEEP_NS;
    if (!may_call_here() && !must_ask) *pause_ns = LONGEST_SLEEP_NS; /* a thread of the first worker asks */
    return false;
  }
  const uint64_t now = now_ns();
  const bool found = look(engine.queued + TESTS_A_POLL, now);
  if (!found) report_stall(now);
  if (!found && is_moving(now)) engine.news_ns = now;
  *pause_ns = pause_after(now - engine.news_ns);
  leave();
  return found;
}

static void spin_until(uint64_t end_ns) {
  while (now_ns() < end_ns && !has_arrivals(&engine.shared) && !is_rung(&engine.shared)) sched_yield();
}

static void wait_in_engine(void *state, uint64_t deadline_ns) {
  uint64_t pause_ns = 0;
  (void)state;
  while (!take_ring(&engine.shared) && !finds_complete(&pause_ns)) {
    const uint64_t now = now_ns();
    if (now >= deadline_ns) return;
    uint64_t end_ns = has_parked() ? now + pause_ns : WEFT_FOREVER;
    if (end_ns > deadline_ns) end_ns = deadline_ns;
    if (end_ns - now < LEAST_SLEEP_NS) {
      spin_until(end_ns);
    } else {
      sleep_in_engine(&engine.shared, end_ns == WEFT_FOREVER ? LONGEST_SLEEP_NS : end_ns - now);
    }
  }
}

static void wake_engine(void *state) {
  (void)state;
  ring_engine(&engine.shared);
}

void prepare_engine(void) { engine.has_word = weft_ext_worker_reserve(&engine.word) == WEFT_OK; }

/* By one caller at a time; a runtime ends only after its threads. */
static bool add_source(uint64_t *word) {
  static const weft_source_ops ops = {sizeof ops, poll_engine, wait_in_engine, wake_engine};
  bool has_source = true;
  enter();
  if (read_source(word) == 0) {
    weft_source *source = NULL;
    has_source = weft_ext_source_add_with(&ops, NULL, &source) == WEFT_OK;
    publish_source(word, (uint64_t)(uintptr_t)source);
  }
  leave();
  return has_source;
}

bool has_engine(void) {
  if (!engine.has_word) return false;
  uint64_t *const word = weft_ext_worker_word(0, engine.word);
  if (word == NULL) return false;
  return read_source(word) != 0 || add_source(word);
}

/* ---- parking --------------------------------------------------------------------------------- */

static bool enlist(weft_thread *self, void *argument) {
  mpi_wait *const one = argument;
  one->thread = self;
  push_arrival(&engine.shared, &one->link);
  return true;
}

/* Others of this worker run meanwhile. Returns whether the wait is over. */
static bool spin_until_complete(mpi_wait *wait) {
  const uint64_t end_ns = now_ns() + SPINS_NS;
  bool is_over = false;
  unsigned tests = 0;
  do {
    weft_yield();
    for (unsigned i = 0; i < TESTS_A_TURN && !is_over; ++i) is_over = is_complete(wait, &tests);
  } while (!is_over && !has_parked() && now_ns() < end_ns);
  return is_over;
}

/* At most about one thread of the process does so at a time. */
static bool is_over_soon(mpi_wait *wait) {
  if (has_parked() || __atomic_load_n(&engine.has_spinner, __ATOMIC_RELAXED)) return false;
  __atomic_store_n(&engine.has_spinner, true, __ATOMIC_RELAXED);
  const bool is_over = spin_until_complete(wait);
  __atomic_store_n(&engine.has_spinner, false, __ATOMIC_RELAXED);
  return is_over;
}

/* ---- callers that poll ----------------------------------------------------------------------- */

static void report_own_poll(mpi_wait *wait, uint64_t now) {
  enter();
  report_poller(wait, now);
  leave();
}

static void prepare_report(mpi_wait *wait) {
  static char without_memory[] = "MPI";
  wait->since_ns = now_ns();
  wait->text = take_text(wait->call);
  wait->is_described = wait->text == NULL;
  if (wait->text == NULL) wait->text = without_memory;
}

static void end_report(mpi_wait *wait) {
  if (wait->text[3] != 0) give_text_back(wait->call, wait->text);
}

static void rest(uint64_t quiet_ns) {
  const uint64_t pause_ns = pause_after(quiet_ns);
  const struct timespec pause = {(time_t)(pause_ns / 1000000000u), (long)(pause_ns % 1000000000u)};
  if (quiet_ns < SPINS_NS) {
    sched_yield();
  } else {
    nanosleep(&pause, NULL);
  }
}

static void poll(mpi_wait *wait) {
  const uint64_t stall_ns = mpi_settings()->stall_ns;
  uint64_t told_ns = 0; /* of the wait */
  unsigned tests = 0;
  prepare_report(wait);
  add_poller(wait);
  do {
    const uint64_t now = now_ns();
    rest(now - wait->since_ns);
    if (stall_ns == 0 || now - wait->since_ns - told_ns < stall_ns) continue;
    told_ns = now - wait->since_ns;
    report_own_poll(wait, now);
  } while (!is_complete(wait, &tests));
  remove_poller(wait);
  end_report(wait);
}

/* ---- where MPI wants one OS thread ----------------------------------------------------------- */

/* A thread that is pinned to the first worker asks for all calls that are parked, and ends with the
 * last of them: the worker that sleeps in the source may be another one. While the OS thread of
 * MPI_Init is in a blocking region of the program, another one runs that worker, and asks. */
static struct {
  pthread_mutex_t lock;
  bool is_there;
} asker = {PTHREAD_MUTEX_INITIALIZER, false};

static bool may_end(void) {
  pthread_mutex_lock(&asker.lock);
  const bool ends = !has_parked();
  if (ends) asker.is_there = false;
  pthread_mutex_unlock(&asker.lock);
  return ends;
}

/* Not inlined: the caller may have changed its OS thread since the last time. */
__attribute__((noinline)) static bool ask_here(uint64_t *pause_ns) {
  must_ask = true;
  const bool found = finds_complete(pause_ns);
  if (found) poll_engine(NULL);
  must_ask = false;
  warn_if_elsewhere();
  return found;
}

static void ask_for_all(void *unused) {
  uint64_t pause_ns = 0;
  (void)unused;
  while (!may_end()) {
    if (ask_here(&pause_ns) || pause_ns < LEAST_SLEEP_NS || weft_sleep_ns(pause_ns) != WEFT_OK) weft_yield();
  }
}

/* The caller counts among those that are parked. Returns false if there is no memory. */
static bool has_asker(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = 0;
  attr.name = "weft-mpi";
  pthread_mutex_lock(&asker.lock);
  if (!asker.is_there) asker.is_there = weft_thread_create(ask_for_all, NULL, &attr, NULL) == WEFT_OK;
  const bool is_there = asker.is_there;
  pthread_mutex_unlock(&asker.lock);
  return is_there;
}

/* ---- parking, once a spin was in vain -------------------------------------------------------- */

static void park(mpi_wait *wait) {
  if (is_over_soon(wait)) return;
  prepare_report(wait);
  __atomic_fetch_add(&engine.parked, 1, __ATOMIC_RELAXED);
  if (is_funneled() && !has_asker()) {
    __atomic_fetch_sub(&engine.parked, 1, __ATOMIC_RELAXED);
    end_report(wait);
    poll(wait);
    return;
  }
  weft_ext_source_expect(current_source(), 1);
  const weft_status result = weft_ext_park(enlist, wait, wait->text);
  (void)result; /* the caller is a ULT */
  weft_ext_trace_note(wait->call, now_ns() - wait->since_ns);
  end_report(wait);
}

void wait_until_complete(mpi_wait *wait, caller_way way) {
  unsigned tests = 0;
  wait->completed = 0;
  wait->is_open = wait->is_listed = false;
  if (way == CALLS_MPI) return;
  if (wait->is_of_program && is_serial()) list_waited(wait); /* the look may let others run */
  if (is_complete(wait, &tests)) return;
  if (wait->is_of_program && !wait->is_listed) list_waited(wait);
  if (wait->is_of_program) note_incomplete(wait, wait->requests[wait->completed]);
  wait->is_open = true;
  begin_call(&engine.shared);
  if (way == PARKS) {
    park(wait);
  } else {
    poll(wait);
  }
}

void end_wait(const mpi_wait *wait) {
  if (wait->is_open) end_call(&engine.shared);
}

unsigned waiting_calls(void) { return open_calls(&engine.shared); }

/* A worker that is about to sleep without a deadline may have seen neither a parked call nor these
 * arrivals. */
static void take_arrivals_of_worker(uint64_t now) {
  if (!has_arrivals(&engine.shared)) return;
  take_arrivals(now);
  ring_engine(&engine.shared);
}

void report_waiting_calls(void) {
  enter();
  const uint64_t now = now_ns();
  take_arrivals_of_worker(now);
  report_calls(engine.first, engine.queued, now);
  report_pollers(now);
  leave();
}

void forget_communicator(MPI_Comm comm) {
  if ((!has_parked() && !is_serial()) || is_inside) return;
  enter();
  take_arrivals_of_worker(now_ns());
  describe_waits_on(engine.first, comm);
  describe_pollers_on(comm);
  leave();
}
