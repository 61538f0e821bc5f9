/* Awaiters: each object is set first, waited for first, cancelled, timed out, and gone as soon
 * as ready may know. */
#include "await_support.h"

/* ---- an object of each kind, and how it is set ---- */

union object {
  weft_mutex mutex;
  weft_cond cond;
  weft_semaphore semaphore;
  weft_event event;
  weft_barrier barrier;
  weft_future future;
  weft_rwlock rwlock;
  uint64_t word;
  weft_syncvar var;
  _Atomic uint32_t narrow;
  _Atomic uint64_t wide;
};

static int result; /* what futures hold */

/* As long as the wait for it lasts. */
static void make(union object *one, weft_await_kind kind) {
  memset(one, 0, sizeof *one);
  switch (kind) {
    case WEFT_AWAIT_MUTEX: OK(weft_mutex_lock(&one->mutex)); break;
    case WEFT_AWAIT_BARRIER: OK(weft_barrier_init(&one->barrier, 2)); break;
    case WEFT_AWAIT_FEB_READ:
    case WEFT_AWAIT_FEB_OVERWRITE:
    case WEFT_AWAIT_FEB_TAKE: OK(weft_feb_empty(&one->word)); break;
    case WEFT_AWAIT_FEB_WRITE: one->word = 5; break;
    case WEFT_AWAIT_SYNCVAR_READ:
    case WEFT_AWAIT_SYNCVAR_OVERWRITE:
    case WEFT_AWAIT_SYNCVAR_TAKE: OK(weft_syncvar_empty(&one->var)); break;
    case WEFT_AWAIT_SYNCVAR_WRITE: OK(weft_syncvar_write_f(&one->var, 5)); break;
    case WEFT_AWAIT_RWLOCK_READ:
    case WEFT_AWAIT_RWLOCK_WRITE: OK(weft_rwlock_write_lock(&one->rwlock)); break;
    default: break;
  }
}

/* Ends the wait for it; for a barrier, a condition and a word only if it has begun. */
static void set(union object *one, weft_await_kind kind) {
  bool is_last;
  switch (kind) {
    case WEFT_AWAIT_MUTEX: OK(weft_mutex_unlock(&one->mutex)); break;
    case WEFT_AWAIT_CONDITION: OK(weft_cond_signal(&one->cond)); break;
    case WEFT_AWAIT_SEMAPHORE: OK(weft_semaphore_release(&one->semaphore, 1)); break;
    case WEFT_AWAIT_EVENT: OK(weft_event_set(&one->event)); break;
    case WEFT_AWAIT_BARRIER: OK(weft_barrier_wait(&one->barrier, &is_last)); break;
    case WEFT_AWAIT_FUTURE: OK(weft_future_set(&one->future, &result)); break;
    case WEFT_AWAIT_FEB_READ:
    case WEFT_AWAIT_FEB_OVERWRITE:
    case WEFT_AWAIT_FEB_TAKE: OK(weft_feb_write_f(&one->word, 7)); break;
    case WEFT_AWAIT_FEB_WRITE: OK(weft_feb_empty(&one->word)); break;
    case WEFT_AWAIT_SYNCVAR_READ:
    case WEFT_AWAIT_SYNCVAR_OVERWRITE:
    case WEFT_AWAIT_SYNCVAR_TAKE: OK(weft_syncvar_write_f(&one->var, 7)); break;
    case WEFT_AWAIT_SYNCVAR_WRITE: OK(weft_syncvar_empty(&one->var)); break;
    case WEFT_AWAIT_RWLOCK_READ:
    case WEFT_AWAIT_RWLOCK_WRITE: OK(weft_rwlock_unlock(&one->rwlock)); break;
    case WEFT_AWAIT_WORD_4:
      atomic_store(&one->narrow, 1);
      CHECK(weft_word_wake(&one->narrow, 1) <= 1);
      break;
    case WEFT_AWAIT_WORD_8:
      atomic_store(&one->wide, 1);
      CHECK(weft_word_wake(&one->wide, 1) <= 1);
      break;
    default: CHECK(one == NULL && "a kind without an object"); break;
  }
}

