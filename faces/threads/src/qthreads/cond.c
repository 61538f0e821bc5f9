/* Conditions: a queue of waiters, each at a word on its own stack. */
#include "calls.h"

#include "../clock.h"

struct waiter {
  struct waiter *next;
  bool has_deadline;
  uint32_t is_woken; /* atomic: of those with a deadline, which look at it again and again; Qthreads has no timers */
  aligned_t word;    /* the others wait until it is full */
};

/* In a threads_cond. */
struct queue {
  uint64_t is_locked; /* atomic; for a few instructions */
  struct waiter *first, *last;
};

_Static_assert(sizeof(struct queue) <= sizeof(threads_cond), "a condition holds the queue");

static struct queue *queue_of(threads_cond *cond) { return (struct queue *)(void *)cond; }

static void lock(struct queue *queue) {
  /* acquire: pairs with unlock */
  while (__atomic_exchange_n(&queue->is_locked, 1, __ATOMIC_ACQUIRE) != 0) threads_yield();
}

static void unlock(struct queue *queue) { __atomic_store_n(&queue->is_locked, 0, __ATOMIC_RELEASE); /* pairs with lock */ }

static void append(struct queue *queue, struct waiter *waiter) {
  lock(queue);
  if (queue->first == NULL) {
    queue->first = waiter;
  } else {
    queue->last->next = waiter;
  }
  queue->last = waiter;
  unlock(queue);
}

static bool take_out(struct queue *queue, const struct waiter *waiter) {
  bool was_there = false;
  lock(queue);
  struct waiter *previous = NULL;
  for (struct waiter *each = queue->first; each != NULL && !was_there; each = each->next) {
    was_there = each == waiter;
    if (!was_there) {
      previous = each;
    } else if (previous == NULL) {
      queue->first = each->next;
    } else {
      previous->next = each->next;
    }
  }
  if (was_there && queue->last == waiter) queue->last = previous;
  unlock(queue);
  return was_there;
}

/* Its memory may be gone afterwards. */
static void wake(struct waiter *waiter) {
  if (waiter->has_deadline) {
    __atomic_store_n(&waiter->is_woken, 1, __ATOMIC_RELEASE); /* pairs with wait_in_time */
  } else {
    qthread_fill(&waiter->word);
  }
}

threads_status threads_cond_wait(threads_cond *cond, threads_mutex *mutex) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_wait", "cond");
  if (mutex == NULL) return threads_fail_on_null("threads_cond_wait", "mutex");
  struct waiter waiter = {NULL, false, 0, 0};
  qthread_empty(&waiter.word);
  append(queue_of(cond), &waiter);
  threads_mutex_unlock(mutex);
  qthread_readFF(NULL, &waiter.word);
  return threads_mutex_lock(mutex);
}

static threads_status wait_in_time(struct queue *queue, struct waiter *waiter, uint64_t deadline_ns) {
  while (__atomic_load_n(&waiter->is_woken, __ATOMIC_ACQUIRE) == 0) { /* pairs with wake */
    if (clock_now_ns() >= deadline_ns && take_out(queue, waiter)) return THREADS_TIMEOUT;
    threads_yield();
  }
  return THREADS_OK;
}

threads_status threads_cond_wait_until(threads_cond *cond, threads_mutex *mutex, uint64_t deadline_ns) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_wait_until", "cond");
  if (mutex == NULL) return threads_fail_on_null("threads_cond_wait_until", "mutex");
  if (deadline_ns == THREADS_FOREVER) return threads_cond_wait(cond, mutex);
  struct waiter waiter = {NULL, true, 0, 0};
  append(queue_of(cond), &waiter);
  threads_mutex_unlock(mutex);
  const threads_status waited = wait_in_time(queue_of(cond), &waiter, deadline_ns);
  const threads_status status = threads_mutex_lock(mutex);
  if (status != THREADS_OK || waited == THREADS_OK) return status;
  return threads_fail(waited, "threads_cond_wait_until", NULL, "the deadline passed", 0);
}

threads_status threads_cond_signal(threads_cond *cond) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_signal", "cond");
  struct queue *const queue = queue_of(cond);
  lock(queue);
  struct waiter *const first = queue->first;
  if (first != NULL) queue->first = first->next;
  unlock(queue);
  if (first != NULL) wake(first);
  return THREADS_OK;
}

threads_status threads_cond_broadcast(threads_cond *cond) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_broadcast", "cond");
  struct queue *const queue = queue_of(cond);
  lock(queue);
  struct waiter *waiter = queue->first;
  queue->first = NULL;
  unlock(queue);
  while (waiter != NULL) {
    struct waiter *const next = waiter->next;
    wake(waiter);
    waiter = next;
  }
  return THREADS_OK;
}

threads_status threads_cond_destroy(threads_cond *cond) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_destroy", "cond");
  if (queue_of(cond)->first == NULL) return THREADS_OK;
  return threads_fail_at(THREADS_BUSY, "threads_cond_destroy", "cond", "a caller waits at it (%p)", cond);
}
