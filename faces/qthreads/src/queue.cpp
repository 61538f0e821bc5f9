// Queues of parked tasks, released in their order.
#include <cstdlib>
#include <new>

#include "faces/common/spinlock.hpp"
#include "feb.hpp"
#include "task.hpp"

// On the stack of a task that is parked, until it is taken off the queue.
struct parked_task {
  parked_task* next;
  weft_thread* thread;
  qthread_queue_t in;
};

struct qthread_queue_s {
  weft::face::spinlock lock;
  parked_task* first;
  parked_task* last;
  aligned_t length;
  aligned_t most;  // 0: no limit
};

namespace {

using weft::face::guard;

bool is_full(const qthread_queue_s* queue) { return queue->most != 0 && queue->length >= queue->most; }

// Once the task's context is saved.
bool enter(weft_thread* thread, void* argument) {
  auto* const mine = static_cast<parked_task*>(argument);
  qthread_queue_s* const queue = mine->in;
  const guard inside(queue->lock);
  if (is_full(queue)) {
    mine->in = nullptr;
    return false;
  }
  mine->thread = thread;
  mine->next = nullptr;
  (queue->first == nullptr ? queue->first : queue->last->next) = mine;
  queue->last = mine;
  ++queue->length;
  return true;
}

// Null: no task is in it.
weft_thread* take_first(qthread_queue_s* queue) {
  const guard inside(queue->lock);
  parked_task* const one = queue->first;
  if (one == nullptr) return nullptr;
  queue->first = one->next;
  --queue->length;
  return one->thread;
}

}  // namespace

using namespace weft::qthreads;

extern "C" {

qthread_queue_t qthread_queue_create(uint8_t flags, aligned_t length) {
  auto* const queue = static_cast<qthread_queue_t>(std::calloc(1, sizeof(qthread_queue_s)));
  if (queue != nullptr && (flags & QTHREAD_QUEUE_CAPPED) != 0) queue->most = length;
  return queue;
}

int qthread_queue_join(qthread_queue_t q) {
  if (q == nullptr) return QTHREAD_BADARGS;
  if (weft_self() == nullptr) return QTHREAD_NOT_ALLOWED;
  if (is_simple_task()) tell_of_simple_that_waits();
  parked_task mine{nullptr, nullptr, q};
  if (weft_ext_park(enter, &mine, "qthread_queue") != WEFT_OK) return QTHREAD_NOT_ALLOWED;
  return mine.in != nullptr ? QTHREAD_SUCCESS : QTHREAD_OPFAIL;
}

aligned_t qthread_queue_length(qthread_queue_t q) {
  if (q == nullptr) return 0;
  const guard inside(q->lock);
  return q->length;
}

int qthread_queue_release_one(qthread_queue_t q) {
  if (q == nullptr) return QTHREAD_BADARGS;
  if (weft_thread* const thread = take_first(q); thread != nullptr) weft_ext_unpark(thread);
  return QTHREAD_SUCCESS;
}

int qthread_queue_release_all(qthread_queue_t q) {
  if (q == nullptr) return QTHREAD_BADARGS;
  while (weft_thread* const thread = take_first(q)) weft_ext_unpark(thread);
  return QTHREAD_SUCCESS;
}

int qthread_queue_destroy(qthread_queue_t q) {
  if (q == nullptr || qthread_queue_length(q) != 0) return QTHREAD_BADARGS;
  std::free(q);
  return QTHREAD_SUCCESS;
}
}
