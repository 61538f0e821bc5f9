// See condvar.hpp.
#include "sync/condvar.hpp"

namespace weft::sync {

status condvar::wait(mutex* held, std::uint64_t deadline_ns) {
  if (!sched::may_block()) [[unlikely]]
    return sched::tell(status::cannot_block, cond_waiting);
  // Also with a deadline that has passed, the mutex is given up: a caller that loops over such
  // waits lets others in.
  sched::waiter me{"condition", this};
  me.deadline_ns = deadline_ns;
  std::uint32_t times_held;
  lock_.lock();
  queue_.push_back(&me);
  if (const status problem = held->give_up(&times_held); problem != status::ok) [[unlikely]] {
    queue_.remove(&me);
    lock_.unlock();
    return sched::tell(problem, cond_waiting);
  }
  const status result = wait_and_leave(&me, &queue_, &lock_);
  held->take_back(times_held);
  return result;
}

void condvar::leave(sched::await_record* one) {
  auto* const mine = static_cast<condvar*>(const_cast<void*>(one->object));
  leave_queue(one, &mine->queue_, &mine->lock_);
}

sched::armed_as condvar::await(sched::await_record* one) {
  const queue::guard inside(lock_);
  enter_queue(one, &queue_, leave);
  return sched::armed_as::waits;
}

void condvar::signal() {
  // A waiter came under the mutex: a signaller that has held the mutex since sees it here.
  if (queue_.seems_empty()) return;
  wake_first(&queue_, &lock_);
}

void condvar::broadcast() {
  if (queue_.seems_empty()) return;
  wake_later chosen;
  {
    const queue::guard inside(lock_);
    chosen.add_all(&queue_);
  }
  chosen.now();
}

}  // namespace weft::sync
