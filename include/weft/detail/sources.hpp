// What coroutines and senders can wait for: see pending.hpp. Each has, besides what pending needs,
//   bool is_ready()    looks, and takes what is there if that is how it is waited for
//   result()           once the wait is over: the value, or throws
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/ext.h>
#include <weft/weft.h>
#include <weft/channel.hpp>
#include <weft/detail/channel_core.hpp>
#include <weft/detail/channel_wait.hpp>
#include <weft/detail/pending.hpp>
#include <weft/detail/shared_state.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/thread.hpp>

namespace weft::detail {

// An object of the core, by an awaiter of await.h.
class object_source {
 public:
  // deadline_ns: of the wait.
  object_source(void* object, weft_await_kind kind, std::uint64_t deadline_ns = WEFT_FOREVER) noexcept
      : object_(object), deadline_ns_(deadline_ns), kind_(kind) {}

  bool arm(notice* to) {
    record* const made = begin_record(to);
    bool waits = false;
    const weft_status status = weft_ext_await(&made->awaiter, object_, kind_, &waits);
    if (status == WEFT_TIMEOUT) {  // the deadline has passed
      is_late_ = true;
      return false;
    }
    check(status, "weft_ext_await");
    return waits;
  }
  bool cancel() noexcept { return weft_ext_await_cancel(&record_.awaiter); }
  static bool must_retry() noexcept { return false; }
  static constexpr bool completes_elsewhere = false;  // a sender may complete on the caller of start

 protected:
  void* object() const noexcept { return object_; }
  void set_value(std::uint64_t value) noexcept { value_ = value; }
  // After the wait: whether its deadline ended it.
  bool is_late() const noexcept { return is_late_; }

 private:
  struct record {
    weft_awaiter awaiter;  // first: ready finds the rest by its address
    notice* to;
    object_source* of;
  };
  // As WEFT_AWAITER_INIT, without the words that are not looked at before it is armed.
  record* begin_record(notice* to) noexcept {
    record* const made = ::new (&record_) record;
    made->awaiter.ready = ready;
    made->awaiter.deadline_ns = deadline_ns_;
    made->awaiter.value = value_;
    made->awaiter.winner = 0;
    made->awaiter.opaque[0] = 0;
    made->to = to;
    made->of = this;
    return made;
  }
  static void ready(weft_awaiter* awaiter, weft_status status) noexcept {
    auto* const told = reinterpret_cast<record*>(awaiter);
    notice* const to = told->to;
    if (status == WEFT_TIMEOUT) told->of->is_late_ = true;
    to->tell(to, status);
  }

  void* object_;
  std::uint64_t deadline_ns_;
  std::uint64_t value_ = 0;  // what the kind asks for
  weft_await_kind kind_;
  bool is_late_ = false;
  union {
    record record_;  // made when it is armed: it is large
  };
};

class event_source : public object_source {
 public:
  explicit event_source(weft_event* event, std::uint64_t deadline_ns = WEFT_FOREVER) noexcept
      : object_source(event, WEFT_AWAIT_EVENT, deadline_ns) {}
  bool is_ready() const noexcept { return weft_event_is_set(static_cast<weft_event*>(object())); }
  static void result() noexcept {}
};

class semaphore_source : public object_source {
 public:
  explicit semaphore_source(weft_semaphore* semaphore, std::uint64_t deadline_ns = WEFT_FOREVER) noexcept
      : object_source(semaphore, WEFT_AWAIT_SEMAPHORE, deadline_ns) {}
  bool is_ready() const noexcept { return weft_semaphore_try_acquire(static_cast<weft_semaphore*>(object())) == WEFT_OK; }
  static void result() noexcept {}
};

// A source with a deadline, whose result tells whether it has come.
template <class Source>
class timed_source : public Source {
 public:
  using Source::Source;
  bool result() const noexcept { return !this->is_late(); }
};

// The lock is always handed over, even if it is free: it then has no owner, and the coroutine may
// unlock it on another worker.
template <class Mutex, class Lock, weft_await_kind Kind>
class mutex_source : public object_source {
 public:
  explicit mutex_source(Mutex& mutex, std::uint64_t deadline_ns = WEFT_FOREVER) noexcept
      : object_source(mutex.native_handle(), Kind, deadline_ns), mutex_(mutex) {}
  static bool is_ready() noexcept { return false; }
  // Without the lock after the deadline.
  [[nodiscard]] Lock result() const { return is_late() ? Lock(mutex_, std::defer_lock) : Lock(mutex_, std::adopt_lock); }

 private:
  Mutex& mutex_;
};

class deadline_source : public object_source {
 public:
  explicit deadline_source(std::uint64_t deadline_ns) noexcept
      : object_source(nullptr, WEFT_AWAIT_DEADLINE, deadline_ns), deadline_ns_(deadline_ns) {}
  bool is_ready() const noexcept { return deadline_ns_ <= weft_now_ns(); }
  static void result() noexcept {}

 private:
  std::uint64_t deadline_ns_;
};

// As deadline_source, for a sender, which completes where the time has come, and never where it was
// started.
class timer_source : public object_source {
 public:
  explicit timer_source(std::uint64_t deadline_ns) noexcept : object_source(nullptr, WEFT_AWAIT_DEADLINE, deadline_ns) {}
  static bool is_ready() noexcept { return false; }
  static void result() noexcept {}
  static constexpr bool completes_elsewhere = true;
};

// Joins the thread.
class thread_source : public object_source {
 public:
  explicit thread_source(thread& one) noexcept : object_source(one.native_handle(), WEFT_AWAIT_THREAD), thread_(one) {}
  bool is_ready() {
    if (!thread_.try_join()) return false;
    is_joined_ = true;
    return true;
  }
  void result() {
    if (!is_joined_) thread_.join();  // at once
  }

