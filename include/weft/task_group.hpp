// weft::task_group: tasks whose number is not known beforehand, waited for together.
//
//   weft::task_group group;
//   for (const auto& each : found) group.run([&] { visit(each, group); });  // visit may run more tasks of the group
//   group.wait();
//
// Each task is a ULT of its own, which keeps the function, without malloc up to WEFT_COPY_MAX bytes
// less some for the group. It may block, and a thread that waits for the group neither spins nor
// runs others' tasks. Not forks: those are joined by their forker before the function around it
// returns, and a group's tasks are added by any thread, also by children that have returned when
// the group is waited for. Where each child is joined in the frame that made it, weft::invoke,
// weft::fork and the loops cost a tenth.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <version>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#if defined(__cpp_lib_jthread)
#include <stop_token>
#endif
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/callable.hpp>
#include <weft/detail/caller.hpp>
#include <weft/detail/first_failure.hpp>
#include <weft/error.hpp>

namespace weft {

// A group of any number of tasks. Tasks may add tasks to their group, and one wait waits for all of
// them.
class task_group {
 public:
  task_group() = default;
#if defined(__cpp_lib_jthread)
  // Makes a group that uses a stop source. A task that takes a stop token is called with the
  // source's token.
  //
  // A stop request cancels the group for good, and cancel() requests a stop. So a wait of a task
  // ends at once if the task passes the token on to it: to sleeps, select, condition_variable_any,
  // coroutines, and groups of its own (by get_stop_source()). Throws std::bad_alloc. Never
  // switches. Callable from any.
  explicit task_group(std::stop_source source) : source_(std::move(source)) {
    if (source_.stop_possible()) on_stop_ = std::make_unique<stop_callback>(source_.get_token(), need_none{&failure_});
  }
  // Returns the stop source. For a group that was made without a source, the returned source has no
  // state.
  std::stop_source get_stop_source() const noexcept { return source_; }
#endif
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  // Waits for all tasks. An exception of a task that no wait() has thrown is dropped
  // (dropped_exceptions.hpp). May switch. If a tasklet would have to wait, the program ends.
  ~task_group() { wait_for_all(); }  // NOLINT(bugprone-exception-escape): meant

  // Adds a task, which calls a copy of function on some worker. In a tasklet, and while no runtime
  // runs, the call runs the function itself before it returns, because the caller could not wait
  // for the task. Throws weft::error, and what copying function throws. Never switches, unless it
  // runs the function itself. Callable from any, also from tasks of the group.
  template <class Function>
  void run(Function&& function, detail::caller made_by = detail::caller()) {
    constexpr bool is_child = child_function<std::decay_t<Function>>;
#if defined(__cpp_lib_jthread)
    if constexpr (!is_child && std::invocable<std::decay_t<Function>&, std::stop_token>) {
      return add([token = source_.get_token(),
                  called = std::decay_t<Function>(std::forward<Function>(function))]() mutable { std::invoke(called, token); },
                 made_by);
    } else
#endif
    {
      static_assert(is_child, "weft::child_function: task_group::run calls a function without arguments, or with a stop_token");
      if constexpr (is_child) add(std::forward<Function>(function), made_by);
    }
  }

  // Waits until no task is left. Afterwards the group can be used anew. If tasks throw, the call
  // throws the exception of the task that was added first among them. Tasks that were added after
  // that one may have been skipped, and further exceptions are dropped.
  //
  // Returns false if cancel() was called, so that tasks may have been skipped. Throws weft::error:
  // cannot_block; and what a task threw. May switch. Callable from a ULT or outside, and from a
  // tasklet if there is nothing to wait for; by one caller at a time. Undefined: a call from a task
  // of the group, which would wait for itself.
  bool wait() {
    wait_for_all();
    const bool is_complete = !is_cancelled();
    failure_.rethrow();
    return is_complete;
  }

  // Cancels the group: a task that has not started is skipped, until wait() has returned. Never
  // switches. Callable from any.
  void cancel() noexcept {
    failure_.need_only_before(0);
    request_stop();
  }
  // Tells whether the group is cancelled or a task has thrown. A long task may call this in order
  // to end sooner. Never switches. Callable from any.
  bool is_cancelled() const noexcept { return !failure_.are_all_needed() || is_stopped(); }

 private:
  template <class Function>
  class task {
   public:
    template <class F>
    task(task_group& group, F&& function) : group_(group), function_(std::forward<F>(function)) {}

    void begin() noexcept { number_ = group_.begin_one(); }

