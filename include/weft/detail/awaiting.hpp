// How a coroutine waits and goes on: what every task's promise has, and the awaiters.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/detail/pending.hpp>
#include <weft/detail/resumption.hpp>
#include <weft/detail/shared_state.hpp>
#include <weft/detail/stop.hpp>
#include <weft/detail/trampoline.hpp>
#include <weft/error.hpp>

namespace weft {

// What a wait of a coroutine throws when a stop was requested. status() is WEFT_ENDED.
class stopped : public error {
 public:
  stopped() : error(WEFT_ENDED, "weft::task: a stop was requested") {}
};

namespace detail {

#if defined(__cpp_lib_jthread)
using task_token = std::stop_token;
#else
using task_token = no_stop;
#endif
inline const task_token no_token{};

template <class T>
class spawned;
template <class T>
class waited_for;
struct task_access;

// What hears of a task's end: a coroutine, a future, or a sync_wait.
struct task_end {
  // The task may be destroyed in it. `on` is the loop that runs the task.
  void (*ended)(task_end* self, runner& on) noexcept;
};

// For await_sender, which execution.hpp defines: so a task awaits senders of any library.
struct sender_await_tag {};

// What co_await would use of an expression.
template <class Awaitable>
decltype(auto) awaiter_of(Awaitable&& one) {
  if constexpr (requires { std::forward<Awaitable>(one).operator co_await(); }) {
    return std::forward<Awaitable>(one).operator co_await();
  } else if constexpr (requires { operator co_await(std::forward<Awaitable>(one)); }) {
    return operator co_await(std::forward<Awaitable>(one));
  } else if constexpr (requires { await_sender(sender_await_tag(), std::forward<Awaitable>(one)); }) {
    return await_sender(sender_await_tag(), std::forward<Awaitable>(one));
  } else {
    return std::forward<Awaitable>(one);
  }
}

template <class Awaitable>
concept awaitable = requires(Awaitable&& one) {
  awaiter_of(std::forward<Awaitable>(one)).await_ready();
  awaiter_of(std::forward<Awaitable>(one)).await_resume();
};

struct own_awaiter {};  // the base of the awaiters that resume a task in a loop

template <class Awaitable>
class foreign_awaiter;

// An awaiter that lies elsewhere, and is not to be moved, as g++ 12 does with those that
// await_transform returns a reference to.
template <class Awaiter>
struct awaiter_reference {
  Awaiter& of;
  decltype(auto) await_ready() { return of.await_ready(); }
  template <class Promise>
  auto await_suspend(std::coroutine_handle<Promise> self) {
    return of.await_suspend(self);
  }
  decltype(auto) await_resume() { return of.await_resume(); }
};

class task_promise_base {
  struct final_awaiter {
    static bool await_ready() noexcept { return false; }
    template <class Promise>
    static void await_suspend(std::coroutine_handle<Promise> self) noexcept {
      task_promise_base& mine = self.promise();
      if (mine.on != nullptr) return mine.end->ended(mine.end, *mine.on);
      runner here;
      mine.end->ended(mine.end, here);
      here.run();
    }
    static void await_resume() noexcept {}
  };

 public:
  static std::suspend_always initial_suspend() noexcept { return {}; }
  static final_awaiter final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { failure_ = std::current_exception(); }
  void rethrow() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }
  template <class Awaitable>
  static decltype(auto) await_transform(Awaitable&& one) {
    using awaiter = decltype(awaiter_of(std::forward<Awaitable>(one)));
    if constexpr (!std::derived_from<std::remove_cvref_t<awaiter>, own_awaiter>) {
      return foreign_awaiter<Awaitable>(std::forward<Awaitable>(one));
    } else if constexpr (std::is_reference_v<awaiter>) {
      return awaiter_reference<std::remove_reference_t<awaiter>>{one};
    } else {
      return awaiter_of(std::forward<Awaitable>(one));
    }
  }

  task_end* end = nullptr;
  const task_token* token = &no_token;  // of the task that began the chain
  runner* on = nullptr;                 // the loop in which it runs; null: another library runs it