static void check_var(weft_syncvar *var, bool is_full, uint64_t wanted, bool is_given) {
  uint64_t value;
  OK(weft_syncvar_read_xx(var, &value));
  CHECK(is_given && value == wanted && weft_syncvar_is_full(var) == is_full);
  /* no mark is left: it is gone before */
  IS(WEFT_OK, weft_feb_forget(var, sizeof *var));
}

/* What the awaiter was given. It gives it back. */
static void check_given(union object *one, weft_await_kind kind, uint64_t value) {
  void *out;
  switch (kind) {
    case WEFT_AWAIT_MUTEX:
      IS(WEFT_BUSY, weft_mutex_try_lock(&one->mutex));
      OK(weft_mutex_unlock(&one->mutex));
      OK(weft_mutex_try_lock(&one->mutex));
      break;
    case WEFT_AWAIT_SEMAPHORE: IS(WEFT_BUSY, weft_semaphore_try_acquire(&one->semaphore)); break;
    case WEFT_AWAIT_EVENT: CHECK(weft_event_is_set(&one->event)); break;
    case WEFT_AWAIT_FUTURE:
      OK(weft_future_get(&one->future, &out));
      CHECK(out == &result);
      break;
    case WEFT_AWAIT_FEB_READ: CHECK(value == 7 && weft_feb_is_full(&one->word)); break;
    case WEFT_AWAIT_FEB_TAKE:
      CHECK(value == 7 && !weft_feb_is_full(&one->word));
      OK(weft_feb_fill(&one->word));
      break;
    case WEFT_AWAIT_FEB_OVERWRITE:
    case WEFT_AWAIT_FEB_WRITE: CHECK(one->word == 9 && weft_feb_is_full(&one->word)); break;
    case WEFT_AWAIT_SYNCVAR_READ: check_var(&one->var, true, 7, value == 7); break;
    case WEFT_AWAIT_SYNCVAR_TAKE: check_var(&one->var, false, 7, value == 7); break;
    case WEFT_AWAIT_SYNCVAR_OVERWRITE:
    case WEFT_AWAIT_SYNCVAR_WRITE: check_var(&one->var, true, 9, true); break;
    case WEFT_AWAIT_RWLOCK_READ:
      IS(WEFT_BUSY, weft_rwlock_try_write_lock(&one->rwlock));
      OK(weft_rwlock_unlock(&one->rwlock));
      OK(weft_rwlock_try_write_lock(&one->rwlock));
      break;
    case WEFT_AWAIT_RWLOCK_WRITE:
      IS(WEFT_BUSY, weft_rwlock_try_read_lock(&one->rwlock));
      OK(weft_rwlock_unlock(&one->rwlock));
      OK(weft_rwlock_try_write_lock(&one->rwlock));
      break;
    default: break;
  }
}

static bool is_feb(weft_await_kind kind) {
  return (kind >= WEFT_AWAIT_FEB_READ && kind <= WEFT_AWAIT_FEB_WRITE) || kind == WEFT_AWAIT_FEB_OVERWRITE;
}

/* After a wait that ended the word is as one that was never touched. */
static void clean(union object *one, weft_await_kind kind) {
  if (is_feb(kind)) OK(weft_feb_fill(&one->word));
}

static bool can_be_set_first(weft_await_kind kind) { return kind != WEFT_AWAIT_CONDITION && kind != WEFT_AWAIT_BARRIER; }

/* ---- each kind ---- */

static void is_there_first(weft_await_kind kind) {
  if (!can_be_set_first(kind)) return;
  union object object;
  struct wait one;
  make(&object, kind);
  set(&object, kind);
  prepare(&one, kind);
  CHECK(!arm(&one, &object, kind));
  check_given(&object, kind, one.awaiter.value);
  CHECK(atomic_load(&one.calls) == 0 && !weft_ext_await_cancel(&one.awaiter));
  clean(&object, kind);
}

