// The words of P2300 that weft/execution.hpp uses: those of the C++ library where it has senders,
// else stdexec's where its headers are on the include path, else the few that are defined here,
// under the same names and with the same meaning.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <version>

#if defined(__cpp_lib_senders)

#include <execution>

namespace weft::execution {
using namespace std::execution;  // NOLINT(google-build-using-namespace): these names are the interface
}  // namespace weft::execution
namespace weft::detail {
using start_query = std::execution::get_scheduler_t;
}  // namespace weft::detail
#define WEFT_SENDERS_OVER over_std  // NOLINT(cppcoreguidelines-macro-usage): undefined at the end of execution.hpp

#elif __has_include(<stdexec/execution.hpp>)

#include <stdexec/execution.hpp>

namespace weft::execution {
using namespace STDEXEC;  // NOLINT(google-build-using-namespace): these names are the interface
}  // namespace weft::execution
namespace weft::detail {
using start_query = STDEXEC::get_start_scheduler_t;
}  // namespace weft::detail
#define WEFT_SENDERS_OVER over_stdexec  // NOLINT(cppcoreguidelines-macro-usage): undefined at the end of execution.hpp

#else

#include <concepts>
#include <exception>
#include <type_traits>
#include <utility>

#include <weft/detail/pending.hpp>

namespace weft::execution {

// What a type says that it is, in its member type ..._concept.
struct sender_t {};
// Of receivers.
struct receiver_t {};
// Of operation states.
struct operation_state_t {};
// Of schedulers.
struct scheduler_t {};

// Completes a receiver with values.
struct set_value_t {
  template <class Receiver, class... Values>
  void operator()(Receiver&& receiver, Values&&... values) const noexcept {
    std::forward<Receiver>(receiver).set_value(std::forward<Values>(values)...);
  }
};
// Completes a receiver with an error.
struct set_error_t {
  template <class Receiver, class Error>
  void operator()(Receiver&& receiver, Error&& error) const noexcept {
    std::forward<Receiver>(receiver).set_error(std::forward<Error>(error));
  }
};
// Completes a receiver after a stop.
struct set_stopped_t {
  template <class Receiver>
  void operator()(Receiver&& receiver) const noexcept {
    std::forward<Receiver>(receiver).set_stopped();
  }
};
// Starts an operation.
struct start_t {
  template <class Operation>
  void operator()(Operation& operation) const noexcept {
    operation.start();
  }
};
// Makes an operation of a sender and a receiver.
struct connect_t {
  template <class Sender, class Receiver>
  auto operator()(Sender&& sender, Receiver&& receiver) const {
    return std::forward<Sender>(sender).connect(std::forward<Receiver>(receiver));
  }
};
// An environment that knows nothing.
struct env {};
// The environment of a sender or receiver.
struct get_env_t {
  template <class T>
  decltype(auto) operator()(const T& of) const noexcept {
    if constexpr (requires { of.get_env(); }) {
      return of.get_env();
    } else {
      return env();
    }
  }
};
// The stop token of an environment.
struct get_stop_token_t {
  template <class Env>
  decltype(auto) operator()(const Env& of) const noexcept {
    if constexpr (requires { of.query(*this); }) {
      return of.query(*this);
    } else {
      return detail::no_stop();
    }
  }
};
// The scheduler on which a sender completes.
template <class Tag>
struct get_completion_scheduler_t {
  template <class Env>
  auto operator()(const Env& of) const noexcept {
    return of.query(*this);
  }
};
// What a scheduler promises about the progress of what runs on it.
enum class forward_progress_guarantee { concurrent, parallel, weakly_parallel };
// Asks a scheduler.
struct get_forward_progress_guarantee_t {
  template <class Scheduler>
  forward_progress_guarantee operator()(const Scheduler& of) const noexcept {
    return of.query(*this);
  }
};
// A sender that completes on a scheduler.
struct schedule_t {
  template <class Scheduler>
  auto operator()(Scheduler&& on) const noexcept {
    return std::forward<Scheduler>(on).schedule();
  }
};

// The calls.
inline constexpr set_value_t set_value{};
inline constexpr set_error_t set_error{};
inline constexpr set_stopped_t set_stopped{};
inline constexpr start_t start{};
inline constexpr connect_t connect{};
inline constexpr get_env_t get_env{};
inline constexpr get_stop_token_t get_stop_token{};
template <class Tag>
inline constexpr get_completion_scheduler_t<Tag> get_completion_scheduler{};
inline constexpr get_forward_progress_guarantee_t get_forward_progress_guarantee{};
inline constexpr schedule_t schedule{};

// How a sender may complete.
template <class... Signatures>
struct completion_signatures {};

// How a sender may complete, said by its member type completion_signatures.
template <class Sender, class Env>
using completion_signatures_of_t = typename std::remove_cvref_t<Sender>::completion_signatures;
// The environment's type.
template <class T>
using env_of_t = decltype(get_env(std::declval<const std::remove_reference_t<T>&>()));
// The type of a stop token.
template <class T>
using stop_token_of_t = std::remove_cvref_t<decltype(get_stop_token(std::declval<const T&>()))>;

// Something to be connected.
template <class T>
concept sender = std::derived_from<typename std::remove_cvref_t<T>::sender_concept, sender_t> &&
                 std::move_constructible<std::remove_cvref_t<T>> && requires(const std::remove_cvref_t<T>& one) { get_env(one); };
// Something that hears of a completion.
template <class T>
concept receiver =
    std::derived_from<typename std::remove_cvref_t<T>::receiver_concept, receiver_t> &&
    std::move_constructible<std::remove_cvref_t<T>> && requires(const std::remove_cvref_t<T>& one) { get_env(one); };
// What connect returns.
template <class T>
concept operation_state = std::derived_from<typename T::operation_state_concept, operation_state_t> && requires(T& one) {
  { one.start() } noexcept;
};
// A handle on which work can be started.
template <class T>
concept scheduler =
    std::derived_from<typename std::remove_cvref_t<T>::scheduler_concept, scheduler_t> &&
    std::equality_comparable<std::remove_cvref_t<T>> && std::copy_constructible<std::remove_cvref_t<T>> && requires(T&& one) {
      { one.schedule() } -> sender;
    };

}  // namespace weft::execution
namespace weft::detail {
// By which algorithms ask for the scheduler that their caller is on; there are none here.
struct start_query {};
}  // namespace weft::detail
#define WEFT_SENDERS_OVER over_own  // NOLINT(cppcoreguidelines-macro-usage): undefined at the end of execution.hpp

#endif