 private:
  std::exception_ptr failure_;
};

template <class Promise>
inline constexpr bool is_task_promise = std::derived_from<Promise, task_promise_base>;

// Runs a task, and those that follow, until one waits.
inline void run_task(std::coroutine_handle<> self, task_promise_base& promise) noexcept {
  runner here{self};
  promise.on = here.address();
  here.run();
}

// The coroutine that waits, a task or another library's.
class waiting_coroutine {
 public:
  template <class Promise>
  void set(std::coroutine_handle<Promise> self) noexcept {
    self_ = self;
    if constexpr (is_task_promise<Promise>) promise_ = &self.promise();
  }
  const task_token& token() const noexcept { return promise_ != nullptr ? *promise_->token : no_token; }
  void resume() const noexcept { promise_ != nullptr ? run_task(self_, *promise_) : self_.resume(); }
  // As the successor in a loop.
  void follow(runner& on) const noexcept {
    if (promise_ != nullptr) promise_->on = &on;
    on.next = self_;
  }

 private:
  std::coroutine_handle<> self_;
  task_promise_base* promise_ = nullptr;
};

// co_await in a task of what another library offers, which then resumes the task by itself.
template <class Awaitable>
class foreign_awaiter : public own_awaiter {
  using inner = decltype(awaiter_of(std::declval<Awaitable>()));

 public:
  explicit foreign_awaiter(Awaitable&& one) : inner_(awaiter_of(std::forward<Awaitable>(one))) {}

  decltype(auto) await_ready() { return inner_.await_ready(); }
  template <class Promise>
  auto await_suspend(std::coroutine_handle<Promise> self) {
    runner* const on = std::exchange(self.promise().on, nullptr);
    if constexpr (std::is_same_v<decltype(inner_.await_suspend(self)), bool>) {
      if (inner_.await_suspend(self)) return true;
      self.promise().on = on;
      return false;
    } else {
      return inner_.await_suspend(self);
    }
  }
  decltype(auto) await_resume() { return std::forward<inner>(inner_).await_resume(); }

 private:
  inner inner_;
};

// co_await of a source. What a wait needs is made only if there is one: what is ready costs little
// more than the look. IsStoppable: a stop of the task ends the wait.
template <class Source, bool IsStoppable = true>
class [[nodiscard]] source_awaiter : public own_awaiter {
 public:
  template <class... As>
    requires std::constructible_from<Source, As...>
  explicit source_awaiter(As&&... arguments) : source_(std::forward<As>(arguments)...) {}
  source_awaiter(const source_awaiter&) = delete;
  source_awaiter& operator=(const source_awaiter&) = delete;
  ~source_awaiter() {
    if (is_started_) std::destroy_at(&wait_);
  }

  bool await_ready() { return source_.is_ready(); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) {
    std::construct_at(&wait_, source_);
    is_started_ = true;
    wait_.self.set(self);
    return wait_.pending.start(wait_.token());
  }
  decltype(auto) await_resume() {
    if (is_started_) wait_.finish();
    return source_.result();
  }

 private:
  struct wait : resumption {
    explicit wait(Source& source) noexcept : resumption{go_on}, pending(source, this) {}

    const task_token& token() const noexcept { return IsStoppable ? self.token() : no_token; }

    static void go_on(resumption* self) noexcept {
      auto* const mine = static_cast<wait*>(self);
      bool waits = false;
      run_caught([&] { waits = mine->pending.restart(mine->token()); },
                 [&](std::exception_ptr thrown) { mine->failure = std::move(thrown); });
      if (!waits) mine->self.resume();
    }
    void finish() {
      pending.finish();
      if (pending.is_stopped()) throw stopped();
      if (failure != nullptr) std::rethrow_exception(failure);
      pending.check_end();
    }

    waiting_coroutine self;
    std::exception_ptr failure;
    detail::pending<Source, task_token> pending;
  };

  Source source_;
  bool is_started_ = false;
  union {
    wait wait_;
  };
};

// co_await of a task: it begins in the loop of the task that awaits it. Another library's coroutine
// has no such loop: there it is run at once, and if it ends at once, the coroutine does not wait.
template <class Promise>
class task_awaiter : public own_awaiter, private task_end {
 public:
  // token: of the awaited task; null: that of the task that awaits it.
  explicit task_awaiter(std::coroutine_handle<Promise> awaited, const task_token* token = nullptr) noexcept
      : task_end{ended}, awaited_(awaited), token_(token) {}