 private:
  thread& thread_;
  bool is_joined_ = false;
};

// A future, or a reference to one.
template <class Future>
class future_source {
 public:
  explicit future_source(Future&& one) noexcept : future_(std::forward<Future>(one)) {}
  future_source(const future_source&) = delete;
  future_source& operator=(const future_source&) = delete;
  ~future_source() = default;

  bool is_ready() const { return future_access::state_of(future_)->is_ready(); }
  bool arm(notice* to) noexcept { return future_access::attach(future_, std::construct_at(&place_, place{{called}, to})); }
  bool cancel() noexcept { return future_access::detach(future_, &place_); }
  static bool must_retry() noexcept { return false; }
  static constexpr bool completes_elsewhere = false;
  // Of a shared_future that lives in here, a copy.
  decltype(auto) result() {
    if constexpr (std::is_reference_v<Future> || !std::is_lvalue_reference_v<taken>) {
      return future_access::take(future_);
    } else {
      return std::remove_cvref_t<taken>(future_access::take(future_));
    }
  }

 private:
  using taken = decltype(future_access::take(std::declval<std::remove_reference_t<Future>&>()));

  struct place : continuation {
    notice* to;
  };
  static void called(continuation* self) noexcept {
    notice* const to = static_cast<place*>(self)->to;
    to->tell(to, WEFT_OK);
  }

  Future future_;
  union {
    place place_;  // made when it is armed
  };
};

// A call at a channel.
template <class T>
class channel_source {
 public:
  explicit channel_source(basic_channel<T>& channel) noexcept : core_(channel_access::core_of(channel)) {}

  // After a wait that ended because moving the value failed on the other side.
  bool must_retry() const noexcept { return waiter_.result() == channel_waiter::outcome::again; }
  static constexpr bool completes_elsewhere = false;

 protected:
  struct waiter : channel_waiter {
    waiter() noexcept : channel_waiter(woken) {}
    notice* to = nullptr;
  };

  channel_core<T>& core() noexcept { return core_; }
  // Inside the lock.
  channel_place* stand_at(void* value, notice* to) noexcept {
    std::destroy_at(&waiter_);
    std::construct_at(&waiter_);
    waiter_.to = to;
    place_ = channel_place(&waiter_, value);
    return &place_;
  }
  // False: another caller has decided the wait.
  bool give_up() noexcept { return waiter_.decide(channel_waiter::given_up); }
  channel_place* place() noexcept { return &place_; }
  bool is_closed() const noexcept { return waiter_.result() == channel_waiter::outcome::closed; }

 private:
  static void woken(channel_waiter* self) noexcept {
    notice* const to = static_cast<waiter*>(self)->to;
    to->tell(to, WEFT_OK);
  }

  channel_core<T>& core_;
  waiter waiter_;
  channel_place place_;
};

template <class T>
class pop_source : public channel_source<T> {
 public:
  explicit pop_source(basic_channel<T>& channel) noexcept : channel_source<T>(channel) {}

  bool is_ready() { return step(nullptr); }
  bool arm(notice* to) { return !step(to); }
  bool cancel() noexcept {
    if (!this->give_up()) return false;
    const std::lock_guard hold(this->core().lock());
    this->core().delist_popper(this->place());
    return true;
  }
  // Nothing: the channel is closed and empty.
  std::optional<T> result() { return std::move(value_); }

 private:
  // True: over. to null: does not wait.
  bool step(notice* to) {
    std::unique_lock hold(this->core().lock());
    const auto done = this->core().pop_step(target_);
    if (done.status == channel_op_status::empty && to != nullptr) this->core().enlist_popper(this->stand_at(&target_, to));
    hold.unlock();
    if (done.status == channel_op_status::success) this->core().settle_pop(done, target_);
    return done.status != channel_op_status::empty;
  }

  std::optional<T> value_;
  pop_target<T> target_{&value_};
};

template <class T>
class push_source : public channel_source<T> {
 public:
  template <class U>
  push_source(basic_channel<T>& channel, U&& value) : channel_source<T>(channel), value_(std::forward<U>(value)) {}

  bool is_ready() { return step(nullptr); }
  bool arm(notice* to) { return !step(to); }
  bool cancel() noexcept {
    if (!this->give_up()) return false;
    const std::lock_guard hold(this->core().lock());
    this->core().delist_pusher(this->place());
    return true;
  }
  // success or closed.
  channel_op_status result() const noexcept {
    if (is_over_at_once_) return at_once_;
    return this->is_closed() ? channel_op_status::closed : channel_op_status::success;
  }

 private:
  bool step(notice* to) {
    std::unique_lock hold(this->core().lock());
    const auto done = this->core().push_step(value_);
    const bool waits = done.status == channel_op_status::full;
    if (!waits) {
      is_over_at_once_ = true;
      at_once_ = done.status;
    } else if (to != nullptr) {
      this->core().enlist_pusher(this->stand_at(std::addressof(value_), to));
    }
    hold.unlock();
    if (done.status == channel_op_status::success) this->core().settle_push(done, value_);
    return !waits;
  }

  T value_;
  channel_op_status at_once_ = channel_op_status::success;
  bool is_over_at_once_ = false;
};

}  // namespace weft::detail
