// What the algorithms of algorithm.hpp and numeric.hpp have in common: their policy, what they take
// and how they divide it.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include <weft/detail/head.hpp>
#include <weft/parallel_for.hpp>
#include <weft/parallel_reduce.hpp>
#include <weft/range.hpp>

namespace weft {

// The type of weft::par.
struct parallel_policy {
  using divides_in_parallel = void;
};

// The first argument of an algorithm that several workers are to run.
inline constexpr parallel_policy par{};

// Where an algorithm with weft::par reads: any element is reached in one step.
template <class Iterator>
concept parallel_input = std::random_access_iterator<Iterator>;

// Where an algorithm with weft::par writes, or what it reorders: no element is const, and each has an
// address of its own, so that several workers may write neighbours.
template <class Iterator>
concept parallel_output = std::random_access_iterator<Iterator> && std::is_lvalue_reference_v<std::iter_reference_t<Iterator>> &&
                          !std::is_const_v<std::remove_reference_t<std::iter_reference_t<Iterator>>>;

namespace detail {

// Whether an algorithm takes these iterators. If not, this is the compiler's one error.
template <class... Iterators>
constexpr bool reads() {
  constexpr bool is_taken = (parallel_input<Iterators> && ...);
  static_assert(is_taken, "weft::parallel_input: with weft::par an algorithm takes random-access iterators, or ranges of them");
  return is_taken;
}
template <class... Iterators>
constexpr bool writes() {
  constexpr bool is_taken = (parallel_output<Iterators> && ...);
  static_assert(
      is_taken,
      "weft::parallel_output: with weft::par an algorithm writes through random-access iterators whose elements are not "
      "const and have addresses, unlike those of std::vector<bool>");
  return is_taken;
}
template <class Function, class... Arguments>
constexpr bool calls() {
  constexpr bool is_taken = std::invocable<const Function&, Arguments...>;
  static_assert(is_taken, "std::invocable: an algorithm with weft::par calls a const function with elements");
  return is_taken;
}
template <class Function, class... Arguments>
constexpr bool asks() {
  constexpr bool is_taken = std::predicate<const Function&, Arguments...>;
  static_assert(is_taken, "std::predicate: an algorithm with weft::par asks a const function, with elements, for a bool");
  return is_taken;
}

template <class Element, class Value>
constexpr bool equals() {
  constexpr bool is_taken = requires(Element element, const Value& value) {
    { static_cast<Element>(element) == value } -> std::convertible_to<bool>;
  };
  static_assert(is_taken, "std::equality_comparable_with: find and count with weft::par ask whether element == value");
  return is_taken;
}
template <class Target, class Source>
constexpr bool assigns() {
  constexpr bool is_taken = std::is_assignable_v<Target, Source>;
  static_assert(is_taken,
                "std::assignable_from: an algorithm with weft::par assigns what it makes to the elements of the output");
  return is_taken;
}
// Whether function can be called, and what it returns be assigned to elements of Output.
template <class Output, class Function, class... Arguments>
constexpr bool makes() {
  if constexpr (calls<Function, Arguments...>()) {
    return assigns<std::iter_reference_t<Output>, std::invoke_result_t<const Function&, Arguments...>>();
  } else {
    return false;
  }
}

// How std's algorithms are given a function: without a copy, unless it has no state to copy.
template <class Function>
constexpr auto passed(const Function& function) {
  if constexpr (std::is_empty_v<Function> && std::is_trivially_copyable_v<Function> && std::is_copy_constructible_v<Function>) {
    return function;
  } else {
    return std::cref(function);
  }
}

// A function as a call in parentheses takes it: a pointer to a member is wrapped.
template <class Function>
constexpr decltype(auto) called(const Function& function) {
  if constexpr (std::is_member_pointer_v<Function>) {
    return std::mem_fn(function);
  } else {
    return (function);
  }
}

template <class Range>
concept walkable = std::ranges::range<Range>;

// Whether (range, next) is rather a pair of iterators, the first of which is an array.
template <class Range, class Next>
concept begins_pair =
    std::is_array_v<std::remove_reference_t<Range>> && std::sentinel_for<std::decay_t<Next>, std::decay_t<Range>>;
// The same of (range, next, out), where a function or a value would be in the place of out.
template <class Range, class Next, class Out>
concept begins_triple = begins_pair<Range, Next> && std::input_or_output_iterator<std::decay_t<Out>>;

template <walkable Range>
constexpr auto end_of(Range& range) {
  if constexpr (std::ranges::random_access_range<Range> && std::ranges::sized_range<Range>) {
    return std::ranges::begin(range) + static_cast<std::ranges::range_difference_t<Range>>(std::ranges::size(range));
  } else {
    return std::ranges::end(range);
  }
}

template <class Iterator, class End>
concept ends_of = std::input_or_output_iterator<Iterator> && std::sentinel_for<End, Iterator>;

template <class Iterator, class End>
std::size_t size_between(const Iterator& first, const End& last) {
  return static_cast<std::size_t>(last - first);
}
template <class Iterator>
Iterator at(const Iterator& first, std::size_t offset) {
  return first + static_cast<std::iter_difference_t<Iterator>>(offset);
}

// Calls run(begin, end) for parts of [0, size), which may run at the same time.
template <class Run>
void run_parts(std::size_t size, const Run& run) {
  const std::size_t begun = detail::run_head(size, [&run](std::size_t begin, std::size_t end) {
    run(begin, end);
    return true;
  });
  if (begun == size) return;
  weft::parallel_for(range<std::size_t>(begun, size), [&run](const range<std::size_t>& part) { run(part.begin(), part.end()); });
}

// Folds [begin, end), which isn't empty, in order: run(begin, end) returns the result of a part, and
// join(earlier, later) one of two.
template <class Run, class Join>
auto fold(std::size_t begin, std::size_t end, const Run& run, const Join& join) {
  using result = std::remove_cvref_t<decltype(run(begin, end))>;
  const auto run_part = [&run](const range<std::size_t>& part) { return run(part.begin(), part.end()); };
  return detail::join_parts<result>(range<std::size_t>(begin, end), run_part, join);
}

// Folds [0, size), which isn't empty, in order, the head on the caller.
template <class Run, class Join>
auto fold_all(std::size_t size, const Run& run, const Join& join) {
  using result = std::remove_cvref_t<decltype(run(size, size))>;
  if (size < 2 || !has_helpers()) return run(0, size);
  std::optional<result> head;
  const std::size_t begun = detail::run_head(size, [&](std::size_t begin, std::size_t end) {
    result piece = run(begin, end);
    if (head) {
      result both = join(std::move(*head), std::move(piece));
      head.emplace(std::move(both));
    } else {
      head.emplace(std::move(piece));
    }
    return true;
  });
  if (begun == size) return result(std::move(*head));
  return result(join(std::move(*head), detail::fold(begun, size, run, join)));
}

inline constexpr std::size_t not_found = SIZE_MAX;

// The first place in [begin, end) that look(begin, end) finds in a part; not_found if there is
// none. An exception of a part behind that place is dropped. The two words only save work while the
// loop runs; what is decided by them is read after its end, which orders it behind all parts.
template <class Look>
std::size_t find_in_parts(std::size_t begin, std::size_t end, const Look& look) {
  constexpr std::size_t stride = 4096;
  std::atomic<std::size_t> first = not_found, failed = not_found;
  const auto lower = [](std::atomic<std::size_t>& word, std::size_t place) {
    std::size_t seen = word.load(std::memory_order_relaxed);
    while (place < seen && !word.compare_exchange_weak(seen, place, std::memory_order_relaxed)) continue;
  };
  const auto look_in = [&](const range<std::size_t>& part) {
    std::size_t from = part.begin();
    try {
      for (; from != part.end() && from < first.load(std::memory_order_relaxed);) {
        const std::size_t to = from + std::min(stride, part.end() - from);
        const std::size_t found = look(from, to);
        if (found != not_found) return lower(first, found);
        from = to;
      }
    } catch (...) {
      lower(failed, from);
      throw;
    }
  };
  try {
    weft::parallel_for(range<std::size_t>(begin, end), look_in);
  } catch (...) {
    if (failed.load(std::memory_order_relaxed) < first.load(std::memory_order_relaxed)) throw;
  }
  return first.load(std::memory_order_relaxed);
}

template <class Look>
std::size_t find_first(std::size_t size, const Look& look) {
  std::size_t found = not_found;
  const std::size_t begun = detail::run_head(size, [&](std::size_t begin, std::size_t end) {
    found = look(begin, end);
    return found == not_found;
  });
  return found != not_found || begun == size ? found : detail::find_in_parts(begun, size, look);
}

}  // namespace detail
}  // namespace weft
