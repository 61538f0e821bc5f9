// boost::fibers' exceptions, as Boost.Fiber throws them. fiber_error is std::system_error, which
// weft::error is, too.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <exception>
#include <future>
#include <system_error>
#include <utility>

#include <weft/fiber/exceptions.hpp>

namespace boost {
namespace fibers {

using fiber_error = std::system_error;
using std::future_errc;

// What a mutex throws.
class lock_error : public fiber_error {
 public:
  using fiber_error::fiber_error;
  // With an error code of std.
  explicit lock_error(std::errc code) : fiber_error(std::make_error_code(code), "boost fiber: a lock error") {}
};

// What futures and what gives them their results throw.
class future_error : public fiber_error {
 public:
  explicit future_error(std::error_code code) : fiber_error(code) {}
  explicit future_error(std::future_errc code) : fiber_error(std::make_error_code(code)) {}
};

// The category of future_error.
inline const std::error_category& future_category() noexcept { return std::future_category(); }

// A future without a state.
struct future_uninitialized : future_error {
  future_uninitialized() : future_error(future_errc::no_state) {}
};
// The future was handed out before.
struct future_already_retrieved : future_error {
  future_already_retrieved() : future_error(future_errc::future_already_retrieved) {}
};
// The promise went without a result.
struct broken_promise : future_error {
  broken_promise() : future_error(future_errc::broken_promise) {}
};
// There is a result already.
struct promise_already_satisfied : future_error {
  promise_already_satisfied() : future_error(future_errc::promise_already_satisfied) {}
};
// A promise without a state.
struct promise_uninitialized : future_error {
  promise_uninitialized() : future_error(future_errc::no_state) {}
};
// A packaged task without a function.
struct packaged_task_uninitialized : future_error {
  packaged_task_uninitialized() : future_error(future_errc::no_state) {}
};

}  // namespace fibers
}  // namespace boost

namespace weft::detail {

// Throws Boost's class for an error of std's. Empty: that for what has no state.
template <class Empty>
[[noreturn]] void throw_for_boost(const std::future_error& error) {
  switch (static_cast<std::future_errc>(error.code().value())) {
    case std::future_errc::broken_promise: throw boost::fibers::broken_promise();
    case std::future_errc::future_already_retrieved: throw boost::fibers::future_already_retrieved();
    case std::future_errc::promise_already_satisfied: throw boost::fibers::promise_already_satisfied();
    case std::future_errc::no_state: break;
  }
  throw Empty();
}

// call(), with Boost's errors in place of std's.
template <class Empty, class Call>
decltype(auto) with_errors_of_boost(Call call) {
  try {
    return call();
  } catch (const std::future_error& error) {
    throw_for_boost<Empty>(error);
  }
}

// The same of an exception that a future holds.
template <class Empty>
std::exception_ptr failure_for_boost(std::exception_ptr failure) {
  try {
    if (failure != nullptr) std::rethrow_exception(failure);
  } catch (const std::future_error& error) {
    try {
      throw_for_boost<Empty>(error);
    } catch (...) {
      return std::current_exception();
    }
  } catch (...) {  // the program's own
  }
  return failure;
}

}  // namespace weft::detail