static void is_waited_for(weft_await_kind kind, uint64_t deadline_ns) {
  union object object;
  struct wait one;
  make(&object, kind);
  prepare(&one, kind);
  one.awaiter.deadline_ns = deadline_ns;
  for (int round = 0; round < 2; ++round) { /* the awaiter is good for more than one wait */
    CHECK(arm(&one, &object, kind));
    CHECK(atomic_load(&one.calls) == round);
    set(&object, kind);
    wait_for(&one.calls, round + 1);
    CHECK(one.status == WEFT_OK && one.awaiter.winner == 0);
    check_given(&object, kind, one.value);
    CHECK(!weft_ext_await_cancel(&one.awaiter));
    clean(&object, kind);
    make(&object, kind);
    one.awaiter.value = asked(kind);
  }
  clean(&object, kind);
}

/* Afterwards the object serves others as if it had never waited. */
static void is_cancelled(weft_await_kind kind) {
  union object object;
  struct wait one, other;
  make(&object, kind);
  prepare(&one, kind);
  prepare(&other, kind);
  CHECK(arm(&one, &object, kind));
  CHECK(arm(&other, &object, kind) || kind == WEFT_AWAIT_BARRIER);
  CHECK(weft_ext_await_cancel(&one.awaiter) || kind == WEFT_AWAIT_BARRIER);
  memset(&one.awaiter, 0x5a, sizeof one.awaiter);
  if (kind != WEFT_AWAIT_BARRIER) {
    set(&object, kind);
    wait_for(&other.calls, 1);
    check_given(&object, kind, other.value);
    CHECK(atomic_load(&one.calls) == 0);
  }
  clean(&object, kind);
}

static void times_out(weft_await_kind kind) {
  union object object;
  struct wait one, other;
  make(&object, kind);
  prepare(&one, kind);
  prepare(&other, kind);
  bool waits;
  one.awaiter.deadline_ns = 1;
  IS(WEFT_TIMEOUT, weft_ext_await(&one.awaiter, &object, kind, &waits));
  if (arm_briefly(&one, &object, kind)) {
    if (kind != WEFT_AWAIT_BARRIER) CHECK(arm(&other, &object, kind));
    wait_for(&one.calls, 1);
    CHECK(one.status == WEFT_TIMEOUT && one.awaiter.winner == 1);
    if (kind != WEFT_AWAIT_BARRIER) {
      set(&object, kind);
      wait_for(&other.calls, 1);
      check_given(&object, kind, other.value);
    }
  }
  clean(&object, kind);
}

/* The object, and the awaiter, go in ready. */
struct heap_wait {
  weft_awaiter awaiter;
  union object object;
  atomic_int *gone;
};

static void free_all(weft_awaiter *awaiter, weft_status status) {
  struct heap_wait *mine = (struct heap_wait *)awaiter;
  atomic_int *const gone = mine->gone;
  CHECK(status == WEFT_OK);
  memset(mine, 0x5a, sizeof *mine);
  free(mine);
  atomic_fetch_add(gone, 1);
}

static void goes_in_ready(weft_await_kind kind) {
  if (kind == WEFT_AWAIT_BARRIER || is_feb(kind)) return; /* the setter is inside, and the state of words outlives them */
  atomic_int gone = 0;
  struct heap_wait *one = calloc(1, sizeof *one);
  CHECK(one != NULL);
  make(&one->object, kind);
  one->awaiter = (weft_awaiter)WEFT_AWAITER_INIT(free_all);
  one->awaiter.value = asked(kind);
  one->gone = &gone;
  bool waits = false;
  OK(weft_ext_await(&one->awaiter, &one->object, kind, &waits));
  CHECK(waits);
  set(&one->object, kind);
  wait_for(&gone, 1);
}

static void each_kind(void) {
  for (weft_await_kind kind = WEFT_AWAIT_MUTEX; kind <= WEFT_AWAIT_SYNCVAR_WRITE; ++kind) {
    if (kind == WEFT_AWAIT_THREAD) continue;
    is_there_first(kind);
    is_waited_for(kind, WEFT_FOREVER);
    is_waited_for(kind, weft_deadline_in(1000 * SECOND));
    is_cancelled(kind);
    times_out(kind);
    goes_in_ready(kind);
  }
}

