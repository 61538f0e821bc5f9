// Several coroutines at once, each of which has ended when the wait for them is over: when_all,
// when_any, with_timeout, and async_scope for any number.
//
//   auto [price, stock] = co_await weft::when_all(ask_price(id), ask_stock(id));
//   std::variant<answer, answer> first = co_await weft::when_any(ask(east), ask(west));
//   answer one = co_await weft::with_timeout(ask(west), 50ms);
//
// The tasks run beside each other, each begun in a tasklet. What is not needed any more is asked to
// stop, and awaited: its waits throw weft::stopped, so that it unwinds. A stop of the task that
// awaits them is passed on to all. A task that never waits is not stopped.
//
// A coroutine that awaits one of these calls is not destroyed before the call has returned: its
// tasks use what lies in its frame. when_all, when_any and async_scope end the program with a
// message then.
//
// Nothing here switches. A C++ library without std::stop_source (libc++ before 20) has none of it.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <version>

#if defined(__cpp_lib_jthread)

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <weft/ext.h>
#include <weft/weft.h>
#include <weft/async_sync.hpp>
#include <weft/detail/awaiting.hpp>
#include <weft/detail/task_scope.hpp>
#include <weft/error.hpp>
#include <weft/task.hpp>

namespace weft {

// Any number of tasks, which may add others, and are awaited together.
//
//   weft::async_scope visitors;
//   while (auto next = co_await weft::async_pop(doors)) visitors.spawn(serve(*next));
//   co_await visitors.join();
class async_scope {
 public:
  async_scope() = default;
  async_scope(const async_scope&) = delete;
  async_scope& operator=(const async_scope&) = delete;
  // The scope has no unfinished tasks: join() has returned, or none was spawned. Otherwise the
  // program ends with a message, since a destructor cannot await them.
  ~async_scope() = default;

  // Begins a task in a tasklet; what it returns is dropped. If the task throws, all tasks of the
  // scope are asked to stop, those that begin before join() has thrown as well, and join() throws
  // the exception of the first one that did. Throws weft::error (invalid: there is no coroutine),
  // and std::bad_alloc. Never switches. Callable from any, also from tasks of the scope, but not
  // after the last of them has ended while join() waits.
  template <class T>
  void spawn(task<T> one) {
    if (!one.valid()) detail::fail(WEFT_INVALID, "weft::async_scope::spawn: the task has no coroutine");
    tasks_.begin(detail::one_in_scope(std::move(one), tasks_));
  }
  // Returns an awaitable: co_await waits for all tasks, and throws the exception of the first one
  // that threw. A stop of the awaiting task is passed on to them, as by request_stop(). The call is
  // made again for tasks that are spawned afterwards; an exception that was thrown stops none of
  // these. One caller at a time; a thread calls weft::sync_wait(scope.join()). Throws
  // std::bad_alloc. Never switches. Callable from any.
  [[nodiscard]] task<> join() {
    const std::stop_callback pass_on(co_await current_stop_token(), detail::stop_all{&tasks_});
    co_await tasks_.end();
    tasks_.renew();
    tasks_.rethrow();
  }
  // Asks all tasks to stop, those to come as well. Never switches. Callable from any.
  void request_stop() noexcept { tasks_.request_stop(); }
  // Returns the token of the tasks, another one after join() has thrown.
  std::stop_token get_token() const noexcept { return tasks_.token(); }

