// What the two channels and select have in common: the queues of waiting calls, the buffer, and the
// steps of a push and of a pop.
//
// A step runs inside the lock and never waits. Where it finds a waiting call on the other side it
// claims that call, and hands the value over after the lock was released: settle_push, settle_pop.
// If moving a value throws, the call that moves it throws, and the call that was claimed tries
// again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/detail/channel_wait.hpp>
#include <weft/detail/chrono.hpp>
#include <weft/error.hpp>

namespace weft::detail {

// Where a pop puts the value: into an object of the caller's, or into one that does not exist yet.
template <class T>
class pop_target {
 public:
  explicit pop_target(T* assigned) noexcept : assigned_(assigned) {}
  explicit pop_target(std::optional<T>* made) noexcept : made_(made) {}

  void put(T&& value) {
    if (made_ != nullptr) return static_cast<void>(made_->emplace(std::move(value)));
    if constexpr (std::is_move_assignable_v<T>) *assigned_ = std::move(value);
  }

 private:
  T* assigned_ = nullptr;
  std::optional<T>* made_ = nullptr;
};

// Room for a fixed number of values, in the order of their coming. One of 0 has no memory.
template <class T>
class value_ring {
 public:
  explicit value_ring(std::size_t capacity)
      : slots_(capacity != 0 ? std::allocator<T>().allocate(capacity) : nullptr), capacity_(capacity) {}
  value_ring(const value_ring&) = delete;
  value_ring& operator=(const value_ring&) = delete;
  ~value_ring() {
    while (!is_empty()) drop_front();
    if (slots_ != nullptr) std::allocator<T>().deallocate(slots_, capacity_);
  }

  std::size_t capacity() const noexcept { return capacity_; }
  bool is_empty() const noexcept { return count_ == 0; }
  bool is_full() const noexcept { return count_ == capacity_; }
  void put(T&& value) {
    std::construct_at(slots_ + (front_ < capacity_ - count_ ? front_ + count_ : front_ + count_ - capacity_), std::move(value));
    ++count_;
  }
  T& front() noexcept { return slots_[front_]; }
  void drop_front() noexcept {
    std::destroy_at(slots_ + front_);
    if (++front_ == capacity_) front_ = 0;
    --count_;
  }

 private:
  T* slots_;
  std::size_t capacity_;
  std::size_t front_ = 0;
  std::size_t count_ = 0;
};

// What becomes of a pusher that waits when a pop makes room.
enum class waiting_pushers : std::uint8_t {
  hand_over,  // the pop puts the value there: they are served in the order of their coming
  try_again   // they are woken, and push if there is room still, as in Boost.Fiber
};

template <class T>
class channel_core {
 public:
  // A step's answer. `other`: the call of the other side that the step claimed; null: none.
  struct step {
    channel_op_status status;
    channel_place* other = nullptr;
  };

  explicit channel_core(std::size_t capacity, waiting_pushers how = waiting_pushers::hand_over)
      : pushers_try_again_(how == waiting_pushers::try_again), ring_(capacity) {}

  channel_lock& lock() noexcept { return lock_; }
  std::size_t capacity() const noexcept { return ring_.capacity(); }

  // Inside the lock.
  step push_step(T& value) {
    if (is_closed_) return {channel_op_status::closed};
    if (channel_place* const popper = poppers_.claim_first(); popper != nullptr) return {channel_op_status::success, popper};
    if (ring_.is_full()) return {channel_op_status::full};
    ring_.put(std::move(value));
    return {channel_op_status::success};
  }
  // Inside the lock.
  step pop_step(pop_target<T>& target) {
    if (!ring_.is_empty()) return pop_from_ring(target);
    if (channel_place* const pusher = pushers_.claim_first(); pusher != nullptr) return {channel_op_status::success, pusher};
    return {is_closed_ ? channel_op_status::closed : channel_op_status::empty};
  }

  // Outside the lock, after a step that succeeded.
  static void settle_push(const step& done, T& value) {
    if (done.other == nullptr) return;
    unfinished other{done.other->waiter};
    static_cast<pop_target<T>*>(done.other->value)->put(std::move(value));
    other.finish();
  }
  // Outside the lock, after a step that succeeded. A pusher whose value went into the ring has no
  // `value` any more.
  static void settle_pop(const step& done, pop_target<T>& target) {
    if (done.other == nullptr) return;
    unfinished other{done.other->waiter};
    if (done.other->value != nullptr) target.put(std::move(*static_cast<T*>(done.other->value)));
    other.finish();
  }

  // Inside the lock.
  void enlist_pusher(channel_place* place) noexcept { pushers_.push_back(place); }
  void enlist_popper(channel_place* place) noexcept { poppers_.push_back(place); }
  void delist_pusher(channel_place* place) noexcept { pushers_.remove(place); }
  void delist_popper(channel_place* place) noexcept { poppers_.remove(place); }