/* ---- what an awaiter that leaves owes to those behind it ---- */

struct behind {
  union object object;
  bool is_last;
};

static void read_behind(void *argument) {
  struct behind *mine = argument;
  OK(weft_rwlock_read_lock(&mine->object.rwlock));
  OK(weft_rwlock_unlock(&mine->object.rwlock));
}

/* A reader stands behind an awaiter that wants to write, while another one reads on. */
static void a_writer_that_is_cancelled_lets_readers_pass(void) {
  struct behind here = {.object.rwlock = WEFT_RWLOCK_INIT};
  struct wait writer;
  OK(weft_rwlock_read_lock(&here.object.rwlock));
  prepare(&writer, WEFT_AWAIT_RWLOCK_WRITE);
  CHECK(arm(&writer, &here.object, WEFT_AWAIT_RWLOCK_WRITE));
  weft_thread *reader = start(read_behind, &here);
  wait_for_state(reader, WEFT_THREAD_BLOCKED);
  CHECK(weft_ext_await_cancel(&writer.awaiter));
  OK(weft_thread_join(reader));
  OK(weft_rwlock_unlock(&here.object.rwlock));
}

/* A reader that comes after a writer does not overtake it, although the lock is held to read. */
static void a_reader_stays_behind_a_writer(void) {
  struct behind here = {.object.rwlock = WEFT_RWLOCK_INIT};
  struct wait writer, reader;
  OK(weft_rwlock_read_lock(&here.object.rwlock));
  prepare(&writer, WEFT_AWAIT_RWLOCK_WRITE);
  prepare(&reader, WEFT_AWAIT_RWLOCK_READ);
  CHECK(arm(&writer, &here.object, WEFT_AWAIT_RWLOCK_WRITE));
  CHECK(arm(&reader, &here.object, WEFT_AWAIT_RWLOCK_READ));
  OK(weft_rwlock_unlock(&here.object.rwlock));
  wait_for(&writer.calls, 1);
  CHECK(atomic_load(&reader.calls) == 0);
  OK(weft_rwlock_unlock(&here.object.rwlock));
  wait_for(&reader.calls, 1);
  OK(weft_rwlock_unlock(&here.object.rwlock));
}

static void arrive_behind(void *argument) {
  struct behind *mine = argument;
  OK(weft_barrier_wait(&mine->object.barrier, &mine->is_last));
}

/* An awaiter that leaves a barrier has not arrived there. */
static void a_party_that_is_cancelled_does_not_count(void) {
  struct behind here = {.is_last = true};
  struct wait party;
  bool is_last = false;
  OK(weft_barrier_init(&here.object.barrier, 2));
  prepare(&party, WEFT_AWAIT_BARRIER);
  CHECK(arm(&party, &here.object, WEFT_AWAIT_BARRIER));
  CHECK(weft_ext_await_cancel(&party.awaiter));
  weft_thread *other = start(arrive_behind, &here);
  while (weft_thread_get_state(other) != WEFT_THREAD_BLOCKED) {
    CHECK(weft_thread_get_state(other) != WEFT_THREAD_ENDED);
    breathe();
  }
  OK(weft_barrier_wait(&here.object.barrier, &is_last));
  OK(weft_thread_join(other));
  CHECK(is_last && !here.is_last);
}

/* ---- the end of a thread ---- */

static void wait_for_event(void *event) { OK(weft_event_wait(event)); }

static void ends_of_threads(void) {
  weft_event go = WEFT_EVENT_INIT;
  struct wait one;
  for (int round = 0; round < 4; ++round) {
    weft_thread *thread = start(round == 0 ? nothing : wait_for_event, &go);
    prepare(&one, WEFT_AWAIT_THREAD);
    if (round == 0) wait_for_state(thread, WEFT_THREAD_ENDED);
    const bool waits = arm(&one, thread, WEFT_AWAIT_THREAD);
    CHECK(waits == (round != 0));
    if (round == 1) CHECK(weft_ext_await_cancel(&one.awaiter));
    if (round == 2) {
      bool waits_too;
      struct wait late;
      prepare(&late, WEFT_AWAIT_THREAD);
      IS(WEFT_BUSY, weft_ext_await(&late.awaiter, thread, WEFT_AWAIT_THREAD, &waits_too));
    }
    OK(weft_event_set(&go));
    if (round >= 2) wait_for(&one.calls, 1);
    if (round >= 2) OK(weft_thread_try_join(thread));
    if (round < 2) OK(weft_thread_join(thread));
    OK(weft_event_reset(&go));
  }
}

