// Loops whose iterations may run in parallel.
//
//   weft::parallel_for(0, n, [&](int i) { c[i] = a[i] + b[i]; });
//   weft::parallel_for(weft::range(0, n, 1000), [&](const weft::range<int>& part) { ... part.begin() ... part.end() ... });
//   weft::parallel_for(weft::blocked_range(weft::range(0, rows), weft::range(0, columns)), [&](int row, int column) { ... });
//   weft::for_each(list, [](item& one) { ... });
//
// All of them: the body is called by several workers at once, through a reference to const. If bodies throw, the exception of the first
// part, in program order, leaves when all have ended; parts after it may have been skipped (dropped_exceptions.hpp tells of the
// others). Bodies may do what forks may (hot.h): block, lock, fork, loop. May switch. Callable from any; in a tasklet and outside they
// are plain loops. Undefined: copying an index or iterator that throws.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/detail/divide.hpp>
#include <weft/detail/first_failure.hpp>
#include <weft/range.hpp>

namespace weft {

// What loops can divide: range and blocked_range, or your own.
template <class Range>
concept divisible_range = std::copy_constructible<Range> && requires(Range range, const Range& look, bool is_wanted) {
  { look.size() } -> std::convertible_to<std::size_t>;
  { look.is_divisible(is_wanted) } -> std::convertible_to<bool>;
  { range.split() } -> std::same_as<Range>;
};

namespace detail {

template <class Body, class Range>
concept body_of_parts = std::invocable<const Body&, const Range&>;

template <class Range, class Body>
struct loop {
  const Body& body;
  first_failure failure;
};

template <class Range, class Body>
class loop_job {
 public:
  loop_job(loop<Range, Body>& whole, const Range& range, std::uint64_t position = 0)
      : whole_(&whole), range_(range), position_(position) {}

  bool is_divisible(bool is_wanted) const { return range_.is_divisible(is_wanted); }
  loop_job split() {
    const Range later = range_.split();
    return {*whole_, later, position_ + range_.size()};
  }
  void run() {
    whole_->failure.call(position_, [this] {
      if constexpr (body_of_parts<Body, Range>) {
        whole_->body(std::as_const(range_));
      } else {
        range_.for_each(whole_->body);
      }
    });
  }
  void append(const loop_job&) {}

 private:
  loop<Range, Body>* whole_;
  Range range_;
  std::uint64_t position_;  // of its first index in the whole loop
};

// A few iterators of [first, last), evenly spaced, with both ends: one walk for what has no random access.
template <class Iterator, class End>
std::vector<Iterator> milestones(Iterator first, const End& last, std::size_t most) {
  std::vector<Iterator> found{first};
  std::size_t step = 1;
  for (std::size_t walked = 0; first != last;) {
    ++first;
    if (++walked % step != 0 && first != last) continue;
    found.push_back(first);
    if (found.size() <= most || first == last) continue;
    for (std::size_t kept = 0; 2 * kept < found.size(); ++kept) found[kept] = found[2 * kept];
    found.resize((found.size() + 1) / 2);
    step *= 2;
  }
  return found;
}

}  // namespace detail

// Calls body(part) for parts of the range or, if body does not take such, body(index), body(row, column) or body(page, row, column) for
// each index. (A generic lambda of one parameter gets parts.)
template <divisible_range Range, class Body>
void parallel_for(const Range& whole, const Body& body) {
  if (whole.size() == 0) return;
  detail::loop<Range, Body> state{body, {}};
  detail::loop_job<Range, Body> all(state, whole);
  detail::divide(all);
  state.failure.rethrow();
}

// Calls body(index) for each of [begin, end), indexes or random-access iterators.
template <class Begin, class End, class Body>
  requires loop_index<std::common_type_t<Begin, End>>
void parallel_for(Begin begin, End end, const Body& body) {
  using index = std::common_type_t<Begin, End>;
  const auto each = [&body](const range<index>& part) { part.for_each(body); };
  parallel_for(range<index>(static_cast<index>(begin), static_cast<index>(end)), each);
}

// Calls function(element) for each. Without random access one walk through all elements comes first.
template <std::forward_iterator Iterator, std::sentinel_for<Iterator> End, class Function>
void for_each(Iterator first, End last, const Function& function) {
  if constexpr (std::random_access_iterator<Iterator> && std::sized_sentinel_for<End, Iterator>) {
    parallel_for(first, first + (last - first), [&function](const Iterator& at) { std::invoke(function, *at); });
  } else {
    const auto ends = detail::milestones(first, last, 2 * detail::parts_to_begin_with() + 1);
    parallel_for(std::size_t{0}, ends.size() - 1, [&ends, &function](std::size_t part) {
      for (Iterator at = ends[part]; at != ends[part + 1]; ++at) std::invoke(function, *at);
    });
  }
}

template <std::ranges::forward_range Range, class Function>
void for_each(Range&& range, const Function& function) {
  weft::for_each(std::ranges::begin(range), std::ranges::end(range), function);
}

}  // namespace weft