    // In memory of the heap.
    static void run_boxed(void* made) noexcept {
      std::unique_ptr<task> self(static_cast<task*>(made));
      task_group& group = self->call();
      self.reset();  // before the group may go: what it holds may lie beside the group
      group.end_one();
    }

    // In memory that the thread owns.
    static void run_placed(void* place) noexcept {
      auto* const self = static_cast<task*>(place);
      task_group& group = self->call();
      self->~task();
      group.end_one();
    }

    task_group& call() noexcept {
      if (!group_.is_stopped()) group_.failure_.call(number_, function_);
      return group_;
    }

   private:
    task_group& group_;
    std::uint64_t number_ = 0;
    Function function_;
  };

  template <class Function>
  void add(Function&& function, detail::caller made_by) {
    using made = task<std::decay_t<Function>>;
    if constexpr (detail::can_be_placed<made>) {
      {
        made one(*this, std::forward<Function>(function));
        one.begin();
        if (has_started([&] {
              return weft_ext_thread_create_filled(made::run_placed, sizeof one, detail::move_to_place<made>, std::addressof(one),
                                                   nullptr, nullptr, made_by.place());
            })) {
          return;
        }
        one.call();
      }
      end_one();
    } else {
      auto one = std::make_unique<made>(*this, std::forward<Function>(function));
      one->begin();
      const bool is_started =
          has_started([&] { return detail::start_thread(made::run_boxed, one.get(), nullptr, nullptr, made_by); });
      made* const given = one.release();  // the thread's now
      if (!is_started) made::run_boxed(given);
    }
  }

  // Of a task that has begun. False: it must run here and now.
  template <class Create>
  bool has_started(Create create) {
    if (weft_thread_is_tasklet(weft_self())) return false;
    const weft_status status = create();
    if (status == WEFT_NOT_INITIALIZED) return false;
    if (status != WEFT_OK) end_one();
    detail::check(status, "weft_thread_create");
    return true;
  }

  // The parts of state_: whether a caller waits; the unfinished tasks; and how many were added in
  // all, of 2^32, so that a task is counted and numbered by one addition.
#if defined(__cpp_lib_jthread)
  struct need_none {
    detail::first_failure* of;
    void operator()() const noexcept { of->need_only_before(0); }
  };
  using stop_callback = std::stop_callback<need_none>;
  void request_stop() noexcept { source_.request_stop(); }
  bool is_stopped() const noexcept { return source_.stop_requested(); }
#else
  static void request_stop() noexcept {}
  static bool is_stopped() noexcept { return false; }
#endif

  static constexpr std::uint64_t awaited = 1;
  static constexpr std::uint64_t one_task = 2;
  static constexpr std::uint64_t one_number = std::uint64_t{1} << 32;
  static constexpr std::uint64_t unfinished(std::uint64_t state) { return state & (one_number - 1); }

  // The number of the task.
  std::uint64_t begin_one() noexcept { return state_.fetch_add(one_number + one_task, std::memory_order_relaxed) / one_number; }

  // The thread that ends the last task takes the waiter's mark back and wakes it: no other touches
  // the group after its last task.
  void end_one() noexcept {
    std::uint64_t seen = state_.load(std::memory_order_relaxed), less = 0;
    // acquire and release: the waiter sees what all tasks did
    do {
      less = unfinished(seen) == (one_task | awaited) ? one_task | awaited : one_task;
    } while (!state_.compare_exchange_weak(seen, seen - less, std::memory_order_acq_rel, std::memory_order_relaxed));
    if (less != one_task) weft_event_set(&is_empty_);
  }

  void wait_for_all() {
    std::uint64_t seen = state_.load(std::memory_order_acquire);
    do {
      if (unfinished(seen) == 0) return;
    } while (!state_.compare_exchange_weak(seen, seen | awaited, std::memory_order_acq_rel, std::memory_order_acquire));
    if (const weft_status status = weft_event_wait(&is_empty_); status != WEFT_OK) stop_waiting(status);
    weft_event_reset(&is_empty_);
  }

  // The caller must not wait. It can stay only if the last task has just ended.
  void stop_waiting(weft_status status) {
    if ((state_.fetch_and(~awaited, std::memory_order_acquire) & awaited) != 0) detail::fail(status, "weft::task_group::wait");
    while (!weft_event_is_set(&is_empty_)) weft_yield();
  }

  std::atomic<std::uint64_t> state_ = 0;
  weft_event is_empty_ = WEFT_EVENT_INIT;
  detail::first_failure failure_;
#if defined(__cpp_lib_jthread)
  std::stop_source source_{std::nostopstate};
  std::unique_ptr<stop_callback> on_stop_;  // g++ 12 warns of an optional one
#endif
};

}  // namespace weft
