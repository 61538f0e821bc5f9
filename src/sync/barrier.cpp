// See barrier.hpp.
#include "sync/barrier.hpp"

#include "worker/failure.hpp"

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

void barrier::leave(sched::await_record* one) {
  auto* const mine = static_cast<barrier*>(const_cast<void*>(one->object));
  const queue::guard inside(mine->lock_);
  if (!one->is_linked()) return;
  mine->queue_.remove(one);
  --mine->arrived_;
}

status barrier::await(sched::await_record* one, sched::armed_as* what) {
  wake_later released;
  {
    const queue::guard inside(lock_);
    if (parties_ == 0) return sched::because(status::invalid, "object", "weft_barrier_init was not called for the barrier");
    one->value = arrived_ + 1 >= parties_ ? 1 : 0;
    if (one->value == 0) {
      ++arrived_;
      enter_queue(one, &queue_, leave);
      *what = sched::armed_as::waits;
      return status::ok;
    }
    *what = over_or_lost(one);
    if (*what == sched::armed_as::lost) return status::ok;
    arrived_ = 0;
    released.add_all(&queue_);
  }
  released.now();
  return status::ok;
}

}  // namespace weft::sync
