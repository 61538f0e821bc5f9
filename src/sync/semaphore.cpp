// See semaphore.hpp.
#include "sync/semaphore.hpp"

namespace weft::sync {

// Inside lock_.
bool semaphore::take() {
  if (free_ == 0) return false;
  --free_;
  return true;
}

status semaphore::try_acquire() {
  const queue::guard inside(lock_);
  return take() ? status::ok : status::busy;
}

status semaphore::acquire(std::uint64_t deadline_ns) {
  if (try_acquire() == status::ok) return status::ok;
  if (const status problem = may_wait(deadline_ns); problem != status::ok) return problem;
  sched::waiter me{"semaphore", this};
  me.deadline_ns = deadline_ns;
  lock_.lock();
  if (take()) {
    lock_.unlock();
    return status::ok;
  }
  queue_.push_back(&me);
  return wait_and_leave(&me, &queue_, &lock_);
}

status semaphore::release(std::uint32_t count) {
  wake_later chosen;
  {
    const queue::guard inside(lock_);
    if (free_ + count > UINT32_MAX) return status::invalid;
    while (count != 0 && !queue_.is_empty()) {
      if (chosen.add(queue_.pop_front())) --count;
    }
    free_ += count;
  }
  chosen.now();
  return status::ok;
}

}  // namespace weft::sync