/* Threads that run to their end in one go, on whichever worker. */

static void ends_of_many_threads(void) {
  static struct wait waits[MANY];
  static weft_thread *threads[MANY];
  int waiting = 0;
  for (int i = 0; i < MANY; ++i) {
    threads[i] = start(nothing, NULL);
    prepare(&waits[i], WEFT_AWAIT_THREAD);
    if (arm(&waits[i], threads[i], WEFT_AWAIT_THREAD)) ++waiting;
  }
  for (int i = 0; i < MANY; ++i) {
    while (weft_thread_get_state(threads[i]) != WEFT_THREAD_ENDED) breathe();
  }
  int called = 0;
  while (called < waiting) {
    called = 0;
    for (int i = 0; i < MANY; ++i) called += atomic_load(&waits[i].calls);
    breathe();
  }
  CHECK(called == waiting);
  for (int i = 0; i < MANY; ++i) OK(weft_thread_try_join(threads[i]));
}

/* One event wakes four, and the first ready cancels one of the others, whose ready comes inside
 * that call. The ready of the rest come afterwards, and after them that of an awaiter at an
 * event which the first ready sets. */
struct canceller {
  weft_awaiter awaiter;
  struct wait *other;
  weft_event then;
};

static void cancel_and_set(weft_awaiter *awaiter, weft_status status) {
  struct canceller *mine = (struct canceller *)awaiter;
  CHECK(status == WEFT_OK);
  CHECK(!weft_ext_await_cancel(&mine->other->awaiter));
  CHECK(atomic_load(&mine->other->calls) == 1);
  OK(weft_event_set(&mine->then));
}

static void cancels_one_of_several(void) {
  for (int which = 0; which < 3; ++which) {
    weft_event event = WEFT_EVENT_INIT;
    struct wait others[3], late;
    struct canceller first = {WEFT_AWAITER_INIT(cancel_and_set), &others[which], WEFT_EVENT_INIT};
    bool waits = false;
    OK(weft_ext_await(&first.awaiter, &event, WEFT_AWAIT_EVENT, &waits));
    CHECK(waits);
    for (int i = 0; i < 3; ++i) {
      prepare(&others[i], WEFT_AWAIT_EVENT);
      CHECK(arm(&others[i], &event, WEFT_AWAIT_EVENT));
    }
    prepare(&late, WEFT_AWAIT_EVENT);
    CHECK(arm(&late, &first.then, WEFT_AWAIT_EVENT));
    OK(weft_event_set(&event)); /* calls every ready before it returns */
    for (int i = 0; i < 3; ++i) CHECK(atomic_load(&others[i].calls) == 1);
    CHECK(atomic_load(&late.calls) == 1);
  }
}

/* The first of three that are due at once, or that the runtime ends, cancels the others. */
struct neighbours {
  weft_awaiter awaiters[3];
  weft_status expected;
  atomic_int calls;
  int began;
};

static struct neighbours neighbours;

static void cancel_neighbours(weft_awaiter *awaiter, weft_status status) {
  struct neighbours *const all = &neighbours;
  const bool is_first = all->began++ == 0;
  CHECK(status == all->expected);
  if (is_first) {
    for (int i = 0; i < 3; ++i) CHECK(!weft_ext_await_cancel(&all->awaiters[i]) || &all->awaiters[i] == awaiter);
    CHECK(all->began == 3);
  }
  atomic_fetch_add(&all->calls, 1);
}

