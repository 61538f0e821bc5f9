// What a promise (or task, or async thread) and its futures share: one allocation, counted
// references.
//
// One word says how far the result is, and where those stand that want to hear of it: callers that
// wait at the event, and continuations, which are called when the result comes (future::then, a
// coroutine's co_await). A future has one reader, whose continuation lies in the word itself; a
// shared_future's continuations stand in a list.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/detail/channel_wait.hpp>
#include <weft/error.hpp>

namespace weft::detail {

// Called once when a result has come, unless it was taken off before. Aligned, for the bits that
// stand beside its address in a state's word.
struct alignas(8) continuation {
  // On the OS thread that gave the result; it must not wait. The state no longer refers to the
  // continuation, which may be freed in it.
  void (*ready)(continuation* self) noexcept;
  // In a list of continuations; guarded by the state's lock.
  continuation* next = nullptr;
  continuation* previous = nullptr;
  bool is_listed = false;
};

class state_base {
 public:
  state_base(const state_base&) = delete;
  state_base& operator=(const state_base&) = delete;

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }  // by a holder: the count cannot reach 0
  void release() noexcept {
    // acquire and release: the last holder sees all that the others did. A sole holder needs no
    // locked instruction.
    if (references_.load(std::memory_order_acquire) == 1 || references_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  bool is_shared() const noexcept { return references_.load(std::memory_order_relaxed) > 1; }

  // Throws std::future_error when another thread has already claimed to satisfy it.
  void claim() {
    if (is_claimed_.exchange(true, std::memory_order_relaxed)) {  // publish orders what follows
      throw std::future_error(std::future_errc::promise_already_satisfied);
    }
  }
  void disclaim() noexcept { is_claimed_.store(false, std::memory_order_relaxed); }
  bool is_claimed() const noexcept { return is_claimed_.load(std::memory_order_relaxed); }

  // Once, by the claimant. The event is set only if a caller waits at it: it costs more than all
  // the rest.
  void publish() noexcept {
    std::uintptr_t expected = 0;
    // release: the result, for the caller that sees it done
    if (!progress_.compare_exchange_strong(expected, done, std::memory_order_acq_rel)) publish_to_waiters(expected);
  }
  void keep_failure(std::exception_ptr failure) noexcept { failure_ = std::move(failure); }
  void publish_failure(std::exception_ptr failure) noexcept {
    keep_failure(std::move(failure));
    publish();
  }

  bool is_ready() const noexcept { return (progress_.load(std::memory_order_acquire) & done) != 0; }
  void wait() {
    if (must_wait()) check(weft_event_wait(&event_), "weft_event_wait");
  }
  weft_status wait_until_ns(std::uint64_t deadline_ns) noexcept {
    return must_wait() ? weft_event_wait_until(&event_, deadline_ns) : WEFT_OK;
  }

  // Once ready. Null: there is a value.
  const std::exception_ptr& failure() const noexcept { return failure_; }
  void rethrow_failure() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

  // Has one->ready called when the result comes. False: it has come, and nothing was done. By the
  // one reader of a future, one at a time.
  bool attach(continuation* one) noexcept {
    std::uintptr_t seen = progress_.load(std::memory_order_acquire);
    do {
      if ((seen & done) != 0) return false;
      // release: the continuation, for the publisher; acquire: the result
    } while (
        !progress_.compare_exchange_weak(seen, seen | address_of(one), std::memory_order_acq_rel, std::memory_order_acquire));
    return true;
  }
  // False: ready was called, or is about to be.
  bool detach(continuation* one) noexcept {
    std::uintptr_t seen = progress_.load(std::memory_order_relaxed);
    do {
      if ((seen & done) != 0) return false;
      // acquire and release: the next continuation may lie in the same memory
    } while (
        !progress_.compare_exchange_weak(seen, seen & ~address_of(one), std::memory_order_acq_rel, std::memory_order_relaxed));
    return true;
  }
  // As attach and detach, for any number of readers.
  bool enlist(continuation* one) noexcept {
    const std::lock_guard hold(lock_);
    if ((progress_.fetch_or(listed, std::memory_order_acq_rel) & done) != 0) return false;
    one->previous = nullptr;
    one->next = first_;
    if (first_ != nullptr) first_->previous = one;
    first_ = one;
    one->is_listed = true;
    return true;
  }
  bool delist(continuation* one) noexcept {
    const std::lock_guard hold(lock_);
    if (!one->is_listed) return false;
    (one->previous != nullptr ? one->previous->next : first_) = one->next;
    if (one->next != nullptr) one->next->previous = one->previous;
    one->is_listed = false;
    return true;
  }

 protected:
  explicit state_base(std::uint32_t references) noexcept : references_(references) {}
  virtual ~state_base() = default;
  // Frees the state, when the last reference is gone.
  virtual void destroy() noexcept { delete this; }

 private:
  static constexpr std::uintptr_t done = 1;
  static constexpr std::uintptr_t awaited = 2;  // callers wait at the event
  static constexpr std::uintptr_t listed = 4;   // continuations stand in the list
  static constexpr std::uintptr_t flags = 7;    // the rest: the address of the one reader's continuation

  static std::uintptr_t address_of(continuation* one) noexcept { return reinterpret_cast<std::uintptr_t>(one); }

  // A caller that waited in vain may find it done, and let all references go, before the rest is
  // told: so the state keeps one of its own.
  void publish_to_waiters(std::uintptr_t seen) noexcept {
    const bool is_kept = (seen & (awaited | listed)) != 0;
    if (is_kept) retain();
    // release: the result; acquire: the continuation
    while (!progress_.compare_exchange_weak(seen, done, std::memory_order_acq_rel)) {
      if (!is_kept && (seen & (awaited | listed)) != 0) return publish_to_waiters(seen);
    }
    if ((seen & awaited) != 0) weft_event_set(&event_);
    if ((seen & listed) != 0) call_listed();
    auto* const one = reinterpret_cast<continuation*>(seen & ~flags);
    if (one != nullptr) one->ready(one);
    if (is_kept) release();
  }
  void call_listed() noexcept {
    continuation* claimed = nullptr;
    {
      const std::lock_guard hold(lock_);
      claimed = std::exchange(first_, nullptr);
      for (continuation* each = claimed; each != nullptr; each = each->next) each->is_listed = false;
    }
    while (claimed != nullptr) {
      continuation* const one = claimed;
      claimed = one->next;  // before it may go
      one->ready(one);
    }
  }

  // Either the publisher sees that a caller waits, or the waiter sees that it is done.
  bool must_wait() noexcept { return !is_ready() && (progress_.fetch_or(awaited, std::memory_order_acq_rel) & done) == 0; }

  std::atomic<std::uint32_t> references_;
  std::atomic<bool> is_claimed_ = false;
  channel_lock lock_;  // of the list
  std::atomic<std::uintptr_t> progress_ = 0;
  continuation* first_ = nullptr;
  weft_event event_ = WEFT_EVENT_INIT;
  std::exception_ptr failure_;  // written before it is done, read after
};

struct nothing {};

template <class T>
class state : public state_base {
  using stored =
      std::conditional_t<std::is_void_v<T>, nothing, std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>>;

 public:
  explicit state(std::uint32_t references) noexcept : state_base(references) {}

  // By the claimant, before publish.
  template <class... Us>
  void store(Us&&... value) {
    if constexpr (std::is_reference_v<T>) {
      value_.emplace(std::addressof(value)...);
    } else {
      value_.emplace(std::forward<Us>(value)...);
    }
  }
  template <class F, class... As>
  void store_result(F&& function, As&&... arguments) {
    if constexpr (std::is_void_v<T>) {
      std::invoke(std::forward<F>(function), std::forward<As>(arguments)...);
      store();
    } else {
      store(std::invoke(std::forward<F>(function), std::forward<As>(arguments)...));
    }
  }

  // Once ready. take moves the value out, for the only reader.
  T take() {
    rethrow_failure();
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(**value_);
    } else if constexpr (!std::is_void_v<T>) {
      return std::move(*value_);
    }
  }
  std::add_lvalue_reference_t<const T> look() const {
    rethrow_failure();
    if constexpr (std::is_reference_v<T>) {
      return **value_;
    } else if constexpr (!std::is_void_v<T>) {
      return *value_;
    }
  }

 private:
  std::optional<stored> value_;  // written before it is done, read after
};

// A reference, counted.
template <class State>
class state_pointer {
 public:
  state_pointer() noexcept = default;
  explicit state_pointer(State* adopted) noexcept : state_(adopted) {}
  state_pointer(const state_pointer& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) state_->retain();
  }
  state_pointer(state_pointer&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  state_pointer& operator=(state_pointer other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~state_pointer() {
    if (state_ != nullptr) state_->release();
  }

  explicit operator bool() const noexcept { return state_ != nullptr; }
  State* get() const noexcept { return state_; }
  State* operator->() const noexcept { return state_; }
  State* valid() const {
    if (state_ == nullptr) throw std::future_error(std::future_errc::no_state);
    return state_;
  }

 private:
  State* state_ = nullptr;
};

}  // namespace weft::detail
