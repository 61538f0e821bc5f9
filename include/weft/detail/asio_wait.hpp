// How a thread waits for an operation of Boost.Asio: see weft/asio.hpp.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <weft/weft.h>
#include <weft/condition_variable.hpp>
#include <weft/error.hpp>
#include <weft/mutex.hpp>

namespace weft {
namespace asio {

class use_thread_t;

}  // namespace asio

namespace detail {

// How many functions of a context have not ended.
class asio_in_flight {
 public:
  void add() noexcept {
    const std::lock_guard hold(lock_);
    ++count_;
  }
  void remove() noexcept {
    const std::lock_guard hold(lock_);
    if (--count_ == 0) none_left_.notify_all();
  }
  void wait() noexcept {
    std::unique_lock hold(lock_);
    none_left_.wait(hold, [this] { return count_ == 0; });
  }

 private:
  weft::mutex lock_;
  weft::condition_variable none_left_;
  std::size_t count_ = 0;
};

class asio_counted {
 public:
  explicit asio_counted(std::shared_ptr<asio_in_flight> all) noexcept : all_(std::move(all)) { all_->add(); }
  asio_counted(const asio_counted&) = delete;
  asio_counted& operator=(const asio_counted&) = delete;
  ~asio_counted() { all_->remove(); }

 private:
  std::shared_ptr<asio_in_flight> all_;
};

// On the stack of the caller that waits.
template <class... Values>
struct asio_wait {
  weft_event is_over = WEFT_EVENT_INIT;
  std::optional<std::tuple<Values...>> values;

  void wait() noexcept {
    while (weft_event_wait(&is_over) != WEFT_OK) weft_yield();
  }
};

// Completes one wait, or tells it that no completion will come.
template <class... Values>
class asio_handler {
 public:
  explicit asio_handler(asio_wait<Values...>* of) noexcept : of_(of) {}
  asio_handler(asio_handler&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  asio_handler& operator=(asio_handler&&) = delete;
  ~asio_handler() {
    if (of_ != nullptr) weft_event_set(&of_->is_over);
  }

  template <class... As>
  void operator()(As&&... values) {
    of_->values.emplace(std::forward<As>(values)...);
    weft_event_set(&std::exchange(of_, nullptr)->is_over);
  }

 private:
  asio_wait<Values...>* of_;
};

template <class... Values>
struct asio_result {
  using type = std::tuple<Values...>;
  static type of(std::tuple<Values...>&& values) { return std::move(values); }
};
template <>
struct asio_result<> {
  using type = void;
  static void of(std::tuple<>&&) noexcept {}
};
template <class T>
struct asio_result<T> {
  using type = T;
  static T of(std::tuple<T>&& values) { return std::get<0>(std::move(values)); }
};

inline void throw_asio_error(const boost::system::error_code& error, boost::system::error_code* code) {
  if (code != nullptr) {
    *code = error;
  } else if (error) {
    throw boost::system::system_error(error);
  }
}
inline void throw_asio_error(const std::exception_ptr& error, boost::system::error_code*) {
  if (error != nullptr) std::rethrow_exception(error);
}

template <class T>
inline constexpr bool is_asio_error = std::is_same_v<T, boost::system::error_code> || std::is_same_v<T, std::exception_ptr>;

// What a completion with these values returns or throws.
template <class... Values>
struct asio_outcome : asio_result<Values...> {
  static auto take(std::tuple<Values...>&& values, boost::system::error_code*) {
    return asio_result<Values...>::of(std::move(values));
  }
};
template <class First, class... Rest>
  requires is_asio_error<First>
struct asio_outcome<First, Rest...> : asio_result<Rest...> {
  static auto take(std::tuple<First, Rest...>&& values, boost::system::error_code* code) {
    return std::apply(
        [code](First& error, Rest&... rest) {
          throw_asio_error(error, code);
          return asio_result<Rest...>::of(std::tuple<Rest...>(std::move(rest)...));
        },
        values);
  }
};

}  // namespace detail
}  // namespace weft

// How an asynchronous call of Asio takes the token.
template <class R, class... Values>
class boost::asio::async_result<weft::asio::use_thread_t, R(Values...)> {
  using outcome = weft::detail::asio_outcome<std::decay_t<Values>...>;

 public:
  // What the call returns.
  using return_type = typename outcome::type;

  // Begins the operation, and waits for its completion.
  template <class Initiation, class Token, class... As>
  static return_type initiate(Initiation&& initiation, Token token, As&&... arguments) {
    const weft_thread* const self = weft_self();
    if (self != nullptr && weft_thread_is_tasklet(self)) {
      weft::detail::fail(WEFT_CANNOT_BLOCK, "weft::asio::use_thread: the caller is a tasklet, which must not wait");
    }
    if (token.code() != nullptr) token.code()->clear();  // also where the completion has no code
    weft::detail::asio_wait<std::decay_t<Values>...> wait;
    std::forward<Initiation>(initiation)(weft::detail::asio_handler<std::decay_t<Values>...>(&wait),
                                         std::forward<As>(arguments)...);
    wait.wait();
    if (!wait.values) weft::detail::fail(WEFT_ENDED, "weft::asio::use_thread: the operation was destroyed before its completion");
    return outcome::take(std::move(*wait.values), token.code());
  }
};
