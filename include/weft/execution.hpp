// Senders (P2300) of Weft: weft::runtime::scheduler, and weft::as_sender of what can be waited for.
//
//   weft::runtime runtime;
//   auto work = stdexec::schedule(runtime.get_scheduler()) | stdexec::then([] { return compute(); });
//   auto [value] = stdexec::sync_wait(std::move(work)).value();
//
// The vocabulary (set_value, connect, sender, ...) is that of the C++ library where it has one,
// else that of stdexec where <stdexec/execution.hpp> can be included, else a small one of the same
// names; weft::execution names it.
//
// A sender of the scheduler completes in a ULT, so what follows may block. Errors are
// std::exception_ptr to weft::error. A stop of the receiver's token ends each wait at once
// (set_stopped). An operation takes no memory of its own but the descriptor of the ULT.
//
// A weft::task awaits senders of any library: `co_await sender` returns its value (a std::tuple of
// several, nothing of none), throws its error, and weft::stopped after set_stopped. The sender gets
// the stop token of the task. The task goes on in a tasklet, and must not be destroyed meanwhile.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>
#include <weft/detail/execution_words.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/ext.h>
#include <weft/weft.h>
#include <weft/channel.hpp>
#include <weft/detail/chrono.hpp>
#include <weft/detail/pending.hpp>
#include <weft/detail/resumption.hpp>
#include <weft/detail/sender_awaiter.hpp>
#include <weft/detail/sources.hpp>
#include <weft/detail/stdexec_bulk.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/parallel_for.hpp>
#include <weft/runtime.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>

namespace weft {
namespace detail {
inline namespace WEFT_SENDERS_OVER {

template <class Receiver>
using token_of = execution::stop_token_of_t<execution::env_of_t<Receiver>>;

template <class Receiver>
void complete_with_problem(Receiver& to, weft_status status, const char* call) noexcept {
  execution::set_error(std::move(to), std::make_exception_ptr(error(status, call)));
}

// Waits for a source, and completes the receiver with its result, in a ULT. If there is nothing to
// wait for, it completes in start(), on its caller, unless the source is the scheduler's own.
template <class Source, class Receiver, class Completion>
class wait_operation : private resumption {
 public:
  using operation_state_concept = execution::operation_state_t;

  template <class... As>
  explicit wait_operation(Receiver to, As&&... arguments)
      : resumption{go_on, true}, to_(std::move(to)), source_(std::forward<As>(arguments)...), wait_(source_, this) {}
  wait_operation(wait_operation&&) = delete;

  void start() noexcept {
    bool waits = false;
    std::exception_ptr thrown;
    run_caught(
        [&] {
          if (source_.is_ready()) return;
          waits = wait_.start(token());
        },
        [&](std::exception_ptr failure) { thrown = std::move(failure); });
    if (waits) return;
    if (Source::completes_elsewhere && thrown == nullptr && !wait_.is_stopped()) {
      const weft_status status = this->try_post();
      if (status != WEFT_OK) complete_with_problem(to_, status, "weft::runtime::scheduler");
      return;
    }
    complete(std::move(thrown));
  }

 private:
  auto token() const noexcept { return execution::get_stop_token(execution::get_env(to_)); }

  static void go_on(resumption* self) noexcept {
    auto* const mine = static_cast<wait_operation*>(self);
    bool waits = false;
    std::exception_ptr thrown;
    run_caught([&] { waits = mine->wait_.restart(mine->token()); },
               [&](std::exception_ptr failure) { thrown = std::move(failure); });
    if (!waits) mine->complete(std::move(thrown));
  }
  // In place if no ULT could be made.
  void complete(std::exception_ptr thrown) noexcept {
    wait_.finish();
    if (wait_.is_stopped()) return execution::set_stopped(std::move(to_));
    if (thrown != nullptr) return execution::set_error(std::move(to_), std::move(thrown));
    run_caught(
        [this] {
          wait_.check_end();
          Completion::with(source_, to_);
        },
        [this](std::exception_ptr failure) { execution::set_error(std::move(to_), std::move(failure)); });
  }

  Receiver to_;
  Source source_;
  pending<Source, token_of<Receiver>> wait_;
};

// set_value of what the source's result is.
template <class T>
struct with_value {
  using signatures = execution::completion_signatures<execution::set_value_t(T), execution::set_error_t(std::exception_ptr),
                                                      execution::set_stopped_t()>;
  template <class Source, class Receiver>
  static void with(Source& from, Receiver& to) {
    T value = from.result();
    execution::set_value(std::move(to), std::forward<T>(value));
  }
};
template <>
struct with_value<void> {
  using signatures = execution::completion_signatures<execution::set_value_t(), execution::set_error_t(std::exception_ptr),
                                                      execution::set_stopped_t()>;
  template <class Source, class Receiver>
  static void with(Source& from, Receiver& to) {
    from.result();
    execution::set_value(std::move(to));
  }
};
// A pop: set_stopped if the channel is closed and empty.
template <class T>
struct with_popped {
  using signatures = typename with_value<T>::signatures;
  template <class Source, class Receiver>
  static void with(Source& from, Receiver& to) {
    std::optional<T> value = from.result();
    if (!value) return execution::set_stopped(std::move(to));
    execution::set_value(std::move(to), std::move(*value));
  }
};

// Argument: what the source is made of.
template <class Source, class Completion, class Argument>
class wait_sender {
 public:
  using sender_concept = execution::sender_t;
  using completion_signatures = typename Completion::signatures;

  explicit wait_sender(Argument&& argument) noexcept : argument_(std::forward<Argument>(argument)) {}

  template <class Receiver>
  auto connect(Receiver to) && {
    return wait_operation<Source, Receiver, Completion>(std::move(to), std::forward<Argument>(argument_));
  }
  template <class Receiver>
    requires std::is_reference_v<Argument> || std::copy_constructible<Argument>
  auto connect(Receiver to) const& {
    return wait_operation<Source, Receiver, Completion>(std::move(to), Argument(argument_));
  }

 private:
  Argument argument_;
};

}  // namespace WEFT_SENDERS_OVER
}  // namespace detail

// A handle of the runtime, from which senders are made. All handles are equal, since a process has
// one runtime.
class runtime::scheduler : public detail::scheduler_domain_query {
 public:
  using detail::scheduler_domain_query::query;
  // Marks the class as a scheduler, as P2300 requires.
  using scheduler_concept = execution::scheduler_t;

