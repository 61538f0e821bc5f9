// Boost.Asio on Weft (Boost 1.74 and later): an executor whose functions run in ULTs, and a
// completion token that parks the calling thread until an operation is over.
//
//   boost::asio::io_context io;                         // an OS thread calls io.run()
//   weft::asio::context on_weft;
//   boost::asio::post(on_weft.get_executor(), [&] {     // in a ULT
//     const std::size_t count = socket.async_read_some(buffer, weft::asio::use_thread);
//     handle(buffer, count);
//   });
//
// The caller of use_thread is a ULT, which leaves its worker to others meanwhile, or an OS thread.
// An operation that fails throws boost::system::system_error; with use_thread[code] it writes the
// error to code. io_context::run blocks its OS thread: call it outside of Weft, or inside
// weft::blocking. weft::asio::strand keeps functions apart, also while one of them waits; Asio's own
// strands note by OS thread which function runs in them, so over this executor a function of
// theirs must not wait and not yield. Weft links nothing of Boost: Asio's headers are the program's.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <memory>
#include <type_traits>
#include <utility>

#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/system/error_code.hpp>

#include <weft/weft.h>
#include <weft/detail/asio_strand.hpp>
#include <weft/detail/asio_wait.hpp>
#include <weft/error.hpp>

namespace weft {

// What programs of Boost.Asio use of Weft.
namespace asio {

class executor;
class strand;

// An execution context whose executor runs functions in ULTs. It outlives these: its destructor
// waits for them, and ends its services then. Strands and I/O objects of it go before.
class context : public boost::asio::execution_context {
 public:
  // What get_executor() returns.
  using executor_type = executor;

  context() : in_flight_(std::make_shared<detail::asio_in_flight>()) {}
  // Waits as join, shuts the services down, and destroys them. May switch. From a ULT or outside.
  ~context() {
    join();
    shutdown();
    destroy();
  }
  // Waits until all functions have ended that the executor was given, and those that they gave to
  // it. A function of the context that joins it waits for itself, for ever. May switch. From a ULT
  // or outside.
  void join() noexcept { in_flight_->wait(); }
  // Returns the executor. Never switches. Callable from any.
  executor_type get_executor() noexcept;

 private:
  friend executor;
  friend strand;

  std::shared_ptr<detail::asio_in_flight> in_flight_;
};

// An executor in the sense of Boost.Asio: for post, dispatch, defer, co_spawn, strands and
// any_io_executor. Copies of it are equal.
class executor {
 public:
  // Makes the executor of a context, which outlives it.
  explicit executor(context& of) noexcept : context_(&of) {}

  // Runs a function in a ULT: in a new one, or in the caller if that is a ULT and the executor may
  // block. An exception that leaves the function ends the program. Throws weft::error
  // (not_initialized, no_memory), and std::bad_alloc. May switch, if it runs the function in the
  // caller. Callable from any.
  template <class F>
  void execute(F&& function) const {
    using callable = std::decay_t<F>;
    if (may_block_ && is_in_ult()) {
      callable here(std::forward<F>(function));
      run_noexcept(here);
      return;
    }
    auto made = std::make_unique<flight<callable>>(context_->in_flight_, std::forward<F>(function));
    detail::check(weft_thread_create(run<callable>, made.get(), nullptr, nullptr), "weft_thread_create");
    static_cast<void>(made.release());  // the thread's now
  }

  // Returns the context.
  context& query(boost::asio::execution::context_t) const noexcept { return *context_; }
  // Returns whether execute may run the function in its caller.
  boost::asio::execution::blocking_t query(boost::asio::execution::blocking_t) const noexcept {
    if (may_block_) return boost::asio::execution::blocking.possibly;
    return boost::asio::execution::blocking.never;
  }
  // Returns an executor that always runs functions in new ULTs.
  executor require(boost::asio::execution::blocking_t::never_t) const noexcept { return executor(context_, false); }
  // Returns an executor that may run a function in its caller.
  executor require(boost::asio::execution::blocking_t::possibly_t) const noexcept { return executor(context_, true); }

  // Tells whether both are of one context, and block alike.
  friend bool operator==(const executor& a, const executor& b) noexcept {
    return a.context_ == b.context_ && a.may_block_ == b.may_block_;
  }
  // Tells whether they differ.
  friend bool operator!=(const executor& a, const executor& b) noexcept { return !(a == b); }

 private:
  friend strand;

  executor(context* of, bool may_block) noexcept : context_(of), may_block_(may_block) {}

