// See waiters.hpp.
#include "sync/waiters.hpp"

#include "run/awaiter.hpp"
#include "worker/clock.hpp"
#include "worker/hooks.hpp"

namespace weft::sync {

// Of a record that others compete for: an awaiter's is claimed here, and delivered after the lock.
bool wake_later::add_timed(sched::waiter* one) {
  if (!sched::is_awaiters(one)) return sched::wake(one);
  bool wants_delivery;
  const bool is_mine = sched::claim_to_deliver(sched::record_of(one), &wants_delivery);
  if (wants_delivery) chosen_.push_back(one);
  return is_mine;
}

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

void leave_queue(sched::await_record* one, wait_queue* queue, queue::spinlock* lock) {
  const queue::guard inside(*lock);
  if (one->is_linked()) queue->remove(one);
}

namespace {

// Inside the lock, which is released if this wakes it. False: its deadline was first.
[[gnu::noinline]] bool wake_timed(sched::waiter* one, queue::spinlock* lock) {
  wake_later chosen;
  if (!chosen.add(one)) return false;
  lock->unlock();
  chosen.now();
  return true;
}

}  // namespace

void wake_first(wait_queue* queue, queue::spinlock* lock) {
  lock->lock();
  sched::waiter* first;
  while ((first = queue->pop_front()) != nullptr) {
    if (first->deadline_ns == sched::forever) [[likely]] {
      lock->unlock();
      sched::wake(first);
      return;
    }
    if (wake_timed(first, lock)) return;
  }
  lock->unlock();
}

}  // namespace weft::sync
