// The parallel scheduler of std::execution on Weft's workers. One source file of the program
// includes this header, and nothing else need change:
//
//   // parallel_scheduler.cpp
//   #include <weft/parallel_scheduler.hpp>
//
// The object of that file replaces query_parallel_scheduler_backend. So all work of
// get_parallel_scheduler() runs in ULTs: schedule makes one, and the parts of bulk_chunked and
// bulk_unchunked are forks, which idle workers take. With stdexec the object stands in place of its
// library of the same purpose; the macro STDEXEC_PARALLEL_SCHEDULER_HEADER_ONLY is not set.
//
// If no runtime runs at the first use, one is started, of as many workers as there are CPUs or
// WEFT_WORKERS says, on OS threads of its own; it ends with the last scheduler after main. A
// weft::runtime that is made after that leaves main outside of it. Else the work runs in the
// program's runtime; once that has ended, schedule fails until a runtime runs again.
//
// stdexec calls the function of a bulk where nothing may be thrown: an exception ends the program.
//
// What completes in a ULT may block it by Weft's calls. A ULT that spins or blocks its OS thread
// keeps the others of its worker from running, although the scheduler promises parallel progress.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>
#include <weft/execution.hpp>

#if !defined(__cpp_lib_senders) && !__has_include(<stdexec/execution.hpp>)
#error "weft/parallel_scheduler.hpp replaces a part of std::execution: it needs a C++ library that has it, or stdexec"
#endif

#include <unistd.h>

#include <cstddef>
#include <exception>
#include <future>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include <weft/ext.h>
#include <weft/weft.h>
#include <weft/error.hpp>
#include <weft/parallel_for.hpp>
#include <weft/range.hpp>
#include <weft/runtime.hpp>
#include <weft/sync.hpp>

namespace weft::detail {

namespace backends = execution::parallel_scheduler_replacement;

#if defined(__cpp_lib_senders)
using std::get_stop_token;
using std::inplace_stop_token;
#else
using execution::get_stop_token;
using execution::inplace_stop_token;
#endif

// Keeps a runtime as long as it lives: the one that runs, or one of its own, whose worker 0 is an
// OS thread that waits for the end.
class kept_runtime {
 public:
  kept_runtime() {
    if (weft_is_initialized()) return;
    std::promise<weft_status> beginning;
    std::future<weft_status> begun = beginning.get_future();
    host_ = std::thread([this, mine = std::move(beginning)]() mutable {
      static_cast<void>(carry_exceptions());
      const weft_status status = weft_ext_start(nullptr);
      std::exchange(mine, {}).set_value(status);
      if (status != WEFT_OK) return;
      at_end_.wait();
      check(weft_finalize(), "weft_finalize");
    });
    const weft_status status = begun.get();
    if (status == WEFT_OK) return;
    host_.join();
    if (status != WEFT_BUSY) fail(status, "weft_ext_start");  // busy: another OS thread was faster
  }
  kept_runtime(const kept_runtime&) = delete;
  kept_runtime& operator=(const kept_runtime&) = delete;
  ~kept_runtime() {
    if (getpid() != process_) {  // a child of fork, which has neither the OS thread nor a runtime
      static std::thread& gone = *new std::thread;
      gone.swap(host_);
    }
    if (!host_.joinable()) return;
    at_end_.count_down();
    host_.join();
  }

 private:
  const pid_t process_ = getpid();
  latch at_end_{1};
  std::thread host_;
};

// What runs std::execution's parallel work.
class parallel_backend final : public backends::parallel_scheduler_backend {
 public:
  // Completes the receiver in a ULT. Never switches. Callable from any.
  void schedule(backends::receiver_proxy& to, std::span<std::byte>) noexcept override { run_in_ult(to, work{0, &to}); }
  // Calls to.execute(begin, end) for parts of [0, count), in parallel, and completes the receiver in
  // a ULT. Never switches. Callable from any.
  void schedule_bulk_chunked(std::size_t count, backends::bulk_item_receiver_proxy& to, std::span<std::byte>) noexcept override {
    run_in_ult(to, loop<true>{count, &to});
  }
  // Calls to.execute(i, i + 1) for each i below count, in parallel, and completes the receiver in a
  // ULT. Never switches. Callable from any.
  void schedule_bulk_unchunked(std::size_t count, backends::bulk_item_receiver_proxy& to,
                               std::span<std::byte>) noexcept override {
    run_in_ult(to, loop<false>{count, &to});
  }

 private:
  struct work {
    std::size_t count;
    backends::receiver_proxy* to;
    void run() const noexcept {}
  };
  template <bool IsChunked>
  struct loop {
    std::size_t count;
    backends::bulk_item_receiver_proxy* to;
    void run() const noexcept {
      weft::parallel_for(range(std::size_t{0}, count), [this](const range<std::size_t>& part) {
        if constexpr (IsChunked) {
          to->execute(part.begin(), part.end());
        } else {
          for (std::size_t i = part.begin(); i != part.end(); ++i) to->execute(i, i + 1);
        }
      });
    }
  };

  template <class Work>
  static void run_in_ult(backends::receiver_proxy& to, const Work& what) noexcept {
    weft_thread_attr attributes = WEFT_THREAD_ATTR_INIT;
    attributes.detached = true;
    weft_thread* unit = nullptr;
    const weft_status status = weft_ext_thread_make_copy(run<Work>, &what, sizeof what, &attributes, false, &unit);
    if (status != WEFT_OK) return to.set_error(std::make_exception_ptr(error(status, "std::execution::parallel_scheduler")));
    static_cast<void>(weft_ext_thread_start(unit));  // fails for what is no unit alone
  }
  template <class Work>
  static void run(void* copy) noexcept {
    const Work what = *static_cast<const Work*>(copy);
    const auto token = what.to->template try_query<inplace_stop_token>(get_stop_token);
    if (token && token->stop_requested()) return what.to->set_stopped();
    what.run();
    what.to->set_value();
  }

  kept_runtime runtime_;
};

}  // namespace weft::detail

#if defined(__cpp_lib_senders)
namespace std::execution::parallel_scheduler_replacement {
#else
namespace STDEXEC::parallel_scheduler_replacement {
#endif

// Returns the backend on Weft's workers, always the same one. Throws weft::error: again, no_memory
// (no runtime could be started). Never switches. Callable from any.
std::shared_ptr<parallel_scheduler_backend>
query_parallel_scheduler_backend() {  // NOLINT(misc-definitions-in-headers): the one object
  static const std::shared_ptr<parallel_scheduler_backend> backend = std::make_shared<weft::detail::parallel_backend>();
  return backend;
}

}  // namespace parallel_scheduler_replacement