  channel_op_status try_push(T& value) {
    std::unique_lock hold(lock_);
    const step done = push_step(value);
    hold.unlock();
    settle_push(done, value);
    return done.status;
  }
  channel_op_status try_pop(pop_target<T> target) {
    std::unique_lock hold(lock_);
    const step done = pop_step(target);
    hold.unlock();
    settle_pop(done, target);
    return done.status;
  }

  channel_op_status push(T& value, std::uint64_t deadline_ns) {
    std::unique_lock hold(lock_);
    const step done = push_step(value);
    if (done.status == channel_op_status::full) return wait_to_push(value, deadline_ns, hold);
    hold.unlock();
    settle_push(done, value);
    return done.status;
  }
  channel_op_status pop(pop_target<T> target, std::uint64_t deadline_ns) {
    std::unique_lock hold(lock_);
    const step done = pop_step(target);
    if (done.status == channel_op_status::empty) return wait_to_pop(target, deadline_ns, hold);
    hold.unlock();
    settle_pop(done, target);
    return done.status;
  }

  void close() noexcept {
    channel_place* claimed = nullptr;
    {
      const std::lock_guard hold(lock_);
      is_closed_ = true;
      poppers_.claim_all(&claimed);
      pushers_.claim_all(&claimed);
    }
    finish_all(claimed, channel_waiter::outcome::closed);
  }
  bool is_closed() noexcept {
    const std::lock_guard hold(lock_);
    return is_closed_;
  }

 private:
  // A claimed call: it tries again unless finish says that the value was handed over.
  struct unfinished {
    channel_waiter* waiter;
    channel_waiter::outcome result = channel_waiter::outcome::again;
    void finish() noexcept { result = channel_waiter::outcome::done; }
    ~unfinished() { waiter->finish(result); }
  };

  // The first waiting pusher takes the room that becomes free. If moving its value throws, it tries
  // again.
  step pop_from_ring(pop_target<T>& target) {
    target.put(std::move(ring_.front()));
    ring_.drop_front();
    channel_place* const pusher = pushers_.claim_first();
    if (pusher == nullptr) return {channel_op_status::success};
    if (pushers_try_again_) {
      pusher->waiter->finish(channel_waiter::outcome::again);
      return {channel_op_status::success};
    }
    struct guard {
      channel_place* pusher;
      ~guard() {
        if (pusher != nullptr) pusher->waiter->finish(channel_waiter::outcome::again);
      }
    } unmoved{pusher};
    ring_.put(std::move(*static_cast<T*>(pusher->value)));
    unmoved.pusher = nullptr;
    pusher->value = nullptr;
    return {channel_op_status::success, pusher};
  }

  channel_op_status wait_to_push(T& value, std::uint64_t deadline_ns, std::unique_lock<channel_lock>& hold) {
    for (;;) {
      channel_waiter me(deadline_ns, true);
      channel_place place{.waiter = &me, .value = std::addressof(value)};
      pushers_.push_back(&place);
      if (const auto status = wait_for_other(&me, &place, &pushers_, hold); status) return *status;
      hold.lock();
      const step done = push_step(value);
      if (done.status == channel_op_status::full) continue;
      hold.unlock();
      settle_push(done, value);
      return done.status;
    }
  }
  channel_op_status wait_to_pop(pop_target<T>& target, std::uint64_t deadline_ns, std::unique_lock<channel_lock>& hold) {
    for (;;) {
      channel_waiter me(deadline_ns, true);
      channel_place place{.waiter = &me, .value = &target};
      poppers_.push_back(&place);
      if (const auto status = wait_for_other(&me, &place, &poppers_, hold); status) return *status;
      hold.lock();
      const step done = pop_step(target);
      if (done.status == channel_op_status::empty) continue;
      hold.unlock();
      settle_pop(done, target);
      return done.status;
    }
  }

  // Returns without the lock. Nothing: the call has to try again.
  std::optional<channel_op_status> wait_for_other(channel_waiter* me, channel_place* place, channel_queue* queue,
                                                  std::unique_lock<channel_lock>& hold) {
    hold.unlock();
    if (const weft_status status = me->wait("channel"); status != WEFT_OK) {
      hold.lock();
      queue->remove(place);
      hold.unlock();
      if (status == WEFT_TIMEOUT) return channel_op_status::timeout;
      fail(status, "weft::channel");
    }
    switch (me->result()) {
      case channel_waiter::outcome::done: return channel_op_status::success;
      case channel_waiter::outcome::closed: return channel_op_status::closed;
      case channel_waiter::outcome::again: break;
    }
    return std::nullopt;
  }

  channel_lock lock_;
  bool is_closed_ = false;
  const bool pushers_try_again_;
  channel_queue poppers_;
  channel_queue pushers_;
  value_ring<T> ring_;
};

}  // namespace weft::detail
