// How a coroutine, or sync_wait, awaits a sender: the operation lies in the frame.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <atomic>
#include <concepts>
#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/detail/awaiting.hpp>
#include <weft/detail/execution_words.hpp>
#include <weft/detail/resumption.hpp>
#include <weft/error.hpp>
#include <weft/runtime.hpp>
#include <weft/task.hpp>

namespace weft::detail {
inline namespace WEFT_SENDERS_OVER {

// A sender of any library, and not what is only awaitable, which others may take for one.
template <class T>
concept declared_sender = execution::sender<T> && requires { typename std::remove_cvref_t<T>::sender_concept; };

// The stop token of a task, in P2300's form.
struct sender_token : task_token {
  template <class F>
  using callback_type = typename callback_of<task_token, F>::type;
};

// The runtime's scheduler, once its class is complete (execution.hpp).
template <class Query>
struct scheduler_for {
  using type = runtime::scheduler;
};

// What a receiver of a task tells of it: the stop token, and the scheduler that the task is on.
struct task_env {
  const task_token* token;
  sender_token query(execution::get_stop_token_t) const noexcept { return {*token}; }
  template <std::same_as<start_query> Query>
  static typename scheduler_for<Query>::type query(Query) noexcept {
    return {};
  }
};

template <class... Lists>
struct joined_lists {
  using type = std::tuple<>;
};
template <class... As>
struct joined_lists<std::tuple<As...>> {
  using type = std::tuple<As...>;
};
template <class... As, class... Bs, class... Lists>
struct joined_lists<std::tuple<As...>, std::tuple<Bs...>, Lists...> : joined_lists<std::tuple<As..., Bs...>, Lists...> {};

// For each set_value of the signatures the tuple of its values, in a tuple.
template <class Signature>
struct values_of {
  using type = std::tuple<>;
};
template <class... Values>
struct values_of<execution::set_value_t(Values...)> {
  using type = std::tuple<std::tuple<std::decay_t<Values>...>>;
};
template <class Signatures>
struct all_values_of;
template <class... Signatures>
struct all_values_of<execution::completion_signatures<Signatures...>> : joined_lists<typename values_of<Signatures>::type...> {};

template <class Lists>
struct single_list {
  static_assert(std::tuple_size_v<Lists> == 1,
                "weft: a sender that is awaited has one set_value completion: join its cases by into_variant");
  using type = std::tuple_element_t<0, Lists>;
};
template <>
struct single_list<std::tuple<>> {
  using type = std::tuple<>;  // it is stopped, or fails
};

// The values of a sender, as a tuple.
template <class Sender>
using sender_values =
    typename single_list<typename all_values_of<execution::completion_signatures_of_t<Sender, task_env>>::type>::type;

// Constructs in place what a function returns.
template <class F>
struct returned_by {
  F function;
  operator decltype(std::declval<F>()())() && { return std::move(function)(); }  // NOLINT(google-explicit-constructor)
};
template <class F>
returned_by(F) -> returned_by<F>;

// co_await of a sender. await_resume returns the values, or nothing after set_stopped. The context
// that completes the sender makes the tasklet ready that goes on, as the end of any wait does.
template <class Sender>
class sender_wait : public own_awaiter, private resumption {
  using values = sender_values<Sender>;

  struct receiver {
    using receiver_concept = execution::receiver_t;
    sender_wait* of;

    template <class... Values>
    void set_value(Values&&... values) && noexcept {
      run_caught([&] { of->values_.emplace(std::forward<Values>(values)...); },
                 [&](std::exception_ptr thrown) { of->failure_ = std::move(thrown); });
      of->complete();
    }
    template <class Error>
    void set_error(Error&& error) && noexcept {
      of->failure_ = as_exception(std::forward<Error>(error));
      of->complete();
    }
    void set_stopped() && noexcept { of->complete(); }
    task_env get_env() const noexcept { return {&of->self_.token()}; }
  };

  using operation = decltype(execution::connect(std::declval<Sender>(), std::declval<receiver>()));

 public:
  explicit sender_wait(Sender&& sender) noexcept : resumption{go_on}, sender_(std::forward<Sender>(sender)) {}
  sender_wait(const sender_wait&) = delete;
  sender_wait& operator=(const sender_wait&) = delete;
  ~sender_wait() = default;

  static bool await_ready() noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) {
    self_.set(self);
    operation_.emplace(returned_by{[this] { return execution::connect(std::forward<Sender>(sender_), receiver{this}); }});
    execution::start(*operation_);
    // release: the frame, for the context that completes; acquire: what it completed with
    return step_.exchange(suspended, std::memory_order_acq_rel) != over;
  }
  std::optional<values> await_resume() {
    operation_.reset();
    if (failure_ != nullptr) std::rethrow_exception(std::move(failure_));
    return std::move(values_);
  }

 private:
  static constexpr int suspended = 1;
  static constexpr int over = 2;

  template <class Error>
  static std::exception_ptr as_exception(Error&& error) noexcept {
    if constexpr (std::is_same_v<std::decay_t<Error>, std::exception_ptr>) {
      return std::forward<Error>(error);
    } else if constexpr (std::is_same_v<std::decay_t<Error>, std::error_code>) {
      return std::make_exception_ptr(std::system_error(error));
    } else {
      return std::make_exception_ptr(std::forward<Error>(error));
    }
  }

  // Last: the coroutine may have gone on, and be gone, when it returns.
  void complete() noexcept {
    // release: the result; acquire: the frame
    if (step_.exchange(over, std::memory_order_acq_rel) == suspended) this->post();
  }
  static void go_on(resumption* self) noexcept { static_cast<sender_wait*>(self)->self_.resume(); }

  Sender&& sender_;  // of the expression that is awaited
  waiting_coroutine self_;
  std::optional<values> values_;
  std::exception_ptr failure_;
  std::optional<operation> operation_;
  std::atomic<int> step_ = 0;
};

// As sender_wait, in a task: stopped is thrown after set_stopped.
template <class Sender>
class sender_awaiter : public sender_wait<Sender> {
 public:
  using sender_wait<Sender>::sender_wait;
  auto await_resume() {
    auto came = sender_wait<Sender>::await_resume();
    if (!came) throw stopped();
    using list = typename decltype(came)::value_type;
    if constexpr (std::tuple_size_v<list> == 1) {
      return std::get<0>(*std::move(came));
    } else if constexpr (std::tuple_size_v<list> != 0) {
      return *std::move(came);
    }
  }
};

// What awaiter_of calls for what is a sender and nothing that can be awaited.
template <declared_sender Sender>
sender_awaiter<Sender> await_sender(sender_await_tag, Sender&& sender) {
  return sender_awaiter<Sender>(std::forward<Sender>(sender));
}

template <class Sender>
struct as_wait {
  Sender&& sender;
  sender_wait<Sender> operator co_await() && { return sender_wait<Sender>(std::forward<Sender>(sender)); }
};

template <class Sender>
task<std::optional<sender_values<Sender>>> task_of_sender(Sender&& sender) {
  co_return co_await as_wait<Sender>{std::forward<Sender>(sender)};
}

}  // namespace WEFT_SENDERS_OVER
}  // namespace weft::detail
