// weft::task_group: tasks whose number is not known beforehand, waited for together.
//
//   weft::task_group group;
//   for (const auto& each : found) group.run([&] { visit(each, group); });  // visit may run more tasks of the group
//   group.wait();
//
// Each task is a ULT of its own with one allocation: it may block, and who waits neither spins nor runs others' tasks. Not forks: those
// are joined by their forker before the function around it returns, and a group's tasks are added by anybody, also by children that have
// returned when the group is waited for. Where each child is joined in the frame that made it, weft::invoke, weft::fork and the loops
// cost a tenth.
#pragma once

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/callable.hpp>
#include <weft/detail/caller.hpp>
#include <weft/detail/first_failure.hpp>
#include <weft/error.hpp>

namespace weft {

// Any number of tasks, which may add others, and one wait for all of them.
class task_group {
 public:
  task_group() = default;
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  // Waits. What tasks threw that no wait() has told of is dropped (dropped_exceptions.hpp). May switch. A tasklet that would have to wait
  // ends the program.
  ~task_group() { wait_for_all(); }  // NOLINT(bugprone-exception-escape): meant

  // Calls a copy of function, on some worker. Callable from any, also from tasks of the group. In a tasklet, and while no runtime runs,
  // the call is made here and now, since there it could not be waited for. Never switches otherwise. Throws weft::error and what copying
  // throws.
  template <class Function>
  void run(Function&& function, detail::caller made_by = detail::caller()) {
    constexpr bool is_child = child_function<std::decay_t<Function>>;
    static_assert(is_child, "weft::child_function: task_group::run calls a function without arguments");
    if constexpr (is_child) add(std::forward<Function>(function), made_by);
  }

  // Waits until no task is left; afterwards the group is as new. False: cancel() was called, so that tasks may be missing. If tasks
  // throw, the exception of the one that was added first leaves here; tasks that were added after it may have been skipped, and further
  // exceptions are dropped. By one caller at a time. May switch. From a ULT or outside; from a tasklet when there is nothing to wait for.
  // Throws weft::error: cannot_block. Undefined: from a task of the group, which would wait for itself.
  bool wait() {
    wait_for_all();
    const bool is_complete = !is_cancelled();
    failure_.rethrow();
    return is_complete;
  }

  // Tasks that have not started will not, until wait() has returned. Callable from any. Never switches.
  void cancel() noexcept { failure_.need_only_before(0); }
  // Cancelled, or a task has thrown: long tasks may look and end sooner. Callable from any. Never switches.
  bool is_cancelled() const noexcept { return !failure_.are_all_needed(); }

 private:
  template <class Function>
  class task {
   public:
    template <class F>
    task(task_group& group, std::uint64_t number, F&& function)
        : group_(group), number_(number), function_(std::forward<F>(function)) {}

    static void run(void* made) noexcept {
      std::unique_ptr<task> self(static_cast<task*>(made));
      task_group& group = self->group_;
      group.failure_.call(self->number_, self->function_);
      self.reset();  // before the group may go: what it holds may lie beside the group
      group.end_one();
    }

   private:
    task_group& group_;
    std::uint64_t number_;
    Function function_;
  };

  template <class Function>
  void add(Function&& function, detail::caller made_by) {
    using callable = std::decay_t<Function>;
    auto made = std::make_unique<task<callable>>(*this, numbers_.fetch_add(1, std::memory_order_relaxed),
                                                 std::forward<Function>(function));
    begin_one();
    weft_status status = WEFT_NOT_INITIALIZED;
    if (!weft_thread_is_tasklet(weft_self())) {
      status = detail::start_thread(task<callable>::run, made.get(), nullptr, nullptr, made_by);
    }
    if (status == WEFT_NOT_INITIALIZED) return task<callable>::run(made.release());
    if (status != WEFT_OK) end_one();
    detail::check(status, "weft_thread_create");
    static_cast<void>(made.release());  // the thread's now
  }

  static constexpr std::uint64_t awaited = 1;
  static constexpr std::uint64_t one_task = 2;

  void begin_one() noexcept { unfinished_.fetch_add(one_task, std::memory_order_relaxed); }

  // Who ends the last task takes the waiter's mark back and wakes it: nobody else touches the group after its last task.
  void end_one() noexcept {
    std::uint64_t seen = unfinished_.load(std::memory_order_relaxed), left = 0;
    // acquire and release: the waiter sees what all tasks did
    do {
      left = seen == (one_task | awaited) ? 0 : seen - one_task;
    } while (!unfinished_.compare_exchange_weak(seen, left, std::memory_order_acq_rel, std::memory_order_relaxed));
    if (seen == (one_task | awaited)) weft_event_set(&is_empty_);
  }

  void wait_for_all() {
    std::uint64_t seen = unfinished_.load(std::memory_order_acquire);
    do {
      if (seen == 0) return;
    } while (!unfinished_.compare_exchange_weak(seen, seen | awaited, std::memory_order_acq_rel, std::memory_order_acquire));
    if (const weft_status status = weft_event_wait(&is_empty_); status != WEFT_OK) stop_waiting(status);
    weft_event_reset(&is_empty_);
  }

  // The caller must not wait. It can stay only if the last task has just ended.
  void stop_waiting(weft_status status) {
    if ((unfinished_.fetch_and(~awaited, std::memory_order_acquire) & awaited) != 0) detail::fail(status, "task_group::wait");
    while (!weft_event_is_set(&is_empty_)) weft_yield();
  }

  std::atomic<std::uint64_t> unfinished_ = 0;  // tasks times two, and whether somebody waits
  std::atomic<std::uint64_t> numbers_ = 0;
  weft_event is_empty_ = WEFT_EVENT_INIT;
  detail::first_failure failure_;
};

}  // namespace weft
