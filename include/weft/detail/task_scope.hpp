// Tasks that are awaited together: their number, the source of their stops, and the exception of
// the first one that threw.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <version>

#if defined(__cpp_lib_jthread)

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <variant>

#include <weft/ext.h>
#include <weft/weft.h>
#include <weft/detail/awaiting.hpp>
#include <weft/detail/sources.hpp>
#include <weft/error.hpp>
#include <weft/task.hpp>

namespace weft::detail {

// void as a value.
template <class T>
using value_of_task = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

// The last task to end touches the scope last by setting the event.
class task_scope {
 public:
  task_scope() = default;
  task_scope(const task_scope&) = delete;
  task_scope& operator=(const task_scope&) = delete;
  ~task_scope() = default;

  std::stop_token token() const noexcept { return source_.get_token(); }
  void request_stop() noexcept { source_.request_stop(); }

  // one: calls end_one() last.
  void begin(task<> one) {
    unfinished_.fetch_add(1, std::memory_order_relaxed);  // by the waiter, or by one that is counted
    try {
      static_cast<void>(weft::spawn(std::move(one), token()));
    } catch (...) {
      unfinished_.fetch_sub(1, std::memory_order_relaxed);
      throw;
    }
  }
  // Begins several. If one cannot be begun, those before it are stopped and awaited by end().
  template <class Begin>
  void begin_all(Begin begin) noexcept {
    try {
      begin();
    } catch (...) {
      end_by(std::current_exception());
    }
  }
  void end_one() noexcept {
    // acquire and release: the waiter sees what all tasks did
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) weft_event_set(&none_left_);
  }

  // By a task: the first caller ends all others. True: it is the first.
  bool end_by(std::exception_ptr failure) noexcept {
    if (has_ended_.exchange(true, std::memory_order_relaxed)) return false;
    failure_ = std::move(failure);  // read after end()
    request_stop();
    return true;
  }

  // co_await waits until none is left; a stop does not end that.
  task<> end() {
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) != 1) {
      co_await source_awaiter<event_source, false>(&none_left_);
      weft_event_reset(&none_left_);
    }
    unfinished_.store(1, std::memory_order_relaxed);
  }
  // After end().
  void rethrow() {
    has_ended_.store(false, std::memory_order_relaxed);
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  void check_joined() const noexcept {
    if (unfinished_.load(std::memory_order_acquire) == 1) return;
    std::fputs("weft::async_scope: it was destroyed with unfinished tasks: co_await join() before\n", stderr);
    std::abort();
  }

 private:
  std::stop_source source_;
  std::atomic<std::size_t> unfinished_ = 1;  // one more: the waiter
  std::atomic<bool> has_ended_ = false;
  std::exception_ptr failure_;
  weft_event none_left_ = WEFT_EVENT_INIT;
};

// As a stop callback.
struct stop_all {
  task_scope* of;
  void operator()() const noexcept { of->request_stop(); }
};
struct stop_source_of {
  std::stop_source* of;
  void operator()() const noexcept { of->request_stop(); }
};

// Each runs one task, whose frame goes before the scope may go.

template <class T>
task<> one_in_scope(task<T> one, task_scope& all) {
  try {
    task<T> mine = std::move(one);
    static_cast<void>(co_await std::move(mine));
  } catch (...) {
    all.end_by(std::current_exception());
  }
  all.end_one();
}

template <class T, class Take>
task<> one_and_its_value(task<T> one, task_scope& all, Take take) {
  try {
    task<T> mine = std::move(one);
    if constexpr (std::is_void_v<T>) {
      co_await std::move(mine);
      take(std::monostate());
    } else {
      take(co_await std::move(mine));
    }
  } catch (...) {
    all.end_by(std::current_exception());
  }
  all.end_one();
}

template <class T>
task<> one_of_all(task<T> one, task_scope& all, std::optional<value_of_task<T>>& value) {
  return one_and_its_value(std::move(one), all, [&value](value_of_task<T>&& from) { value.emplace(std::move(from)); });
}
template <std::size_t Number, class T, class Value>
task<> one_of_any(task<T> one, task_scope& all, Value& value) {
  return one_and_its_value(std::move(one), all, [&all, &value](value_of_task<T>&& from) {
    if (all.end_by(nullptr)) value.emplace(std::in_place_index<Number>, std::move(from));
  });
}
template <class T, class Value>
task<> numbered_one_of_any(task<T> one, task_scope& all, std::size_t number, Value& value) {
  return one_and_its_value(std::move(one), all, [&all, &value, number](value_of_task<T>&& from) {
    if (all.end_by(nullptr)) value.emplace(number, std::move(from));
  });
}

// Asks a source to stop at a deadline.
class stopping_timer {
 public:
  explicit stopping_timer(std::stop_source* source) noexcept : source_(source) {}
  stopping_timer(const stopping_timer&) = delete;
  stopping_timer& operator=(const stopping_timer&) = delete;
  ~stopping_timer() { weft_ext_await_cancel(&awaiter_); }

  void arm(std::uint64_t deadline_ns) {
    awaiter_.deadline_ns = deadline_ns;
    bool waits = false;
    const weft_status status = weft_ext_await(&awaiter_, nullptr, WEFT_AWAIT_DEADLINE, &waits);
    if (status == WEFT_TIMEOUT) return stop();
    check(status, "weft_ext_await");
  }
  bool has_come() const noexcept { return has_come_.load(std::memory_order_relaxed); }

 private:
  static void come(weft_awaiter* self, weft_status status) noexcept {
    if (status == WEFT_TIMEOUT) reinterpret_cast<stopping_timer*>(self)->stop();
  }
  void stop() noexcept {
    has_come_.store(true, std::memory_order_relaxed);  // the stop publishes it
    source_->request_stop();
  }

  weft_awaiter awaiter_ = WEFT_AWAITER_INIT(come);  // first: come finds the rest by its address
  std::stop_source* source_;
  std::atomic<bool> has_come_ = false;
};

// For a task that is awaited with another token than that of the awaiting task.
struct task_access {
  template <class T>
  static auto await_with(task<T>& one, const std::stop_token& token) {
    return task_awaiter<typename task<T>::promise_type>(one.valid_frame(), &token);
  }
};

}  // namespace weft::detail

#endif
