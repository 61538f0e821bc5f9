/* Mutexes and conditions. */
#include "check.h"

enum { rounds = IS_SLOW ? 200 : 2000 };

struct counter {
  threads_mutex mutex;
  long value;
};

static void count(void *given) {
  struct counter *const counter = given;
  for (int i = 0; i < rounds; ++i) {
    OK(threads_mutex_lock(&counter->mutex));
    ++counter->value;
    if (i % 100 == 0) threads_yield(); /* so that others find it held */
    OK(threads_mutex_unlock(&counter->mutex));
  }
}

static void one_holds_it_at_a_time(void) {
  struct counter counter = {THREADS_MUTEX_INIT, 0};
  threads_thread *threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(count, &counter);
  for (int i = 0; i < 3; ++i) OK(threads_join(threads[i]));
  CHECK(counter.value == 3 * rounds);
  OK(threads_mutex_destroy(&counter.mutex));
}

static void find_it_held(void *mutex) { IS(THREADS_BUSY, threads_mutex_try_lock(mutex)); }

static void find_it_free(void *mutex) {
  OK(threads_mutex_try_lock(mutex));
  OK(threads_mutex_unlock(mutex));
}

static void a_try_does_not_wait(void) {
  threads_mutex mutex = THREADS_MUTEX_INIT;
  OK(threads_mutex_try_lock(&mutex));
  OK(threads_join(start(find_it_held, &mutex)));
  OK(threads_mutex_unlock(&mutex));
  OK(threads_join(start(find_it_free, &mutex)));
  OK(threads_mutex_destroy(&mutex));
}

struct gate {
  threads_mutex mutex;
  threads_cond changed;
  int waiting;
  bool is_open;
};

static void pass(void *given) {
  struct gate *const gate = given;
  OK(threads_mutex_lock(&gate->mutex));
  ++gate->waiting;
  OK(threads_cond_signal(&gate->changed));
  while (!gate->is_open) OK(threads_cond_wait(&gate->changed, &gate->mutex));
  --gate->waiting;
  OK(threads_cond_broadcast(&gate->changed));
  OK(threads_mutex_unlock(&gate->mutex));
}

static void a_broadcast_wakes_all(void) {
  struct gate gate = {THREADS_MUTEX_INIT, THREADS_COND_INIT, 0, false};
  for (int i = 0; i < 3; ++i) OK(threads_create(pass, &gate, NULL));
  OK(threads_mutex_lock(&gate.mutex));
  while (gate.waiting < 3) {
    OK(threads_mutex_unlock(&gate.mutex));
    threads_yield();
    OK(threads_mutex_lock(&gate.mutex));
  }
  gate.is_open = true;
  OK(threads_cond_broadcast(&gate.changed));
  while (gate.waiting != 0) OK(threads_cond_wait(&gate.changed, &gate.mutex));
  OK(threads_mutex_unlock(&gate.mutex));
  OK(threads_mutex_lock(&gate.mutex)); /* behind the last one's unlock */
  OK(threads_mutex_unlock(&gate.mutex));
  OK(threads_cond_destroy(&gate.changed));
}

struct turn {
  threads_mutex mutex;
  threads_cond changed;
  int next;
};

static void take_odd_turns(void *given) {
  struct turn *const turn = given;
  OK(threads_mutex_lock(&turn->mutex));
  for (int i = 1; i < 100; i += 2) {
    while (turn->next != i) OK(threads_cond_wait(&turn->changed, &turn->mutex));
    ++turn->next;
    OK(threads_cond_signal(&turn->changed));
  }
  OK(threads_mutex_unlock(&turn->mutex));
}

static void a_signal_wakes_the_other(void) {
  struct turn turn = {THREADS_MUTEX_INIT, THREADS_COND_INIT, 0};
  threads_thread *const other = start(take_odd_turns, &turn);
  OK(threads_mutex_lock(&turn.mutex));
  for (int i = 0; i < 100; i += 2) {
    while (turn.next != i) OK(threads_cond_wait(&turn.changed, &turn.mutex));
    ++turn.next;
    OK(threads_cond_signal(&turn.changed));
  }
  OK(threads_mutex_unlock(&turn.mutex));
  OK(threads_join(other));
  CHECK(turn.next == 100);
}

static void a_wait_ends_at_its_deadline(void) {
  threads_mutex mutex = THREADS_MUTEX_INIT;
  threads_cond cond = THREADS_COND_INIT;
  OK(threads_mutex_lock(&mutex));
  const uint64_t deadline = threads_now_ns() + 2000000;
  threads_status status = THREADS_OK;
  while (status == THREADS_OK) status = threads_cond_wait_until(&cond, &mutex, deadline); /* wake-ups may be spurious */
  IS(THREADS_TIMEOUT, status);
  CHECK(threads_now_ns() >= deadline);
  OK(threads_join(start(find_it_held, &mutex)));
  IS(THREADS_TIMEOUT, threads_cond_wait_until(&cond, &mutex, 1));
  OK(threads_mutex_unlock(&mutex));
}

static void wake_in_time(void *given) {
  struct gate *const gate = given;
  OK(threads_mutex_lock(&gate->mutex));
  gate->is_open = true;
  OK(threads_cond_signal(&gate->changed));
  OK(threads_mutex_unlock(&gate->mutex));
}

static void a_wait_with_a_deadline_is_woken_before(void) {
  struct gate gate = {THREADS_MUTEX_INIT, THREADS_COND_INIT, 0, false};
  OK(threads_mutex_lock(&gate.mutex));
  threads_thread *const other = start(wake_in_time, &gate);
  const uint64_t deadline = threads_now_ns() + UINT64_C(100000000000);
  while (!gate.is_open) OK(threads_cond_wait_until(&gate.changed, &gate.mutex, deadline));
  gate.is_open = false;
  OK(threads_mutex_unlock(&gate.mutex));
  OK(threads_join(other));
  OK(threads_mutex_lock(&gate.mutex));
  threads_thread *const another = start(wake_in_time, &gate);
  while (!gate.is_open) OK(threads_cond_wait_until(&gate.changed, &gate.mutex, THREADS_FOREVER));
  OK(threads_mutex_unlock(&gate.mutex));
  OK(threads_join(another));
}

static void null_is_refused(void) {
  threads_mutex mutex = THREADS_MUTEX_INIT;
  threads_cond cond = THREADS_COND_INIT;
  IS(THREADS_INVALID, threads_mutex_lock(NULL));
  IS(THREADS_INVALID, threads_mutex_try_lock(NULL));
  IS(THREADS_INVALID, threads_mutex_unlock(NULL));
  IS(THREADS_INVALID, threads_mutex_destroy(NULL));
  IS(THREADS_INVALID, threads_cond_wait(NULL, &mutex));
  IS(THREADS_INVALID, threads_cond_wait(&cond, NULL));
  IS(THREADS_INVALID, threads_cond_wait_until(NULL, &mutex, 1));
  IS(THREADS_INVALID, threads_cond_signal(NULL));
  IS(THREADS_INVALID, threads_cond_broadcast(NULL));
  IS(THREADS_INVALID, threads_cond_destroy(NULL));
}

void check_mutexes(void) {
  RUN(one_holds_it_at_a_time);
  RUN(a_try_does_not_wait);
  RUN(a_broadcast_wakes_all);
  RUN(a_signal_wakes_the_other);
  RUN(a_wait_ends_at_its_deadline);
  RUN(a_wait_with_a_deadline_is_woken_before);
  RUN(null_is_refused);
}
