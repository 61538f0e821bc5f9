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
#include <mutex>
#include <new>
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
  // name, cure: of the message that ends the program if the scope goes before its tasks.
  task_scope(const char* name, const char* cure) : name_(name), cure_(cure) {}
  task_scope(const task_scope&) = delete;
  task_scope& operator=(const task_scope&) = delete;
  ~task_scope() {
    // acquire: pairs with end_one
    if (!is_awaited_ && unfinished_.load(std::memory_order_acquire) == 1) return;
    std::fprintf(stderr, "%s: it was destroyed with unfinished tasks: %s\n", name_, cure_);
    std::abort();
  }

  std::stop_token token() const noexcept {
    const std::lock_guard hold(lock_);
    return source_.get_token();
  }
  // By the program: of the tasks to come, too.
  void request_stop() noexcept {
    {
      const std::lock_guard hold(lock_);
      stays_stopped_ = true;
    }
    stop_tasks();
  }

  // one: calls end_one() last.
  void begin(task<> one) {
    unfinished_.fetch_add(1, std::memory_order_relaxed);  // by the waiter, or by one that is counted
    try {
      static_cast<void>(weft::spawn(std::move(one), token_of_next()));
    } catch (...) {
      end_one();
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
    stop_tasks();
    return true;
  }
  // By a task: the first caller's result is kept. That this throws is then how the task has ended.
  template <class Keep>
  void end_with(Keep keep) noexcept {
    if (!end_by(nullptr)) return;
    try {
      keep();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  // co_await waits until none is left; a stop does not end that.
  task<> end() {
    is_awaited_ = true;
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) != 1) {
      co_await source_awaiter<event_source, false>(&none_left_);
      weft_event_reset(&none_left_);
    }
    unfinished_.store(1, std::memory_order_relaxed);
    is_awaited_ = false;
  }
  // After end().
  void rethrow() {
    has_ended_.store(false, std::memory_order_relaxed);
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  // After end(), before rethrow(): a failure stops none of the tasks that are begun afterwards.
  void renew() noexcept {
    if (failure_ == nullptr) return;
    {
      const std::lock_guard hold(lock_);
      is_spent_ = true;
    }
    try {
      static_cast<void>(token_of_next());
    } catch (const std::bad_alloc&) {  // the next begin() tries again
    }
  }

 private:
  void stop_tasks() noexcept {
    std::stop_source source(std::nostopstate);
    {
      const std::lock_guard hold(lock_);
      source = source_;
    }
    source.request_stop();  // outside the lock, which its callbacks may take
  }
  std::stop_token token_of_next() {
    const std::lock_guard hold(lock_);
    if (is_spent_ && !stays_stopped_) source_ = std::stop_source();
    is_spent_ = false;
    return source_.get_token();
  }

  const char* const name_;
  const char* const cure_;
  mutable std::mutex lock_;  // of the next three; held for a few instructions
  std::stop_source source_;
  bool stays_stopped_ = false;
  bool is_spent_ = false;                    // its stop was that of a failure
  std::atomic<std::size_t> unfinished_ = 1;  // one more: the waiter
  bool is_awaited_ = false;                  // which has given up its one
  std::atomic<bool> has_ended_ = false;
  std::exception_ptr failure_;
  weft_event none_left_ = WEFT_EVENT_INIT;
};

// What helps where a call of tasks.hpp is destroyed while it waits.
inline constexpr const char* let_it_end = "request a stop of the coroutine that awaits it, and let it end";

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
    all.end_with([&] { value.emplace(std::in_place_index<Number>, std::move(from)); });
  });
}
template <class T, class Value>
task<> numbered_one_of_any(task<T> one, task_scope& all, std::size_t number, Value& value) {
  return one_and_its_value(std::move(one), all, [&all, &value, number](value_of_task<T>&& from) {
    all.end_with([&] { value.emplace(number, std::move(from)); });
  });
}

// Asks a source of its own to stop at a deadline, or when the runtime ends before that.
//
// No stop is requested inside the awaiter's ready: the callbacks cancel other awaiters, and two
// OS threads that do so would wait for each other's. A tasklet requests it, which may outlive this.
class stopping_timer {
 public:
  stopping_timer() : state_(new state) {}
  stopping_timer(const stopping_timer&) = delete;
  stopping_timer& operator=(const stopping_timer&) = delete;
  ~stopping_timer() {
    // acquire and release: the awaiter, which ready may have armed again; then it is not cancelled
    const bool tries_again = state_->phase.exchange(left, std::memory_order_acq_rel) == trying_again;
    if (!tries_again && weft_ext_await_cancel(&state_->awaiter)) drop(state_);
    drop(state_);
  }

  void arm(std::uint64_t deadline_ns) {
    state_->awaiter.deadline_ns = deadline_ns;
    state_->owners.fetch_add(1, std::memory_order_relaxed);
    bool waits = false;
    const weft_status status = weft_ext_await(&state_->awaiter, nullptr, WEFT_AWAIT_DEADLINE, &waits);
    if (status == WEFT_OK) return;
    state_->owners.fetch_sub(1, std::memory_order_relaxed);  // the other one is this
    if (status != WEFT_TIMEOUT) fail(status, "weft::with_timeout");
    state_->end.store(status, std::memory_order_relaxed);
    state_->source.request_stop();
  }
  std::stop_source& source() const noexcept { return state_->source; }
  // WEFT_OK: the stop was not requested by this.
  weft_status end() const noexcept { return state_->end.load(std::memory_order_relaxed); }

 private:
  enum phase : std::uint8_t { there, left, trying_again };

  struct state {
    weft_awaiter awaiter = WEFT_AWAITER_INIT(come);  // first: come finds the rest by its address
    std::stop_source source;
    std::atomic<int> owners = 1;  // the timer; and the awaiter, then the tasklet
    std::atomic<weft_status> end = WEFT_OK;
    std::atomic<stopping_timer::phase> phase = there;
  };

  static void come(weft_awaiter* self, weft_status status) noexcept {
    auto* const mine = reinterpret_cast<state*>(self);
    if (mine->end.load(std::memory_order_relaxed) == WEFT_OK) mine->end.store(status, std::memory_order_relaxed);
    while (weft_tasklet_create(request, mine, nullptr, nullptr) != WEFT_OK) {
      // Memory is exhausted: later. acquire and release: as in the destructor
      if (mine->phase.exchange(trying_again, std::memory_order_acq_rel) == left) return drop(mine);
      constexpr std::uint64_t pause_ns = 1'000'000;
      mine->awaiter.deadline_ns = weft_now_ns() + pause_ns;
      bool waits = false;
      const weft_status again = weft_ext_await(&mine->awaiter, nullptr, WEFT_AWAIT_DEADLINE, &waits);
      if (again == WEFT_OK) return;
      if (again != WEFT_TIMEOUT) return request(mine);  // no runtime would call again
    }
  }
  static void request(void* self) noexcept {
    auto* const mine = static_cast<state*>(self);
    mine->source.request_stop();
    drop(mine);
  }
  static void drop(state* one) noexcept {
    // acquire and release: what the other owner did comes before the end
    if (one->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete one;
  }

  state* const state_;
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