  static bool await_ready() noexcept { return false; }
  template <class Awaiting>
  bool await_suspend(std::coroutine_handle<Awaiting> self) noexcept {
    self_.set(self);
    awaited_.promise().end = this;
    if (token_ != nullptr) awaited_.promise().token = token_;
    if constexpr (is_task_promise<Awaiting>) {
      if (token_ == nullptr) awaited_.promise().token = self.promise().token;
      if (runner* const on = self.promise().on; on != nullptr) {
        step_.store(suspended, std::memory_order_relaxed);  // in this loop, or after what publishes the wait
        awaited_.promise().on = on;
        on->next = awaited_;
        return true;
      }
    }
    run_task(awaited_, awaited_.promise());
    return step_.exchange(suspended, std::memory_order_acq_rel) != over;
  }
  decltype(auto) await_resume() const { return awaited_.promise().take(); }

 private:
  static constexpr int suspended = 1;
  static constexpr int over = 2;

  static void ended(task_end* self, runner& on) noexcept {
    auto* const mine = static_cast<task_awaiter*>(self);
    // acquire and release: the task's end, and what the awaiting coroutine wrote before it waited
    if (mine->step_.load(std::memory_order_acquire) == suspended ||
        mine->step_.exchange(over, std::memory_order_acq_rel) == suspended) {
      mine->self_.follow(on);
    }
  }

  std::coroutine_handle<Promise> awaited_;
  const task_token* token_;
  waiting_coroutine self_;
  std::atomic<int> step_ = 0;
};

// co_await resume_on(...).
class moving_awaiter : public own_awaiter, private resumption {
 public:
  explicit moving_awaiter(const weft_thread_attr& attributes) noexcept : resumption{go_on}, attributes_(attributes) {}

  static bool await_ready() noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> self) {
    self_.set(self);
    check(try_post(&attributes_), "weft::resume_on");
  }
  static void await_resume() noexcept {}

 private:
  static void go_on(resumption* self) noexcept { static_cast<moving_awaiter*>(self)->self_.resume(); }

  weft_thread_attr attributes_;
  waiting_coroutine self_;
};

// co_await on_thread(...).
template <class F>
class thread_awaiter : public own_awaiter {
  using value = std::invoke_result_t<F&>;

 public:
  template <class G>
  thread_awaiter(G&& function, const weft_thread_attr& attributes)
      : function_(std::forward<G>(function)), attributes_(attributes) {}
  thread_awaiter(const thread_awaiter&) = delete;
  thread_awaiter& operator=(const thread_awaiter&) = delete;
  ~thread_awaiter() {
    if (is_running_) destroyed_on_the_way();
  }

  static bool await_ready() noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> self) {
    self_.set(self);
    is_running_ = true;
    if (const weft_status status = weft_thread_create(run, this, &attributes_, nullptr); status != WEFT_OK) {
      is_running_ = false;
      fail(status, "weft::on_thread");
    }
  }
  value await_resume() {
    is_running_ = false;
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    if constexpr (std::is_reference_v<value>) {
      return static_cast<value>(**result_);
    } else if constexpr (!std::is_void_v<value>) {
      return std::move(*result_);
    }
  }

 private:
  using stored = std::conditional_t<
      std::is_void_v<value>, nothing,
      std::conditional_t<std::is_reference_v<value>, std::remove_reference_t<value>*, std::remove_cv_t<value>>>;

  static void run(void* self) noexcept {
    auto* const mine = static_cast<thread_awaiter*>(self);
    run_caught([mine] { mine->call(); }, [mine](std::exception_ptr failure) { mine->failure_ = std::move(failure); });
    mine->self_.resume();
  }
  void call() {
    if constexpr (std::is_void_v<value>) {
      std::invoke(function_);
    } else if constexpr (std::is_reference_v<value>) {
      result_.emplace(std::addressof(std::invoke(function_)));
    } else {
      result_.emplace(std::invoke(function_));
    }
  }

  F function_;
  weft_thread_attr attributes_;
  bool is_running_ = false;
  waiting_coroutine self_;
  std::exception_ptr failure_;
  std::optional<stored> result_;
};

#if defined(__cpp_lib_jthread)
// co_await current_stop_token().
class token_awaiter : public own_awaiter {
 public:
  static bool await_ready() noexcept { return false; }
  template <class Promise>
    requires is_task_promise<Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
    token_ = *self.promise().token;
    return false;
  }
  std::stop_token await_resume() noexcept { return std::move(token_); }

 private:
  std::stop_token token_;
};
#endif

}  // namespace detail
}  // namespace weft