 private:
  detail::task_scope tasks_{"weft::async_scope", "co_await join() before"};
};

// Returns an awaitable: co_await waits for all of the tasks, and returns a std::tuple of what they
// return; std::monostate stands for void. If tasks throw, the others are asked to stop, and once
// all have ended, the exception of the first one that threw is thrown. Two allocations for each
// task, and three more: the frames and a stop state. co_await throws weft::error (a task has no
// coroutine, or cannot be begun). Never switches. Callable from any.
template <class... Ts>
  requires(sizeof...(Ts) != 0 && (!std::is_reference_v<Ts> && ...))
[[nodiscard]] task<std::tuple<detail::value_of_task<Ts>...>> when_all(task<Ts>... tasks) {
  std::tuple<std::optional<detail::value_of_task<Ts>>...> values;
  detail::task_scope all("weft::when_all", detail::let_it_end);
  task<> end = all.end();
  {
    const std::stop_callback pass_on(co_await current_stop_token(), detail::stop_all{&all});
    all.begin_all(
        [&] { std::apply([&](auto&... each) { (all.begin(detail::one_of_all(std::move(tasks), all, each)), ...); }, values); });
    co_await std::move(end);
  }
  all.rethrow();
  co_return std::apply([](auto&... each) { return std::tuple<detail::value_of_task<Ts>...>(std::move(*each)...); }, values);
}
// Returns an awaitable: co_await waits for all of the tasks, and returns a std::vector of what they
// return; std::monostate stands for void. If tasks throw, the others are asked to stop, and once
// all have ended, the exception of the first one that threw is thrown. Two allocations for each
// task, and five more. co_await throws weft::error (a task has no coroutine, or cannot be begun).
// Never switches. Callable from any.
template <class T>
  requires(!std::is_reference_v<T>)
[[nodiscard]] task<std::vector<detail::value_of_task<T>>> when_all(std::vector<task<T>> tasks) {
  std::vector<std::optional<detail::value_of_task<T>>> values(tasks.size());
  detail::task_scope all("weft::when_all", detail::let_it_end);
  task<> end = all.end();
  {
    const std::stop_callback pass_on(co_await current_stop_token(), detail::stop_all{&all});
    all.begin_all([&] {
      for (std::size_t i = 0; i < tasks.size(); ++i) all.begin(detail::one_of_all(std::move(tasks[i]), all, values[i]));
    });
    co_await std::move(end);
  }
  all.rethrow();
  std::vector<detail::value_of_task<T>> out;
  out.reserve(values.size());
  for (auto& each : values) out.push_back(std::move(*each));
  co_return out;
}

// Returns an awaitable: co_await waits until one of the tasks has ended, asks the others to stop,
// and awaits them. It returns a std::variant whose index() is the number of that task, with what it
// returned (std::monostate: void), or throws what it threw. What the others return or throw is
// dropped. co_await throws weft::error (a task has no coroutine, or cannot be begun). Never
// switches. Callable from any.
template <class... Ts>
  requires(sizeof...(Ts) != 0 && (!std::is_reference_v<Ts> && ...))
[[nodiscard]] task<std::variant<detail::value_of_task<Ts>...>> when_any(task<Ts>... tasks) {
  std::optional<std::variant<detail::value_of_task<Ts>...>> value;
  detail::task_scope all("weft::when_any", detail::let_it_end);
  task<> end = all.end();
  {
    const std::stop_callback pass_on(co_await current_stop_token(), detail::stop_all{&all});
    all.begin_all([&] {
      [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        (all.begin(detail::one_of_any<Is>(std::move(tasks), all, value)), ...);
      }(std::index_sequence_for<Ts...>());
    });
    co_await std::move(end);
  }
  all.rethrow();
  co_return std::move(*value);
}
// Returns an awaitable: co_await waits until one of the tasks has ended, asks the others to stop,
// and awaits them. It returns a std::pair of the number of that task and what it returned, or
// throws what it threw. What the others return or throw is dropped. co_await throws weft::error (a
// task has no coroutine, or cannot be begun); weft::error: invalid (no tasks). Never switches.
// Callable from any.
template <class T>
  requires(!std::is_reference_v<T>)
[[nodiscard]] task<std::pair<std::size_t, detail::value_of_task<T>>> when_any(std::vector<task<T>> tasks) {
  if (tasks.empty()) detail::fail(WEFT_INVALID, "weft::when_any: it is given no tasks");
  std::optional<std::pair<std::size_t, detail::value_of_task<T>>> value;
  detail::task_scope all("weft::when_any", detail::let_it_end);
  task<> end = all.end();
  {
    const std::stop_callback pass_on(co_await current_stop_token(), detail::stop_all{&all});
    all.begin_all([&] {
      for (std::size_t i = 0; i < tasks.size(); ++i) all.begin(detail::numbered_one_of_any(std::move(tasks[i]), all, i, value));
    });
    co_await std::move(end);
  }
  all.rethrow();
  co_return std::move(*value);
}

namespace detail {

template <class T>
task<T> run_until(task<T> one, std::uint64_t deadline_ns) {
  stopping_timer late;
  const std::stop_token token = late.source().get_token();
  const std::stop_callback pass_on(co_await current_stop_token(), stop_source_of{&late.source()});
  late.arm(deadline_ns);
  try {
    co_return co_await task_access::await_with(one, token);
  } catch (const stopped&) {
    if (late.end() == WEFT_OK) throw;
  }
  if (late.end() == WEFT_TIMEOUT) {
    throw error(WEFT_TIMEOUT, "weft::with_timeout: the deadline passed, and the task was stopped");
  }
  throw error(late.end(), "weft::with_timeout: the runtime ended before the deadline, and the task was stopped");
}

}  // namespace detail

// Returns an awaitable: co_await runs the task in the coroutine that awaits it, and returns or
// throws what the task does. If the deadline passes before the task has ended, the task is asked to
// stop; once it has ended by weft::stopped, co_await throws weft::error: timeout. A task that ends
// otherwise all the same is not late. If the runtime ends before the deadline and the task, the
// task is asked to stop as well, and co_await throws weft::error: ended. co_await throws
// weft::error, too: not_initialized (no runtime runs), invalid (there is no coroutine). Never
// switches. Callable from any.
template <class T, detail::steady_time End>
[[nodiscard]] task<T> with_timeout(task<T> one, const End& deadline) {
  return detail::run_until(std::move(one), detail::end_ns(deadline));
}
// Returns an awaitable: co_await runs the task in the coroutine that awaits it, for an interval at
// most, and returns or throws what the task does. The interval begins with this call. If the
// interval is over before the task has ended, the task is asked to stop; once it has ended by
// weft::stopped, co_await throws weft::error: timeout. A task that ends otherwise all the same is
// not late. If the runtime ends before its end and the task, the task is asked to stop as well, and
// co_await throws weft::error: ended. co_await throws weft::error, too: not_initialized (no runtime
// runs), invalid (there is no coroutine). Never switches. Callable from any.
template <class T, detail::interval End>
[[nodiscard]] task<T> with_timeout(task<T> one, const End& interval) {
  return detail::run_until(std::move(one), detail::end_ns(interval));
}

}  // namespace weft

#endif
