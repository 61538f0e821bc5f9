// See condvar.hpp.
#include "sync/condvar.hpp"

namespace weft::sync {

status condvar::wait(mutex* held, std::uint64_t deadline_ns) {
  // A deadline that has passed does not keep others from the mutex: whoever loops over such waits lets them in.
  if (!sched::may_block()) return status::cannot_block;
  sched::waiter me{"condition", this};
  me.deadline_ns = deadline_ns;
  std::uint32_t times_held;
  lock_.lock();
  if (const status problem = held->give_up(&times_held); problem != status::ok) {
    lock_.unlock();
    return problem;
  }
  const status result = block(&me, &queue_, &lock_);
  held->take_back(times_held);
  return result;
}

void condvar::signal() {
  wake_later chosen;
  {
    const queue::guard inside(lock_);
    bool is_woken = false;
    while (!is_woken && !queue_.is_empty()) is_woken = chosen.add(queue_.pop_front());
  }
  chosen.now();
}

void condvar::broadcast() {
  wake_later chosen;
  {
    const queue::guard inside(lock_);
    chosen.add_all(&queue_);
  }
  chosen.now();
}

}  // namespace weft::sync