  static bool is_in_ult() noexcept {
    const weft_thread* const self = weft_self();
    return self != nullptr && !weft_thread_is_tasklet(self);
  }
  template <class Callable>
  static void run_noexcept(Callable& function) noexcept {
    function();
  }

  // Counted from its making until the function is gone, which may hold what is the context's.
  template <class Callable>
  struct flight : detail::asio_counted {
    template <class F>
    flight(const std::shared_ptr<detail::asio_in_flight>& all, F&& given) : asio_counted(all), function(std::forward<F>(given)) {}
    Callable function;
  };
  template <class Callable>
  static void run(void* made) noexcept {
    const std::unique_ptr<flight<Callable>> mine(static_cast<flight<Callable>*>(made));
    mine->function();
  }

  context* context_;
  bool may_block_ = true;
};

inline context::executor_type context::get_executor() noexcept { return executor(*this); }

// An executor that runs one function at a time, in the order in which they were given, also where
// a function waits: the others stay queued until it has ended. It takes the place of Asio's strand
// over a context's executor, in whose functions a ULT must not wait. Copies of it are the same
// strand; the last copy may go while functions are queued, which run all the same.
class strand {
 public:
  // Makes a strand of a context, which outlives it. Throws std::bad_alloc. Never switches. Callable
  // from any.
  explicit strand(context& of) : context_(&of), queue_(std::make_shared<detail::asio_strand>(of.in_flight_)) {}

  // Runs a function in a ULT, when all have ended that the strand was given before it. Where the
  // executor may block, a caller that the strand runs runs the function at once. An exception that
  // leaves the function ends the program. Throws weft::error (not_initialized, no_memory), and
  // std::bad_alloc; then the function is not run, but the caller may have run those that others
  // gave meanwhile. May switch in a function that it runs at once. Callable from any.
  template <class F>
  void execute(F&& function) const {
    if (may_block_ && running_in_this_thread()) {
      std::decay_t<F> here(std::forward<F>(function));
      executor::run_noexcept(here);
      return;
    }
    queue_->post(std::forward<F>(function));
  }

  // Tells whether the strand runs the caller. In a fork that another worker took the answer is
  // false: the fork runs beside the function that forked it. Never switches. Callable from any.
  bool running_in_this_thread() const noexcept { return queue_->is_here(); }

  // Returns the context.
  context& query(boost::asio::execution::context_t) const noexcept { return *context_; }
  // Returns whether execute may run the function in its caller.
  boost::asio::execution::blocking_t query(boost::asio::execution::blocking_t) const noexcept {
    if (may_block_) return boost::asio::execution::blocking.possibly;
    return boost::asio::execution::blocking.never;
  }
  // Returns the same strand as an executor that queues every function.
  strand require(boost::asio::execution::blocking_t::never_t) const noexcept { return strand(*this, false); }
  // Returns the same strand as an executor that may run a function in its caller.
  strand require(boost::asio::execution::blocking_t::possibly_t) const noexcept { return strand(*this, true); }

  // Tells whether both are the same strand, and block alike.
  friend bool operator==(const strand& a, const strand& b) noexcept {
    return a.queue_ == b.queue_ && a.may_block_ == b.may_block_;
  }
  // Tells whether they differ.
  friend bool operator!=(const strand& a, const strand& b) noexcept { return !(a == b); }

 private:
  strand(const strand& of, bool may_block) noexcept : context_(of.context_), queue_(of.queue_), may_block_(may_block) {}

  context* context_;
  std::shared_ptr<detail::asio_strand> queue_;
  bool may_block_ = true;
};

// A completion token that waits in the calling thread. weft::asio::use_thread is the one to use.
class use_thread_t {
 public:
  constexpr use_thread_t() noexcept = default;
  // Returns a token by which an operation writes its error to code, and does not throw it.
  constexpr use_thread_t operator[](boost::system::error_code& code) const noexcept { return use_thread_t(&code); }
  // Returns where the error goes; null: it is thrown.
  constexpr boost::system::error_code* code() const noexcept { return code_; }

 private:
  explicit constexpr use_thread_t(boost::system::error_code* code) noexcept : code_(code) {}
  boost::system::error_code* code_ = nullptr;
};

// The completion token. The asynchronous call returns what it completes with, without the error
// code: nothing, a value, or a std::tuple of several. May switch. From a ULT or outside. Throws
// boost::system::system_error; the exception of a completion that begins with an exception_ptr;
// weft::error: cannot_block (a tasklet; nothing was begun), ended (the operation was destroyed
// without a completion, as with its io_context).
inline constexpr use_thread_t use_thread{};

}  // namespace asio

}  // namespace weft
