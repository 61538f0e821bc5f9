// Reductions: what a loop's iterations yield, combined.
//
//   const double dot = weft::parallel_reduce(0, n, 0.0, [&](int i) { return a[i] * b[i]; }, std::plus<>());
//
// The results are combined in the order of the indexes, so that combine must be associative, not
// commutative. Where it is not quite associative, as with floating point, a range with a grain
// makes the result the same in every run.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/detail/divide.hpp>
#include <weft/detail/divide_by_value.hpp>
#include <weft/detail/first_failure.hpp>
#include <weft/detail/range_share.hpp>
#include <weft/detail/trampoline.hpp>
#include <weft/dropped_exceptions.hpp>
#include <weft/fork.hpp>
#include <weft/parallel_for.hpp>
#include <weft/range.hpp>
#include <weft/remote_error.hpp>

namespace weft {

// A function that combines two values into one: combine(left, right) returns a Value. It is called
// through a reference to const.
template <class Combine, class Value, class Left = Value, class Right = Value>
concept combine_function = requires(const Combine& combine, Left&& left, Right&& right) {
  { combine(std::forward<Left>(left), std::forward<Right>(right)) } -> std::convertible_to<Value>;
};

namespace detail {

template <class Right, class Combine, class Value>
concept combines_with = combine_function<Combine, Value, Value, Right>;

template <class Body, class Range, class Value>
concept reduces_parts = requires(const Body& body, const Range& part, const Value& so_far) {
  { body(part, so_far) } -> std::convertible_to<Value>;
};

// Combines what body returns for each index with what came before.
template <class Value, class Body, class Combine>
struct reduce_step {
  Value& so_far;
  const Body& body;
  const Combine& combine;

  template <class... Index>
    requires requires(const Body& of_index, const Index&... index) {
      { of_index(index...) } -> combines_with<Combine, Value>;
    }
  void operator()(const Index&... index) const {
    so_far = combine(std::move(so_far), body(index...));
  }
};

// The value of a part.
template <class Range, class Value, class Body, class Combine>
Value reduce_range(const Range& part, const Value& identity, const Body& body, const Combine& combine) {
  if constexpr (reduces_parts<Body, Range, Value>) {
    return body(part, identity);
  } else {
    Value so_far = identity;
    part.for_each(reduce_step<Value, Body, Combine>{so_far, body, combine});
    return so_far;
  }
}

// A part of a reduction: run(part) returns its value, and join(earlier, later) one of two.
template <class Value, class Range, class Run, class Join>
class reduce_job {
 public:
  struct state {
    Run run;
    const Join& join;
    first_failure failure;
  };

  reduce_job(state& whole, const Range& range, std::uint64_t position = 0) : whole_(&whole), range_(range), position_(position) {}

  bool is_divisible(bool is_wanted) const { return range_.is_divisible(is_wanted); }
  reduce_job split() {
    const Range later = range_.split();
    return {*whole_, later, position_ + range_.size()};
  }
  void run() {
    whole_->failure.call(position_, [this] { result_.emplace(whole_->run(range_)); });
  }
  void append(reduce_job& later) {
    if (!result_ || !later.result_) return;  // a part threw
    whole_->failure.call(later.position_, [&] {
      Value both = whole_->join(std::move(*result_), std::move(*later.result_));
      result_.emplace(std::move(both));
    });
  }

  Value result() { return std::move(*result_); }

 private:
  state* whole_;
  Range range_;
  std::uint64_t position_;  // of its first index in the whole loop
  std::optional<Value> result_;
};

// The values of the parts of a range, which isn't empty, joined in order.
template <class Value, class Range, class Run, class Join>
Value join_parts(const Range& whole, Run run, const Join& join) {
  using job = reduce_job<Value, Range, Run, Join>;
  typename job::state state{std::move(run), join, {}};
  job all(state, whole);
  detail::divide(all);
  state.failure.rethrow();
  return all.result();
}

// What a part of a reduction comes to, as bytes.
template <class Value>
struct reduce_outcome {
  union {
    Value value;
    void* thrown;  // what keep_exception returned
  };
  bool has_thrown;

  explicit reduce_outcome(const Value& reduced) : value(reduced), has_thrown(false) {}
  explicit reduce_outcome(std::exception_ptr exception) : thrown(keep_exception(std::move(exception))), has_thrown(true) {}
};

// A part of a reduction that carries its functions and its identity along.
template <class Body, class Range, class Value, class Combine>
class reduce_value {
 public:
  using outcome = reduce_outcome<Value>;

  reduce_value(const Range& range, const Value& identity, const Body& body, const Combine& combine, unsigned parts)
      : body_(body), combine_(combine), identity_(identity), share_(range, parts) {}

  bool is_divisible() const { return share_.is_divisible(); }
  reduce_value split() {
    reduce_value later = *this;
    later.share_ = share_.split();
    return later;
  }
  void divide_into(unsigned parts) { share_.divide_into(parts); }
  outcome run() const {
    return outcome_of([this] { return reduce_range(share_.range(), identity_, body_, combine_); });
  }
  outcome append(const outcome& earlier, const outcome& later) const {
    if (earlier.has_thrown && later.has_thrown) drop_exception(take_exception(later.thrown));
    if (earlier.has_thrown) return earlier;
    if (later.has_thrown) return later;
    return outcome_of([&] { return combine_(Value(earlier.value), Value(later.value)); });
  }

