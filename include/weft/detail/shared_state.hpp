// What a promise (or task, or async thread) and its futures share: one allocation, counted references.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/error.hpp>

namespace weft::detail {

class state_base {
 public:
  state_base(const state_base&) = delete;
  state_base& operator=(const state_base&) = delete;

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }  // by a holder: the count cannot reach 0
  void release() noexcept {
    // acquire and release: who deletes sees all that the other holders did. A sole holder needs no locked instruction.
    if (references_.load(std::memory_order_acquire) == 1 || references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  bool is_shared() const noexcept { return references_.load(std::memory_order_relaxed) > 1; }

  // Throws std::future_error when somebody has already claimed to satisfy it.
  void claim() {
    if (is_claimed_.exchange(true, std::memory_order_relaxed)) {  // publish orders what follows
      throw std::future_error(std::future_errc::promise_already_satisfied);
    }
  }
  void disclaim() noexcept { is_claimed_.store(false, std::memory_order_relaxed); }
  bool is_claimed() const noexcept { return is_claimed_.load(std::memory_order_relaxed); }

  // Once, by the claimant. The event is set only for those who wait: it costs more than all the rest.
  void publish() noexcept {
    std::uint8_t nobody = 0;
    // release: the result, for whoever sees it done
    if (!progress_.compare_exchange_strong(nobody, done, std::memory_order_acq_rel)) publish_to_waiters();
  }
  void publish_failure(std::exception_ptr failure) noexcept {
    failure_ = std::move(failure);
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

 protected:
  explicit state_base(std::uint32_t references) noexcept : references_(references) {}
  virtual ~state_base() = default;

 private:
  // Whoever waited in vain may find it done, and let all references go, before the event is set.
  void publish_to_waiters() noexcept {
    retain();
    progress_.fetch_or(done, std::memory_order_acq_rel);  // release: as above
    weft_event_set(&event_);
    release();
  }

  static constexpr std::uint8_t done = 1;
  static constexpr std::uint8_t awaited = 2;

  // Either the publisher sees that somebody waits, or the waiter sees that it is done.
  bool must_wait() noexcept { return !is_ready() && (progress_.fetch_or(awaited, std::memory_order_acq_rel) & done) == 0; }

  std::atomic<std::uint32_t> references_;
  std::atomic<bool> is_claimed_ = false;
  std::atomic<std::uint8_t> progress_ = 0;
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