  // The attributes of the scheduler's senders.
  struct attributes : detail::scheduler_domain_query {
    using detail::scheduler_domain_query::query;
    // Returns the scheduler on which the senders complete.
    template <class... Env>
    scheduler query(execution::get_completion_scheduler_t<execution::set_value_t>, const Env&...) const noexcept {
      return {};
    }
  };

  // A sender that completes in a ULT.
  class schedule_sender;
  // A sender that completes in a ULT at a time.
  class timed_sender;
  // A sender that calls a function for each index, in parallel, and completes in a ULT.
  template <class F>
  class bulk_sender;

  // Returns a sender that completes in a ULT of the runtime, and never with an error: connect makes
  // the ULT, and throws weft::error if no runtime runs or memory is exhausted; start makes it ready.
  schedule_sender schedule() const noexcept;
  // Returns a sender that completes in a ULT after an interval; with the error ended if the runtime
  // ends before.
  template <class Rep, class Period>
  timed_sender schedule_after(const std::chrono::duration<Rep, Period>& interval) const noexcept;
  // Returns a sender that completes in a ULT at a time of std::chrono::steady_clock; with the error
  // ended if the runtime ends before.
  template <class Duration>
  timed_sender schedule_at(const std::chrono::time_point<std::chrono::steady_clock, Duration>& deadline) const noexcept;
  // Returns a sender that calls a copy of function(i) for each i below count, in parallel, and
  // completes when all calls have returned. If calls throw, the sender's error is the exception of
  // the lowest i among them.
  template <class F>
    requires std::invocable<F&, std::size_t>
  bulk_sender<std::decay_t<F>> bulk(std::size_t count, F&& function) const;