 private:
  template <class Function>
  outcome outcome_of(const Function& function) const {
    std::exception_ptr exception;
    outcome result(identity_);
    run_caught([&] { result = outcome(static_cast<Value>(function())); },
               [&](std::exception_ptr thrown) { exception = std::move(thrown); });
    return exception ? outcome(std::move(exception)) : result;
  }

  [[no_unique_address]] Body body_;
  [[no_unique_address]] Combine combine_;
  Value identity_;
  range_share<Range> share_;
};

// The types whose reductions are divided by value.
template <class Body, class Range, class Value, class Combine>
concept reduces_by_value = range_of_values<Range> && fork_value<Value> && fork_value<Body> && fork_value<Combine> &&
                           value_part<reduce_value<Body, Range, Value, Combine>>;

template <class Range, class Value, class Body, class Combine>
Value run_reduction(const Range& whole, const Value& identity, const Body& body, const Combine& combine) {
  if (whole.size() == 0) return identity;
  using body_value = std::decay_t<Body>;
  using combine_value = std::decay_t<Combine>;
  if constexpr (reduces_by_value<body_value, Range, Value, combine_value>) {
    if (weft_forks_move()) {
      const reduce_value<body_value, Range, Value, combine_value> part(whole, identity, body, combine, parts_to_begin_with());
      const auto outcome = divide_by_value(part);
      if (outcome.has_thrown) [[unlikely]]
        rethrow_of_fork(outcome.thrown);
      return outcome.value;
    }
  }
  const auto run = [&](const Range& part) { return detail::reduce_range(part, identity, body, combine); };
  return detail::join_parts<Value>(whole, run, combine);
}

// What a reduction or a scan returns whose arguments do not fit: it converts to what the caller
// wants, so that the static assertion is the only error. No program that compiles has one.
struct misused_result {
  template <class Wanted>
  operator Wanted() const;
};

template <bool fits, class Value>
using result_if = std::conditional_t<fits, Value, misused_result>;

}  // namespace detail

// The body of a reduction. It is called with a part of the range and a Value, and returns a Value.
// If it does not accept these, it is called with indexes, and combine takes what it returns.
template <class Body, class Range, class Value, class Combine>
concept reduction_body =
    detail::reduces_parts<Body, Range, Value> ||
    requires(const Range& part, const detail::reduce_step<Value, Body, Combine>& step) { part.for_each(step); };

// Reduces a range: combines the results of body in the order of the indexes. Either combine(x, y)
// combines the results of body(index), or body(part, value) is called for parts of the range, and
// returns value combined with the part. Several copies of identity take part.
//
// Returns the combination; for an empty range identity. Throws what body throws: of several
// exceptions that of the first part, in program order, after all parts have ended; later parts may
// have been skipped. An exception of combine counts as thrown by the later part. May switch.
// Callable from any; in a tasklet and outside it is a plain loop. Undefined: copying an index or
// iterator that throws.
template <class Range, class Value, class Body, class Combine>
[[nodiscard]] detail::result_if<divisible_range<Range> && combine_function<Combine, Value>, Value> parallel_reduce(
    const Range& whole, Value identity, const Body& body, const Combine& combine) {
  if constexpr (!divisible_range<Range>) {
    constexpr bool is_range = divisible_range<Range>;
    static_assert(is_range, "weft::divisible_range: the first of four arguments of parallel_reduce must be a range");
    return detail::misused_result();
  } else if constexpr (!combine_function<Combine, Value>) {
    constexpr bool is_combine = combine_function<Combine, Value>;
    static_assert(is_combine, "weft::combine_function: the last argument of parallel_reduce makes one value of two");
    return detail::misused_result();
  } else {
    constexpr bool is_body = reduction_body<Body, Range, Value, Combine>;
    static_assert(
        is_body,
        "weft::reduction_body: parallel_reduce calls a const body with an index, for what combine takes, or with a part and "
        "a value, for a value");
    if constexpr (is_body) {
      return detail::run_reduction(whole, identity, body, combine);
    } else {
      return identity;
    }
  }
}

// Reduces the indexes or random-access iterators of [begin, end): combines the results of body in
// their order. Returns the combination; for an empty range identity. Throws what body throws: of
// several exceptions that of the first part, in program order, after all parts have ended; later
// parts may have been skipped. An exception of combine counts as thrown by the later part. May
// switch. Callable from any; in a tasklet and outside it is a plain loop. Undefined: copying an
// index or iterator that throws.
template <class Begin, class End, class Value, class Body, class Combine>
[[nodiscard]] detail::result_if<loop_ends<Begin, End> && combine_function<Combine, Value>, Value> parallel_reduce(
    Begin begin, End end, Value identity, const Body& body, const Combine& combine) {
  constexpr bool are_ends = loop_ends<Begin, End>;
  static_assert(are_ends, "weft::loop_ends: parallel_reduce(begin, end, ...) takes two indexes or two random-access iterators");
  if constexpr (are_ends) {
    return parallel_reduce(range(begin, end), std::move(identity), body, combine);
  } else {
    return detail::misused_result();
  }
}

}  // namespace weft
