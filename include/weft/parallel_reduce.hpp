// Reductions: what a loop's iterations yield, combined.
//
//   const double dot = weft::parallel_reduce(0, n, 0.0, [&](int i) { return a[i] * b[i]; }, std::plus<>());
//
// The results are combined in the order of the indexes, so that combine must be associative, not commutative. Where it is not quite
// associative, as with floating point, a range with a grain makes the result the same in every run.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/detail/divide.hpp>
#include <weft/detail/first_failure.hpp>
#include <weft/parallel_for.hpp>
#include <weft/range.hpp>

namespace weft {
namespace detail {

template <class Value, class Body, class Combine>
struct reduction {
  const Value& identity;
  const Body& body;
  const Combine& combine;
  first_failure failure;

  template <class Range>
  Value reduce(const Range& part) const {
    if constexpr (std::invocable<const Body&, const Range&, Value>) {
      return std::invoke(body, part, identity);
    } else {
      Value so_far = identity;
      part.for_each([&](const auto&... index) { so_far = combine(std::move(so_far), body(index...)); });
      return so_far;
    }
  }
};

template <class Range, class Value, class Body, class Combine>
class reduce_job {
  using whole_type = reduction<Value, Body, Combine>;

 public:
  reduce_job(whole_type& whole, const Range& range, std::uint64_t position = 0)
      : whole_(&whole), range_(range), position_(position) {}

  bool is_divisible(bool is_wanted) const { return range_.is_divisible(is_wanted); }
  reduce_job split() {
    const Range later = range_.split();
    return {*whole_, later, position_ + range_.size()};
  }
  void run() {
    whole_->failure.call(position_, [this] { result_.emplace(whole_->reduce(range_)); });
  }
  void append(reduce_job& later) {
    if (!result_ || !later.result_) return;  // somebody threw
    whole_->failure.call(later.position_, [&] {
      Value both = whole_->combine(std::move(*result_), std::move(*later.result_));
      result_.emplace(std::move(both));
    });
  }

  Value result() { return std::move(*result_); }

 private:
  whole_type* whole_;
  Range range_;
  std::uint64_t position_;  // of its first index in the whole loop
  std::optional<Value> result_;
};

}  // namespace detail

// combine(x, y) of all body(index), or of body(part, identity) for parts of the range, which goes on from what it is given; the identity
// for an empty range. Several copies of the identity take part. Exceptions, callers, undefined: as parallel_for; what combine throws
// counts as thrown by the later part. May switch.
template <divisible_range Range, class Value, class Body, class Combine>
[[nodiscard]] Value parallel_reduce(const Range& whole, Value identity, const Body& body, const Combine& combine) {
  if (whole.size() == 0) return identity;
  detail::reduction<Value, Body, Combine> state{identity, body, combine, {}};
  detail::reduce_job<Range, Value, Body, Combine> all(state, whole);
  detail::divide(all);
  state.failure.rethrow();
  return all.result();
}

// The same over the indexes or random-access iterators of [begin, end).
template <class Begin, class End, class Value, class Body, class Combine>
  requires loop_index<std::common_type_t<Begin, End>>
[[nodiscard]] Value parallel_reduce(Begin begin, End end, Value identity, const Body& body, const Combine& combine) {
  return parallel_reduce(range(begin, end), std::move(identity), body, combine);
}

}  // namespace weft
