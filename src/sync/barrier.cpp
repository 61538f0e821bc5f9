// See barrier.hpp.
#include "sync/barrier.hpp"

namespace weft::sync {

status barrier::start(std::uint32_t parties) {
  if (parties == 0) return status::invalid;
  const queue::guard inside(lock_);
  parties_ = parties;
  arrived_ = 0;
  return status::ok;
}

status barrier::wait(bool* is_last) {
  wake_later released;
  lock_.lock();
  *is_last = arrived_ + 1 >= parties_;
  if (!*is_last) {
    if (!sched::may_block()) {
      lock_.unlock();
      return status::cannot_block;
    }
    ++arrived_;
    sched::waiter me{"barrier", this};
    queue_.push_back(&me);
    return wait_and_leave(&me, &queue_, &lock_);
  }
  const bool was_started = parties_ != 0;
  arrived_ = 0;
  released.add_all(&queue_);
  lock_.unlock();
  released.now();
  return was_started ? status::ok : status::invalid;
}

}  // namespace weft::sync
