// Requests of MPI as what Weft's C++ waits for: in a thread, in a coroutine, in a select, and as a
// future. The program's own mpi.h is included; MPI is initialised with MPI_THREAD_MULTIPLE, or
// libweft-mpi makes that of a lower level.
//
//   MPI_Irecv(&number, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
//   const MPI_Status status = co_await weft::mpi::completion(request);
//
// A wait completes its request as MPI_Wait does: it gives the status, sets the variable to
// MPI_REQUEST_NULL, or makes a persistent request inactive. A null or an inactive request is
// complete at once, with an empty status. While a caller waits, workers ask MPI for the request, one
// worker at a time, by MPI_Request_get_status. Undefined: two waits for one request, and a request
// that is freed under a wait.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <mpi.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/ext.h>
#include <weft/weft.h>
#include <weft/detail/awaiting.hpp>
#include <weft/detail/shared_state.hpp>
#include <weft/detail/sources.hpp>
#include <weft/detail/trampoline.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/polled.hpp>
#include <weft/select.hpp>

namespace weft::mpi {

// The error that MPI returned for a request. It compares equal to errc::invalid.
class request_error : public error {
 public:
  // Makes an error of MPI's number. words is what what() says.
  request_error(int code, const char* words) : error(WEFT_INVALID, words), code_(code) {}

  // Returns MPI's number, of which MPI_Error_class gives the class.
  int mpi_code() const noexcept { return code_; }

 private:
  int code_;
};

namespace detail {

[[noreturn]] inline void fail(int code) {
  char words[MPI_MAX_ERROR_STRING + 1] = "an error in MPI";
  int length = 0;
  static_cast<void>(MPI_Error_string(code, words, &length));
  throw request_error(code, words);
}

// Whether a wait would return at once: also if MPI finds an error.
inline bool is_complete(MPI_Request request) noexcept {
  int flag = 0;
  return MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag != 0;
}

// The request is complete.
inline MPI_Status finish(MPI_Request& request) {
  MPI_Status status;
  const int code = MPI_Wait(&request, &status);
  if (code != MPI_SUCCESS) fail(code);
  return status;
}

// What coroutines and senders wait for (weft/detail/sources.hpp).
class request_source : public weft::detail::object_source {
 public:
  explicit request_source(MPI_Request* request) noexcept
      : object_source(&condition_, WEFT_AWAIT_POLLED), request_(request), condition_{ask, request} {}
  request_source(const request_source&) = delete;  // the condition is found by its address
  request_source& operator=(const request_source&) = delete;

  bool is_ready() const noexcept { return is_complete(*request_); }
  MPI_Status result() const { return finish(*request_); }

 private:
  static bool ask(void* request) noexcept { return is_complete(*static_cast<MPI_Request*>(request)); }

  MPI_Request* request_;
  weft_polled condition_;
};

// Held by the future, and by the wait until it is over.
class request_state final : public weft::detail::state<MPI_Status>, private weft::detail::notice {
 public:
  explicit request_state(MPI_Request request) noexcept : state(2), notice{told}, request_(request), source_(&request_) {}

  // Throws what arming throws; then there is no wait.
  void start() {
    if (source_.is_ready() || !source_.arm(this)) end(WEFT_OK);
  }
  MPI_Request request() const noexcept { return request_; }

 private:
  static void told(notice* self, weft_status status) noexcept { static_cast<request_state*>(self)->end(status); }

  void end(weft_status status) noexcept {
    weft::detail::run_caught(
        [&] {
          weft::detail::check(status, "weft::mpi::as_future");
          store(finish(request_));
          publish();
        },
        [this](std::exception_ptr failure) { publish_failure(std::move(failure)); });
    release();
  }

  MPI_Request request_;
  request_source source_;
};

}  // namespace detail

// Waits until a request is complete, and completes it. May switch. Callable from any. Throws
// request_error (MPI returned an error for it), weft::error: cannot_block (a tasklet, a callback).
inline MPI_Status wait(MPI_Request& request) {
  weft::wait_poll([&request] { return detail::is_complete(request); });
  return detail::finish(request);
}

// As wait, for an interval at most. Returns nothing if the request was not complete in that time; it
// is then as it was.
template <class Rep, class Period>
std::optional<MPI_Status> wait_for(MPI_Request& request, const std::chrono::duration<Rep, Period>& interval) {
  if (!weft::wait_poll_for([&request] { return detail::is_complete(request); }, interval)) return std::nullopt;
  return detail::finish(request);
}

// As wait, until a time at most. Returns nothing if the request was not complete by then; it is then
// as it was.
template <class Clock, class Duration>
std::optional<MPI_Status> wait_until(MPI_Request& request, const std::chrono::time_point<Clock, Duration>& deadline) {
  if (!weft::wait_poll_until([&request] { return detail::is_complete(request); }, deadline)) return std::nullopt;
  return detail::finish(request);
}

// The completion of a request, for co_await and, by mpi_execution.hpp, as a sender. It refers to the
// variable, which stays until the wait is over.
class [[nodiscard]] completion {
 public:
  // Makes the completion of a request.
  explicit completion(MPI_Request& request) noexcept : request_(&request) {}

  // co_await gives the MPI_Status. Throws request_error, weft::error: not_initialized (no runtime),
  // weft::stopped (a stop was requested; the request is then as it was).
  auto operator co_await() const noexcept { return weft::detail::source_awaiter<detail::request_source>(request_); }

  // Returns the request's variable.
  MPI_Request* request() const noexcept { return request_; }

 private:
  MPI_Request* request_;
};

// Returns a future of a request's status, and takes the request over: the variable becomes
// MPI_REQUEST_NULL. get() throws request_error if MPI returned an error for it, and weft::error
// (ended) if the runtime ends first: then nothing can complete the request any more, so the runtime
// must outlive it. The request is not a persistent one. Never switches. Callable from any. Throws
// weft::error: not_initialized (no runtime, and the request is not complete); the variable is then
// as it was.
[[nodiscard]] inline future<MPI_Status> as_future(MPI_Request& request) {
  auto* const made = new detail::request_state(request);
  future<MPI_Status> result{weft::detail::state_pointer<weft::detail::state<MPI_Status>>(made)};
  struct not_started {
    detail::request_state* of;
    ~not_started() {
      if (of != nullptr) of->release();
    }
  } guard{made};
  made->start();
  guard.of = nullptr;
  request = MPI_REQUEST_NULL;
  return result;
}

// A branch of select: waits for a request, completes it, and calls completed(status). The variable
// stays until select returns. Throws from select request_error.
template <class F>
  requires std::invocable<F&, MPI_Status>
[[nodiscard]] auto on_complete(MPI_Request& request, F&& completed) {
  return weft::on_polled([&request] { return detail::is_complete(request); },
                         [&request, function = std::forward<F>(completed)]() mutable {
                           static_cast<void>(std::invoke(function, detail::finish(request)));
                         });
}

}  // namespace weft::mpi
