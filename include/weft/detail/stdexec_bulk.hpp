// stdexec's bulk, bulk_chunked and bulk_unchunked behind a sender of Weft's scheduler: the ULT that
// the sender completes in divides the loop among the workers by forks, and goes on when all parts
// are done. Over other vocabularies there is nothing of it.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/execution_words.hpp>

#if !defined(__cpp_lib_senders) && __has_include(<stdexec/execution.hpp>)

#include <cstddef>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

#include <weft/detail/trampoline.hpp>
#include <weft/parallel_for.hpp>
#include <weft/range.hpp>

namespace weft::detail {
inline namespace WEFT_SENDERS_OVER {

template <bool IsChunked, bool IsParallel, class Shape, class F>
struct bulk_loop {
  Shape shape;
  F function;

  template <class... Values>
  void run(Values&... values) {
    if constexpr (IsParallel) {
      weft::parallel_for(weft::range(Shape{}, shape), [&](const auto& part) { run_part(part.begin(), part.end(), values...); });
    } else {
      run_part(Shape{}, shape, values...);
    }
  }

 private:
  template <class... Values>
  void run_part(Shape begin, Shape end, Values&... values) {
    if constexpr (IsChunked) {
      std::invoke(function, begin, end, values...);
    } else {
      for (Shape i = begin; i != end; ++i) std::invoke(function, i, values...);
    }
  }
};

template <class Loop, class Receiver>
struct bulk_receiver {
  using receiver_concept = execution::receiver_t;
  Receiver to;
  Loop loop;

  template <class... Values>
  void set_value(Values&&... values) && noexcept {
    std::exception_ptr thrown;
    run_caught([&] { loop.run(values...); }, [&](std::exception_ptr failure) { thrown = std::move(failure); });
    if (thrown != nullptr) return execution::set_error(std::move(to), std::move(thrown));
    execution::set_value(std::move(to), std::forward<Values>(values)...);
  }
  template <class Error>
  void set_error(Error&& error) && noexcept {
    execution::set_error(std::move(to), std::forward<Error>(error));
  }
  void set_stopped() && noexcept { execution::set_stopped(std::move(to)); }
  decltype(auto) get_env() const noexcept { return execution::get_env(to); }
};

template <class Child, class Loop>
class bulk_over_child {
 public:
  using sender_concept = execution::sender_t;

  bulk_over_child(Child child, Loop loop) : child_(std::move(child)), loop_(std::move(loop)) {}

  template <class Self, class Env = execution::env<>>
  static consteval auto get_completion_signatures() {
    using failing = execution::completion_signatures<execution::set_error_t(std::exception_ptr)>;
    return execution::transform_completion_signatures_of<Child, Env, failing>();
  }
  template <class Receiver>
  auto connect(Receiver to) && {
    return execution::connect(std::move(child_), bulk_receiver<Loop, Receiver>{std::move(to), std::move(loop_)});
  }
  template <class Receiver>
  auto connect(Receiver to) const& {
    return execution::connect(Child(child_), bulk_receiver<Loop, Receiver>{std::move(to), loop_});
  }
  decltype(auto) get_env() const noexcept { return execution::get_env(child_); }

 private:
  Child child_;
  Loop loop_;
};

// Makes the parallel sender of one of stdexec's.
struct scheduler_domain : execution::default_domain {
  template <class Sender, class Env>
    requires std::is_same_v<execution::tag_of_t<Sender>, execution::bulk_chunked_t> ||
             std::is_same_v<execution::tag_of_t<Sender>, execution::bulk_unchunked_t>
  auto transform_sender(execution::set_value_t, Sender&& sender, const Env&) const {
    auto&& [tag, data, child] = sender;
    auto& [policy, shape, function] = data;
    using policy_type = std::remove_cvref_t<decltype(policy.__get())>;
    using child_type = std::remove_cvref_t<decltype(child)>;
    constexpr bool is_chunked = std::is_same_v<execution::tag_of_t<Sender>, execution::bulk_chunked_t>;
    constexpr bool is_parallel = std::is_same_v<policy_type, execution::parallel_policy> ||
                                 std::is_same_v<policy_type, execution::parallel_unsequenced_policy>;
    using loop =
        bulk_loop<is_chunked, is_parallel, std::remove_cvref_t<decltype(shape)>, std::remove_cvref_t<decltype(function)>>;
    if constexpr (std::is_lvalue_reference_v<Sender>) {
      return bulk_over_child<child_type, loop>(child, loop{shape, function});
    } else {
      return bulk_over_child<child_type, loop>(std::move(child), loop{shape, std::move(function)});
    }
  }
};

template <class Token>
inline constexpr bool never_stops = execution::unstoppable_token<Token>;

// The completions of schedule: as task_scheduler asks, nothing but a value where no stop can come.
struct schedule_completions {
  // The completions in an environment.
  template <class Self, class Env = execution::env<>>
  static consteval auto get_completion_signatures() {
    using execution::completion_signatures;
    if constexpr (never_stops<execution::stop_token_of_t<Env>>) {
      return completion_signatures<execution::set_value_t()>();
    } else {
      return completion_signatures<execution::set_value_t(), execution::set_stopped_t()>();
    }
  }
};

// Names the domain.
struct scheduler_domain_query {
  template <class... Env>
  scheduler_domain query(execution::get_completion_domain_t<execution::set_value_t>, const Env&...) const noexcept {
    return {};
  }
};

}  // namespace WEFT_SENDERS_OVER
}  // namespace weft::detail

#else

#include <type_traits>

#include <weft/detail/pending.hpp>

namespace weft::detail {
inline namespace WEFT_SENDERS_OVER {

struct scheduler_domain_query {
  static void query() noexcept {}
};

template <class Token>
inline constexpr bool never_stops = std::is_same_v<Token, no_stop>;

// The completions of schedule.
struct schedule_completions {
  // The completions where a stop can come.
  using completion_signatures = execution::completion_signatures<execution::set_value_t(), execution::set_stopped_t()>;
};

}  // namespace WEFT_SENDERS_OVER
}  // namespace weft::detail

#endif
