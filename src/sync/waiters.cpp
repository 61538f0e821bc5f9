// See waiters.hpp.
#include "sync/waiters.hpp"

#include "sched/turns.hpp"

namespace weft::sync {

status may_wait(std::uint64_t deadline_ns) {
  if (deadline_ns != sched::forever && (deadline_ns == immediately || deadline_ns <= sched::now_ns())) return status::timeout;
  return sched::may_block() ? status::ok : status::cannot_block;
}

status follow_waker(sched::waiter* me, wait_queue* queue, queue::spinlock* lock, sched::wait_result result) {
  lock->lock();
  if (result == sched::wait_result::woken) return status::ok;
  if (me->is_linked()) queue->remove(me);  // otherwise a waker took it off and found that it was late
  return status::timeout;
}

void wake_first(wait_queue* queue, queue::spinlock* lock) {
  lock->lock();
  sched::waiter* first;
  while ((first = queue->pop_front()) != nullptr) {
    if (first->deadline_ns == sched::forever) [[likely]] {
      lock->unlock();
      sched::wake(first);
      return;
    }
    if (sched::wake(first)) break;
  }
  lock->unlock();
}

}  // namespace weft::sync
