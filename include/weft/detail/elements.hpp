// Parts of algorithm.hpp: what looks for elements, counts and chooses them.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include <weft/detail/policy.hpp>
#include <weft/parallel_for.hpp>

namespace weft::detail {

inline constexpr std::size_t least_bytes_to_copy_in_parallel = 65536;

// Calls run(begin, end) for parts whose elements are only written.
template <class Value, class Run>
void run_copies(std::size_t size, const Run& run) {
  if constexpr (std::is_trivially_copyable_v<Value>) {
    if (size < least_bytes_to_copy_in_parallel / sizeof(Value) || !has_helpers()) return run(std::size_t{0}, size);
    weft::parallel_for(range<std::size_t>(0, size), [&run](const range<std::size_t>& part) { run(part.begin(), part.end()); });
  } else {
    detail::run_parts(size, run);
  }
}

// The first element that is wanted, or the end.
template <class Iterator, class IsWanted>
Iterator find_element(const Iterator& first, std::size_t size, const IsWanted& is_wanted) {
  const std::size_t found = detail::find_first(size, [first, &is_wanted](std::size_t begin, std::size_t end) {
    Iterator i = detail::at(first, begin);
    for (std::size_t left = (end - begin) / 4; left != 0; --left) {
      if (is_wanted(i)) return detail::size_between(first, i);
      if (is_wanted(++i)) return detail::size_between(first, i);
      if (is_wanted(++i)) return detail::size_between(first, i);
      if (is_wanted(++i)) return detail::size_between(first, i);
      ++i;
    }
    for (const Iterator stop = detail::at(first, end); i != stop; ++i) {
      if (is_wanted(i)) return detail::size_between(first, i);
    }
    return not_found;
  });
  return detail::at(first, found == not_found ? size : found);
}

template <class Iterator, class End, class IsWanted>
std::iter_difference_t<Iterator> count_elements(const Iterator& first, const End& last, const IsWanted& is_wanted) {
  using count = std::iter_difference_t<Iterator>;
  const std::size_t size = detail::size_between(first, last);
  if (size == 0) return 0;
  return detail::fold_all(
      size,
      [&](std::size_t begin, std::size_t end) {
        count sum = 0;
        for (Iterator i = detail::at(first, begin), stop = detail::at(first, end); i != stop; ++i) sum += is_wanted(i) ? 1 : 0;
        return sum;
      },
      std::plus<count>());
}

// std's algorithms take forward iterators as C++17 has them, whose elements have addresses; those
// of std::ranges also take views of computed elements.
template <class Iterator>
concept forward_as_before =
    std::derived_from<typename std::iterator_traits<Iterator>::iterator_category, std::forward_iterator_tag>;

template <class Iterator, class Output>
void copy_in(const Iterator& begin, const Iterator& end, const Output& out) {
  if constexpr (forward_as_before<Iterator>) {
    std::copy(begin, end, out);
  } else {
    std::ranges::copy(begin, end, out);
  }
}
template <class Iterator, class Compare>
Iterator min_in(const Iterator& begin, const Iterator& end, const Compare& compare) {
  if constexpr (forward_as_before<Iterator>) {
    return std::min_element(begin, end, passed(compare));
  } else {
    return std::ranges::min_element(begin, end, passed(compare));
  }
}
template <class Iterator, class Compare>
Iterator max_in(const Iterator& begin, const Iterator& end, const Compare& compare) {
  if constexpr (forward_as_before<Iterator>) {
    return std::max_element(begin, end, passed(compare));
  } else {
    return std::ranges::max_element(begin, end, passed(compare));
  }
}
template <class Iterator, class Compare>
std::pair<Iterator, Iterator> minmax_in(const Iterator& begin, const Iterator& end, const Compare& compare) {
  if constexpr (forward_as_before<Iterator>) {
    return std::minmax_element(begin, end, passed(compare));
  } else {
    const auto [least, most] = std::ranges::minmax_element(begin, end, passed(compare));
    return {least, most};
  }
}

// The element that is left when one of two is chosen again and again; the end if there is none.
template <class Iterator, class End, class Compare, class ChooseIn, class Choose>
Iterator choose_element(const Iterator& first, const End& last, const Compare&, const ChooseIn& choose_in, const Choose& choose) {
  if constexpr (reads<Iterator>()) {
    if constexpr (asks<Compare, std::iter_reference_t<Iterator>, std::iter_reference_t<Iterator>>()) {
      const std::size_t size = detail::size_between(first, last);
      if (size == 0) return first;
      return detail::fold_all(
          size, [&](std::size_t begin, std::size_t end) { return choose_in(detail::at(first, begin), detail::at(first, end)); },
          choose);
    }
  }
  return first;
}

}  // namespace weft::detail
