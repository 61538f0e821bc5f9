// What the two channels and select have in common: the queues of waiting calls, the buffer, and the
// steps of a push and of a pop.
//
// A step runs inside the lock and never waits. Where it finds a waiting call on the other side it
// claims that call, and hands the value over after the lock was released: settle_push, settle_pop.
// If moving a value throws, the call that moves it throws, and the call that was claimed tries
// again.
//
// In a process with one OS thread a value that is bytes goes into the buffer and out of it without
// the lock (push_plain, pop_plain): nothing else runs until the call has returned.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
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
#include <weft/detail/trampoline.hpp>
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
      : slots_(capacity != 0 ? std::allocator<T>().allocate(slots_for(capacity)) : nullptr),
        mask_(slots_for(capacity) - 1),
        capacity_(capacity) {}
  value_ring(const value_ring&) = delete;
  value_ring& operator=(const value_ring&) = delete;
  ~value_ring() {
    while (!is_empty()) drop_front();
    if (slots_ != nullptr) std::allocator<T>().deallocate(slots_, mask_ + 1);
  }

  std::size_t capacity() const noexcept { return capacity_; }
  bool is_empty() const noexcept { return back_ == front_; }
  bool holds(std::size_t count) const noexcept { return back_ - front_ >= count; }
  bool is_full() const noexcept { return holds(capacity_); }
  void put(T&& value) {
    std::construct_at(slots_ + (back_ & mask_), std::move(value));
    ++back_;
  }
  T& front() noexcept { return slots_[front_ & mask_]; }
  void drop_front() noexcept {
    std::destroy_at(std::addressof(front()));
    ++front_;
  }

 private:
  // A power of two, so that a number of a value leads to its slot by its low bits.
  static std::size_t slots_for(std::size_t capacity) noexcept {
    return capacity <= SIZE_MAX / 2 ? std::bit_ceil(capacity) : capacity;  // no memory is that large
  }

  T* slots_;
  std::size_t front_ = 0;  // the number of the first value, and of the one that comes next
  std::size_t back_ = 0;
  std::size_t mask_;
  std::size_t capacity_;
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
    bool must_try_again = false;         // the other one: it pushes itself
    channel_place* try_again = nullptr;  // the list of those that a pop claimed, and whose moves threw
  };

  explicit channel_core(std::size_t capacity, waiting_pushers how = waiting_pushers::hand_over)
      : room_(capacity), ring_(capacity), pushers_try_again_(how == waiting_pushers::try_again) {}

  // Values that are bytes, few enough to be returned in registers.
  static constexpr bool is_plain = std::is_trivially_copyable_v<T> && std::is_move_assignable_v<T> && sizeof(T) <= sizeof(void*);

  // As push without a deadline, of a value in a register. In a process with one OS thread a value
  // goes into the buffer, or the call waits, without a call.
  [[gnu::always_inline]] channel_op_status push_plain(T value)
    requires is_plain
  {
    if (is_alone()) {
      if (!ring_.holds(room_)) {
        ring_.put(T(value));
        return channel_op_status::success;
      }
      if (poppers_.is_empty() && !is_closed_) return wait_to_push_alone(value);
    }
    return hand_plain(value);
  }
  // As pop without a deadline, likewise. Nothing: the channel is closed and empty.
  [[gnu::always_inline]] std::optional<T> pop_plain()
    requires is_plain
  {
    if (is_alone() && pushers_.is_empty()) {
      if (!ring_.is_empty()) {
        const std::optional<T> value(ring_.front());
        ring_.drop_front();
        return value;
      }
      if (!is_closed_) return wait_to_pop_alone();
    }
    return take_plain();
  }

  channel_lock& lock() noexcept { return lock_; }
  std::size_t capacity() const noexcept { return ring_.capacity(); }

  // Inside the lock.
  step push_step(T& value) {
    if (is_closed_) return {channel_op_status::closed};
    if (channel_place* const popper = claim_popper(); popper != nullptr) return {channel_op_status::success, popper};
    if (ring_.is_full()) return {channel_op_status::full};
    const moves_inside_lock told(lock_);
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
    unfinished other{done.other};
    static_cast<pop_target<T>*>(done.other->value)->put(std::move(value));
    other.finish();
  }
  // Outside the lock, after a step that succeeded. A pusher whose value went into the ring has no
  // `value` any more.
  static void settle_pop(const step& done, pop_target<T>& target) {
    finish_all(done.try_again, channel_waiter::outcome::again);
    if (done.other == nullptr) return;
    unfinished other{done.other};
    if (done.must_try_again) return;
    if (done.other->value != nullptr) target.put(std::move(*static_cast<T*>(done.other->value)));
    other.finish();
  }

  // Inside the lock.
  void enlist_pusher(channel_place* place) noexcept { pushers_.push_back(place); }
  void enlist_popper(channel_place* place) noexcept {
    poppers_.push_back(place);
    room_ = 0;
  }
  void delist_pusher(channel_place* place) noexcept { pushers_.remove(place); }
  void delist_popper(channel_place* place) noexcept {
    poppers_.remove(place);
    open_buffer();
  }

  channel_op_status try_push(T& value) {
    lock_.lock();
    const step done = locked([&] { return push_step(value); });
    lock_.unlock();
    settle_push(done, value);
    return done.status;
  }
  channel_op_status try_pop(pop_target<T> target) {
    lock_.lock();
    const step done = locked([&] { return pop_step(target); });
    lock_.unlock();
    settle_pop(done, target);
    return done.status;
  }

  channel_op_status push(T& value, std::uint64_t deadline_ns) {
    lock_.lock();
    const step done = locked([&] { return push_step(value); });
    if (done.status == channel_op_status::full) return wait_to_push(value, deadline_ns);
    lock_.unlock();
    settle_push(done, value);
    return done.status;
  }
  channel_op_status pop(pop_target<T> target, std::uint64_t deadline_ns) {
    lock_.lock();
    const step done = locked([&] { return pop_step(target); });
    if (done.status == channel_op_status::empty) return wait_to_pop(target, deadline_ns);
    lock_.unlock();
    settle_pop(done, target);
    return done.status;
  }
  void close() noexcept {
    channel_place* claimed = nullptr;
    {
      const std::lock_guard hold(lock_);
      is_closed_ = true;
      room_ = 0;
      poppers_.claim_all(&claimed);
      pushers_.claim_all(&claimed);
    }
    finish_all(claimed, channel_waiter::outcome::closed);
  }
  bool is_closed() const noexcept {
    const std::lock_guard hold(lock_);
    return is_closed_;
  }

 private:
  // Values that are bytes are moved by no code of the program's.
  struct moves_unseen {
    explicit moves_unseen(channel_lock&) noexcept {}
  };
  using moves_inside_lock = std::conditional_t<std::is_trivially_copyable_v<T>, moves_unseen, channel_lock::moving>;

  // A claimed call: it tries again unless finish says that the value was handed over.
  struct unfinished {
    channel_place* call;
    channel_waiter::outcome result = channel_waiter::outcome::again;
    void finish() noexcept { result = channel_waiter::outcome::done; }
    ~unfinished() { call->finish(result); }
  };

  // The first waiting pusher takes the room that becomes free. If moving its value throws, it tries
  // again, and its own push throws; the next one takes the room. The pop keeps its value.
  step pop_from_ring(pop_target<T>& target) {
    const moves_inside_lock told(lock_);
    target.put(std::move(ring_.front()));
    ring_.drop_front();
    step done{channel_op_status::success};
    while (channel_place* const pusher = pushers_.claim_first()) {
      if (!pushers_try_again_ && !put_into_ring(*static_cast<T*>(pusher->value))) {
        pusher->next = std::exchange(done.try_again, pusher);
        continue;
      }
      done.other = pusher;
      done.must_try_again = pushers_try_again_;
      if (!pushers_try_again_) pusher->value = nullptr;
      break;
    }
    return done;
  }
  // False: moving the value threw, and it is where it was.
  bool put_into_ring(T& value) noexcept {
    if constexpr (std::is_nothrow_move_constructible_v<T>) {
      ring_.put(std::move(value));
      return true;
    } else {
      bool is_put = true;
      run_caught([&] { ring_.put(std::move(value)); }, [&](const std::exception_ptr&) { is_put = false; });
      return is_put;
    }
  }

  // For push_plain, and pop_plain: to a ULT that has parked, and whatever else is not simple.
  [[gnu::noinline]] channel_op_status hand_plain(T value) {
    if (!is_alone()) return push_slowly(value);
    channel_place* const popper = poppers_.first();
    if (popper == nullptr || popper->waiter != nullptr) return push_slowly(value);
    poppers_.remove_first();
    open_buffer();
    static_cast<pop_target<T>*>(popper->value)->put(T(value));
    popper->finish(channel_waiter::outcome::done);
    return channel_op_status::success;
  }
  [[gnu::noinline]] std::optional<T> take_plain() {
    if (!is_alone()) return pop_slowly();
    channel_place* const pusher = pushers_.first();
    if (pusher == nullptr || pusher->waiter != nullptr || !ring_.is_empty()) return pop_slowly();
    pushers_.remove_first();
    const T value = *static_cast<T*>(pusher->value);
    pusher->finish(channel_waiter::outcome::done);
    return value;
  }
  [[gnu::noinline]] channel_op_status push_slowly(T value) { return push(value, WEFT_FOREVER); }
  [[gnu::noinline]] std::optional<T> pop_slowly() {
    std::optional<T> value;
    static_cast<void>(pop(pop_target<T>(&value), WEFT_FOREVER));
    return value;
  }

  // In a process with one OS thread, where there is no room.
  [[gnu::always_inline]] channel_op_status wait_to_push_alone(T value) {
    channel_place place(std::addressof(value));
    pushers_.push_back(&place);
    if (place.park_alone() != WEFT_OK) [[unlikely]] {
      pushers_.remove(&place);
      return push_slowly(value);
    }
    return place.result == channel_waiter::outcome::done ? channel_op_status::success : push_slowly(value);
  }
  // Likewise, where there is nothing to pop.
  [[gnu::always_inline]] std::optional<T> wait_to_pop_alone() {
    union {
      T value;
      char none;
    } popped;
    pop_target<T> target(std::addressof(popped.value));
    channel_place place(&target);
    enlist_popper(&place);
    if (place.park_alone() != WEFT_OK) [[unlikely]] {
      delist_popper(&place);
      return pop_slowly();
    }
    if (place.result == channel_waiter::outcome::done) [[likely]]
      return popped.value;
    return pop_slowly();
  }

  // Inside the lock, which is released if the step throws.
  template <class Step>
  step locked(Step take) {
    struct guard {
      channel_lock* lock;
      ~guard() {
        if (lock != nullptr) lock->unlock();
      }
    } unlocks{&lock_};
    const step done = take();
    unlocks.lock = nullptr;
    return done;
  }

  channel_place* claim_popper() noexcept {
    if (poppers_.is_empty()) return nullptr;
    channel_place* const one = poppers_.claim_first();
    open_buffer();
    return one;
  }
  // The buffer takes values while no pop waits and the channel is open.
  void open_buffer() noexcept { room_ = poppers_.is_empty() && !is_closed_ ? ring_.capacity() : 0; }

  // Inside the lock, which is free afterwards.
  channel_op_status wait_to_push(T& value, std::uint64_t deadline_ns) {
    for (;;) {
      channel_place place(std::addressof(value));
      pushers_.push_back(&place);
      const auto over = wait_for_other(&place, deadline_ns, [&] { delist_pusher(&place); });
      if (over) return *over;
      lock_.lock();
      const step done = locked([&] { return push_step(value); });
      if (done.status == channel_op_status::full) continue;
      lock_.unlock();
      settle_push(done, value);
      return done.status;
    }
  }
  channel_op_status wait_to_pop(pop_target<T>& target, std::uint64_t deadline_ns) {
    for (;;) {
      channel_place place(&target);
      enlist_popper(&place);
      const auto over = wait_for_other(&place, deadline_ns, [&] { delist_popper(&place); });
      if (over) return *over;
      lock_.lock();
      const step done = locked([&] { return pop_step(target); });
      if (done.status == channel_op_status::empty) continue;
      lock_.unlock();
      settle_pop(done, target);
      return done.status;
    }
  }

  // Returns without the lock. Nothing: the call has to try again.
  template <class Delist>
  std::optional<channel_op_status> wait_for_other(channel_place* place, std::uint64_t deadline_ns, Delist delist) {
    if (deadline_ns == WEFT_FOREVER && place->park(&lock_) == WEFT_OK) [[likely]]
      return status_of(place->result);
    return wait_contested(place, deadline_ns, delist);
  }
  // By a caller that is no ULT, or has a deadline.
  template <class Delist>
  [[gnu::noinline]] std::optional<channel_op_status> wait_contested(channel_place* place, std::uint64_t deadline_ns,
                                                                    Delist delist) {
    channel_waiter me(deadline_ns, true);
    place->waiter = &me;
    place->branch = 1;
    lock_.unlock();
    if (const weft_status status = me.wait("channel"); status != WEFT_OK) {
      lock_.lock();
      delist();
      lock_.unlock();
      if (status == WEFT_TIMEOUT) return channel_op_status::timeout;
      fail(status, "weft::channel");
    }
    return status_of(me.result());
  }
  static std::optional<channel_op_status> status_of(channel_waiter::outcome result) noexcept {
    switch (result) {
      case channel_waiter::outcome::done: return channel_op_status::success;
      case channel_waiter::outcome::closed: return channel_op_status::closed;
      case channel_waiter::outcome::again: break;
    }
    return std::nullopt;
  }

  std::size_t room_;  // how many values the buffer may hold now
  value_ring<T> ring_;
  channel_queue pushers_;
  mutable channel_lock lock_;  // is_closed is const
  bool is_closed_ = false;
  const bool pushers_try_again_;
  channel_queue poppers_;
};

}  // namespace weft::detail