  // Returns that a ULT runs until it waits, yields or ends, and keeps the others of its worker from
  // running meanwhile.
  static constexpr execution::forward_progress_guarantee query(execution::get_forward_progress_guarantee_t) noexcept {
    return execution::forward_progress_guarantee::weakly_parallel;
  }
  // All schedulers are equal.
  friend bool operator==(const scheduler&, const scheduler&) noexcept { return true; }
};

inline runtime::scheduler runtime::get_scheduler() noexcept { return {}; }

namespace detail {
inline namespace WEFT_SENDERS_OVER {

// Runs in a ULT, which connect makes, and start() makes ready: so start cannot fail. Work that
// cannot throw completes with no error.
template <class Receiver, class Work>
class schedule_operation {
 public:
  using operation_state_concept = execution::operation_state_t;

  schedule_operation(Receiver to, Work work) : to_(std::move(to)), work_(std::move(work)) {
    weft_thread_attr attributes = WEFT_THREAD_ATTR_INIT;
    attributes.detached = true;
    check(weft_ext_thread_make(run, this, &attributes, false, &unit_), "weft_ext_thread_make");
  }
  schedule_operation(schedule_operation&&) = delete;
  ~schedule_operation() { weft_ext_thread_discard(unit_); }

  void start() noexcept {
    if constexpr (can_stop) {
      if (is_stopped()) {
        weft_ext_thread_discard(std::exchange(unit_, nullptr));  // before the receiver may destroy this
        return execution::set_stopped(std::move(to_));
      }
    }
    // The operation may be gone once its unit is ready. It fails for what is no unit alone.
    static_cast<void>(weft_ext_thread_start(std::exchange(unit_, nullptr)));
  }

 private:
  static constexpr bool can_stop = !never_stops<token_of<Receiver>>;

  bool is_stopped() const noexcept { return execution::get_stop_token(execution::get_env(to_)).stop_requested(); }

  static void run(void* self) noexcept {
    auto* const mine = static_cast<schedule_operation*>(self);
    if constexpr (can_stop) {
      if (mine->is_stopped()) return execution::set_stopped(std::move(mine->to_));
    }
    if constexpr (!std::is_nothrow_invocable_v<Work&>) {
      std::exception_ptr thrown;
      run_caught([&] { mine->work_(); }, [&](std::exception_ptr failure) { thrown = std::move(failure); });
      if (thrown != nullptr) return execution::set_error(std::move(mine->to_), std::move(thrown));
    }
    execution::set_value(std::move(mine->to_));
  }

  Receiver to_;
  [[no_unique_address]] Work work_;
  weft_thread* unit_ = nullptr;
};

struct no_work {
  void operator()() const noexcept {}
};

template <class F>
struct bulk_work {
  std::size_t count;
  F function;
  void operator()() {
    weft::for_each(weft::range(std::size_t{0}, count), [this](std::size_t i) { std::invoke(function, i); });
  }
};

class schedule_sender_base {
 public:
  using sender_concept = execution::sender_t;
  static runtime::scheduler::attributes get_env() noexcept { return runtime::scheduler::attributes(); }
};

}  // namespace WEFT_SENDERS_OVER
}  // namespace detail

// A sender that completes in a ULT.
class runtime::scheduler::schedule_sender : public detail::schedule_sender_base, public detail::schedule_completions {
 public:
  // Returns the operation that connects the sender with a receiver, and makes its ULT. The end of
  // the runtime waits until the operation has been started and has ended, or is destroyed. Throws
  // weft::error: not_initialized (no runtime runs), no_memory.
  template <class Receiver>
  auto connect(Receiver to) const {
    return detail::schedule_operation<Receiver, detail::no_work>(std::move(to), {});
  }
};

// A sender that completes in a ULT at a time.
class runtime::scheduler::timed_sender : public detail::schedule_sender_base {
 public:
  // How it completes.
  using completion_signatures = detail::with_value<void>::signatures;
  // Makes a sender that completes at a deadline, which is a time of weft_now_ns.
  explicit timed_sender(std::uint64_t deadline_ns) noexcept : deadline_ns_(deadline_ns) {}
  // Returns the operation that connects the sender with a receiver.
  template <class Receiver>
  auto connect(Receiver to) const {
    return detail::wait_operation<detail::timer_source, Receiver, detail::with_value<void>>(std::move(to), deadline_ns_);
  }