static void arm_neighbours(uint64_t deadline_ns, weft_status expected) {
  memset(&neighbours, 0, sizeof neighbours);
  neighbours.expected = expected;
  for (int i = 0; i < 3; ++i) {
    bool waits = false;
    neighbours.awaiters[i] = (weft_awaiter)WEFT_AWAITER_INIT(cancel_neighbours);
    neighbours.awaiters[i].deadline_ns = deadline_ns;
    OK(weft_ext_await(&neighbours.awaiters[i], NULL, WEFT_AWAIT_DEADLINE, &waits));
    CHECK(waits);
  }
}

/* One worker, so that all three are found due at once. */
static void cancels_those_that_are_due_at_once(void) {
  init_with(1);
  arm_neighbours(weft_deadline_in(20 * MILLISECOND), WEFT_TIMEOUT);
  while (weft_now_ns() < neighbours.awaiters[0].deadline_ns) continue;
  wait_for(&neighbours.calls, 3);
  OK(weft_finalize());
}

/* ---- the end of the runtime ---- */

struct sleeper {
  weft_awaiter awaiter;
  int calls;
};

/* To sleep on is refused. */
static void sleep_on(weft_awaiter *awaiter, weft_status status) {
  struct sleeper *mine = (struct sleeper *)awaiter;
  bool waits = false;
  ++mine->calls;
  CHECK(status == WEFT_ENDED && awaiter->winner == 0);
  IS(WEFT_NOT_INITIALIZED, weft_ext_await_any(awaiter, NULL, 0, &waits));
}

static void the_runtime_ends_a_sleep(void) {
  struct sleeper one = {.awaiter = WEFT_AWAITER_INIT(sleep_on)};
  bool waits = false;
  init_with(2);
  one.awaiter.deadline_ns = weft_deadline_in(1000 * SECOND);
  OK(weft_ext_await_any(&one.awaiter, NULL, 0, &waits));
  CHECK(waits);
  arm_neighbours(weft_deadline_in(1000 * SECOND), WEFT_ENDED);
  OK(weft_finalize());
  CHECK(one.calls == 1 && atomic_load(&neighbours.calls) == 3);
  CHECK(!weft_ext_await_cancel(&one.awaiter));
}

/* An awaiter with a deadline leaves its object, which serves another one, without a deadline,
 * after the runtime. */
static void the_runtime_ends_a_wait_with_a_deadline(weft_await_kind kind) {
  union object object;
  struct wait one, other;
  init_with(2);
  make(&object, kind);
  prepare(&one, kind);
  prepare(&other, kind);
  one.awaiter.deadline_ns = weft_deadline_in(1000 * SECOND);
  CHECK(arm(&one, &object, kind));
  if (kind != WEFT_AWAIT_BARRIER) CHECK(arm(&other, &object, kind));
  OK(weft_finalize());
  CHECK(atomic_load(&one.calls) == 1 && one.status == WEFT_ENDED && one.awaiter.winner == 1);
  if (kind == WEFT_AWAIT_BARRIER) return;
  CHECK(atomic_load(&other.calls) == 0);
  set(&object, kind);
  CHECK(atomic_load(&other.calls) == 1 && other.status == WEFT_OK);
  if (kind != WEFT_AWAIT_MUTEX) check_given(&object, kind, other.value);
  clean(&object, kind);
}

static void the_runtime_ends(void) {
  the_runtime_ends_a_sleep();
  for (weft_await_kind kind = WEFT_AWAIT_MUTEX; kind <= WEFT_AWAIT_SYNCVAR_WRITE; ++kind) {
    if (kind != WEFT_AWAIT_THREAD) the_runtime_ends_a_wait_with_a_deadline(kind);
  }
}

static void all(void) {
  RUN(each_kind);
  RUN(a_writer_that_is_cancelled_lets_readers_pass);
  RUN(a_reader_stays_behind_a_writer);
  RUN(a_party_that_is_cancelled_does_not_count);
  RUN(ends_of_threads);
  RUN(ends_of_many_threads);
  RUN(cancels_one_of_several);
}

int main(void) {
  run_all(all);
  RUN(cancels_those_that_are_due_at_once);
  RUN(the_runtime_ends);
  return 0;
}
