// See waiters.hpp.
#include "sync/waiters.hpp"

#include <pthread.h>

#include "os/clock.hpp"
#include "sched/local.hpp"

namespace weft::sync {

status may_wait(std::uint64_t deadline_ns) {
  if (deadline_ns != sched::forever && (deadline_ns == immediately || deadline_ns <= os::now_ns())) return status::timeout;
  return sched::may_block() ? status::ok : status::cannot_block;
}

status wait_in(sched::waiter* me, wait_queue* queue, queue::spinlock* lock, bool* holds_lock) {
  const sched::wait_result result = sched::wait(me, lock);
  *holds_lock = me->deadline_ns != sched::forever;
  if (!*holds_lock) return status::ok;
  lock->lock();
  if (result == sched::wait_result::woken) return status::ok;
  if (me->is_linked()) queue->remove(me);  // otherwise a waker took it off and found that it was late
  return status::timeout;
}

status block(sched::waiter* me, wait_queue* queue, queue::spinlock* lock) {
  queue->push_back(me);
  bool holds_lock;
  const status result = wait_in(me, queue, lock, &holds_lock);
  if (holds_lock) lock->unlock();
  return result;
}

std::uintptr_t caller_id() {
  if (const sched::unit* self = sched::local::current_unit(); self != nullptr) return reinterpret_cast<std::uintptr_t>(self);
  return static_cast<std::uintptr_t>(pthread_self());
}

}  // namespace weft::sync