 private:
  std::uint64_t deadline_ns_;
};

// A sender that calls a function for each index, in parallel, and completes in a ULT.
template <class F>
class runtime::scheduler::bulk_sender : public detail::schedule_sender_base {
 public:
  // How it completes.
  using completion_signatures = detail::with_value<void>::signatures;
  // Makes a sender of the calls.
  explicit bulk_sender(detail::bulk_work<F> work) : work_(std::move(work)) {}
  // Returns the operation that connects the sender with a receiver.
  template <class Receiver>
  auto connect(Receiver to) && {
    return detail::schedule_operation<Receiver, detail::bulk_work<F>>(std::move(to), std::move(work_));
  }
  // Returns the operation that connects the sender with a receiver, with a copy of the function.
  template <class Receiver>
  auto connect(Receiver to) const& {
    return detail::schedule_operation<Receiver, detail::bulk_work<F>>(std::move(to), work_);
  }

 private:
  detail::bulk_work<F> work_;
};

inline runtime::scheduler::schedule_sender runtime::scheduler::schedule() const noexcept { return {}; }
template <class Rep, class Period>
runtime::scheduler::timed_sender runtime::scheduler::schedule_after(
    const std::chrono::duration<Rep, Period>& interval) const noexcept {
  return timed_sender(detail::deadline_in(interval));
}
template <class Duration>
runtime::scheduler::timed_sender runtime::scheduler::schedule_at(
    const std::chrono::time_point<std::chrono::steady_clock, Duration>& deadline) const noexcept {
  return timed_sender(detail::to_ns(deadline.time_since_epoch()));
}
template <class F>
  requires std::invocable<F&, std::size_t>
runtime::scheduler::bulk_sender<std::decay_t<F>> runtime::scheduler::bulk(std::size_t count, F&& function) const {
  return bulk_sender<std::decay_t<F>>({count, std::forward<F>(function)});
}

// Returns a sender of the result of a future: set_value(value), or set_error with the exception
// that was set.
template <class T>
[[nodiscard]] auto as_sender(future<T> one) {
  using source = detail::future_source<future<T>>;
  return detail::wait_sender<source, detail::with_value<T>, future<T>>(std::move(one));
}
// Returns a sender of a copy of the result.
template <class T>
[[nodiscard]] auto as_sender(shared_future<T> one) {
  using source = detail::future_source<shared_future<T>>;
  using value = std::remove_cvref_t<T>;
  return detail::wait_sender<source, detail::with_value<value>, shared_future<T>>(std::move(one));
}
// Returns a sender that completes when the thread has ended, and joins the thread.
[[nodiscard]] inline auto as_sender(thread& one) noexcept {
  return detail::wait_sender<detail::thread_source, detail::with_value<void>, thread&>(one);
}
// Returns a sender that completes when the latch is open.
[[nodiscard]] inline auto as_sender(latch& one) noexcept {
  return detail::wait_sender<detail::event_source, detail::with_value<void>, weft_event*>(one.native_handle());
}
// Returns a sender that completes when the event is set.
[[nodiscard]] inline auto as_sender(weft_event& one) noexcept {
  return detail::wait_sender<detail::event_source, detail::with_value<void>, weft_event*>(&one);
}
// Returns a sender of one value, which it pops from the channel. It completes with set_stopped if
// the channel is closed and empty.
template <class T>
[[nodiscard]] auto as_sender(detail::basic_channel<T>& channel) noexcept {
  return detail::wait_sender<detail::pop_source<T>, detail::with_popped<T>, detail::basic_channel<T>&>(channel);
}

// Starts a sender, and waits for its completion: returns a std::optional of a std::tuple of its
// values, which is empty after set_stopped, or throws its error. An error that is no exception_ptr
// and no error_code is thrown itself. The wait keeps no worker: in main or a thread other ULTs run
// meanwhile. Throws weft::error: cannot_block (a tasklet); what connect throws. May switch.
// Callable from a ULT or outside.
template <class Sender>
  requires detail::awaitable<Sender> && detail::declared_sender<Sender>
auto sync_wait(Sender&& sender) {
  return detail::wait_here(detail::task_of_sender(std::forward<Sender>(sender)), detail::task_token());
}
#if defined(__cpp_lib_jthread)
// Starts a sender whose stop token is the given one, and waits for its completion. All else is as
// for sync_wait of a sender alone.
template <class Sender>
  requires detail::awaitable<Sender> && detail::declared_sender<Sender>
auto sync_wait(Sender&& sender, std::stop_token token) {
  return detail::wait_here(detail::task_of_sender(std::forward<Sender>(sender)), std::move(token));
}
#endif

}  // namespace weft

#undef WEFT_SENDERS_OVER
