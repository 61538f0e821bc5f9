// The algorithms of std, run by several workers.
//
//   weft::sort(weft::par, words);
//   weft::transform(weft::par, a.begin(), a.end(), b.begin(), c.begin(), std::plus<>());
//   if (weft::any_of(weft::par, a, is_odd)) ...
//
// Names, arguments, their order and results are those of std's algorithms with a policy. All but
// for_each_n take a range in place of two iterators; an iterator that they return into a temporary
// range is std::ranges::dangling. Iterators have random access. What is written or reordered has an
// address, unlike the elements of std::vector<bool>. Functions are called by several workers at
// once, through a reference to const, and are not copied.
//
// The first elements run on the caller; the others run in parallel if the first ones took more
// than some microseconds. sort, stable_sort, merge, what moves elements together, and copy and fill
// of trivial types, are sequential below 2048 to 65536 elements or bytes. So a short call costs
// what std's does, and about 20 ns.
//
// What a function or an element throws is thrown by the call, after all workers have ended their
// parts: the exception of the first part, in the order of the elements, if several throw. Elements
// behind it may have been skipped or changed. No element is lost or destroyed twice, but the values
// of those that are reordered are unspecified then, and may have been moved from.
//
// All of them: may switch. Callable from any; in a tasklet, outside of the runtime and on ranks
// they run in the caller. Undefined: functions that modify elements that another call reads, and
// outputs that overlap an input; those of transform, copy and scans may begin where it begins.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include <weft/detail/elements.hpp>
#include <weft/detail/merging.hpp>
#include <weft/detail/packing.hpp>
#include <weft/detail/policy.hpp>
#include <weft/parallel_sort.hpp>

namespace weft {

// Calls function(element) for each element. Results of function are ignored.
template <class Iterator, class End, class Function>
  requires detail::ends_of<Iterator, End>
void for_each(parallel_policy, Iterator first, End last, const Function& function) {
  if constexpr (detail::reads<Iterator>()) {
    if constexpr (detail::calls<Function, std::iter_reference_t<Iterator>>()) {
      detail::run_parts(detail::size_between(first, last), [&](std::size_t begin, std::size_t end) {
        for (Iterator i = detail::at(first, begin), stop = detail::at(first, end); i != stop; ++i) std::invoke(function, *i);
      });
    }
  }
}
// Calls function(element) for each element of a range.
template <detail::walkable Range, class Function>
void for_each(parallel_policy policy, Range&& range, const Function& function) {
  weft::for_each(policy, std::ranges::begin(range), detail::end_of(range), function);
}

// Calls function(element) for count elements from first on. Returns the end of these.
template <class Iterator, std::integral Size, class Function>
Iterator for_each_n(parallel_policy policy, Iterator first, Size count, const Function& function) {
  if constexpr (detail::reads<Iterator>()) {
    if (count <= 0) return first;
    const Iterator last = detail::at(first, static_cast<std::size_t>(count));
    weft::for_each(policy, first, last, function);
    return last;
  } else {
    return first;
  }
}

// Writes function(element) for each element to out. Returns the end of the output.
template <class Iterator, class End, class Output, class Function>
  requires detail::ends_of<Iterator, End>
Output transform(parallel_policy, Iterator first, End last, Output out, const Function& function) {
  if constexpr (detail::reads<Iterator>() && detail::writes<Output>()) {
    if constexpr (detail::makes<Output, Function, std::iter_reference_t<Iterator>>()) {
      const std::size_t size = detail::size_between(first, last);
      detail::run_parts(size, [&](std::size_t begin, std::size_t end) {
        std::transform(detail::at(first, begin), detail::at(first, end), detail::at(out, begin), detail::passed(function));
      });
      return detail::at(out, size);
    }
  }
  return out;
}
// Writes function(element) for each element of a range to out. Returns the end of the output.
template <detail::walkable Range, class Output, class Function>
Output transform(parallel_policy policy, Range&& range, Output out, const Function& function) {
  return weft::transform(policy, std::ranges::begin(range), detail::end_of(range), out, function);
}
// Writes function(element, other) for each element and the one at the same place of the sequence
// that begins at other. Returns the end of the output.
template <class Iterator, class End, class Other, class Output, class Function>
  requires detail::ends_of<Iterator, End>
Output transform(parallel_policy, Iterator first, End last, Other other, Output out, const Function& function) {
  if constexpr (detail::reads<Iterator, Other>() && detail::writes<Output>()) {
    if constexpr (detail::makes<Output, Function, std::iter_reference_t<Iterator>, std::iter_reference_t<Other>>()) {
      const std::size_t size = detail::size_between(first, last);
      detail::run_parts(size, [&](std::size_t begin, std::size_t end) {
        std::transform(detail::at(first, begin), detail::at(first, end), detail::at(other, begin), detail::at(out, begin),
                       detail::passed(function));
      });
      return detail::at(out, size);
    }
  }
  return out;
}
// Writes function(element, other) for the elements of two ranges, as many as the shorter one has.
// Returns the end of the output.
template <detail::walkable Range, detail::walkable Others, class Output, class Function>
Output transform(parallel_policy policy, Range&& range, Others&& others, Output out, const Function& function) {
  const auto first = std::ranges::begin(range);
  const auto other = std::ranges::begin(others);
  if constexpr (detail::reads<std::ranges::iterator_t<Range>, std::ranges::iterator_t<Others>>()) {
    const std::size_t size =
        std::min(detail::size_between(first, detail::end_of(range)), detail::size_between(other, detail::end_of(others)));
    return weft::transform(policy, first, detail::at(first, size), other, out, function);
  } else {
    return out;
  }
}

// Writes function(element, other) for the elements of two arrays, as many as the shorter one has.
// Returns the end of the output.
template <class T, std::size_t Size, class U, std::size_t Others, class Output, class Function>
Output transform(parallel_policy policy, T (&range)[Size], U (&others)[Others], Output out, const Function& function) {
  return weft::transform(policy, range + 0, range + std::min(Size, Others), others + 0, out, function);
}

// Copies each element to out. Returns the end of the output.
template <class Iterator, class End, class Output>
  requires detail::ends_of<Iterator, End>
Output copy(parallel_policy, Iterator first, End last, Output out) {
  if constexpr (detail::reads<Iterator>() && detail::writes<Output>()) {
    if constexpr (detail::assigns<std::iter_reference_t<Output>, std::iter_reference_t<Iterator>>()) {
      const std::size_t size = detail::size_between(first, last);
      detail::run_copies<std::iter_value_t<Output>>(size, [&](std::size_t begin, std::size_t end) {
        detail::copy_in(detail::at(first, begin), detail::at(first, end), detail::at(out, begin));
      });
      return detail::at(out, size);
    }
  }
  return out;
}
// Copies each element of a range to out. Returns the end of the output.
template <detail::walkable Range, class Output>
Output copy(parallel_policy policy, Range&& range, Output out) {
  return weft::copy(policy, std::ranges::begin(range), detail::end_of(range), out);
}

// Copies the elements for which predicate(element) is true to out, in their order. Returns the end
// of the output. Throws std::bad_alloc if there is no memory for a byte an element.
template <class Iterator, class End, class Output, class Predicate>
  requires detail::ends_of<Iterator, End>
Output copy_if(parallel_policy, Iterator first, End last, Output out, const Predicate& predicate) {
  if constexpr (detail::reads<Iterator>() && detail::writes<Output>()) {
    if constexpr (detail::asks<Predicate, std::iter_reference_t<Iterator>>()) {
      const std::size_t size = detail::size_between(first, last);
      if (!detail::packs_in_parallel(size)) return std::copy_if(first, detail::at(first, size), out, detail::passed(predicate));
      return detail::copy_chosen(first, size, out, [&](std::size_t i) { return std::invoke(predicate, *detail::at(first, i)); });
    }
  }
  return out;
}
// Copies the elements of a range for which predicate(element) is true, as the call with two
// iterators does.
template <detail::walkable Range, class Output, class Predicate>
Output copy_if(parallel_policy policy, Range&& range, Output out, const Predicate& predicate) {
  return weft::copy_if(policy, std::ranges::begin(range), detail::end_of(range), out, predicate);
}

// Assigns value to each element.
template <class Iterator, class End, class Value>
  requires detail::ends_of<Iterator, End>
void fill(parallel_policy, Iterator first, End last, const Value& value) {
  if constexpr (detail::writes<Iterator>()) {
    if constexpr (detail::assigns<std::iter_reference_t<Iterator>, const Value&>()) {
      detail::run_copies<std::iter_value_t<Iterator>>(detail::size_between(first, last), [&](std::size_t begin, std::size_t end) {
        std::fill(detail::at(first, begin), detail::at(first, end), value);
      });
    }
  }
}
// Assigns value to each element of a range.
template <detail::walkable Range, class Value>
void fill(parallel_policy policy, Range&& range, const Value& value) {
  weft::fill(policy, std::ranges::begin(range), detail::end_of(range), value);
}

// Assigns generator() to each element; calls may come in any order.
template <class Iterator, class End, class Generator>
  requires detail::ends_of<Iterator, End>
void generate(parallel_policy, Iterator first, End last, const Generator& generator) {
  if constexpr (detail::writes<Iterator>()) {
    if constexpr (detail::makes<Iterator, Generator>()) {
      detail::run_parts(detail::size_between(first, last), [&](std::size_t begin, std::size_t end) {
        std::generate(detail::at(first, begin), detail::at(first, end), detail::passed(generator));
      });
    }
  }
}
// Assigns generator() to each element of a range; calls may come in any order.
template <detail::walkable Range, class Generator>
void generate(parallel_policy policy, Range&& range, const Generator& generator) {
  weft::generate(policy, std::ranges::begin(range), detail::end_of(range), generator);
}

// Returns the first element for which predicate(element) is true; last if there is none. What
// predicate throws for elements behind that one is dropped.
template <class Iterator, class End, class Predicate>
  requires detail::ends_of<Iterator, End>
Iterator find_if(parallel_policy, Iterator first, End last, const Predicate& predicate) {
  if constexpr (detail::reads<Iterator>()) {
    if constexpr (detail::asks<Predicate, std::iter_reference_t<Iterator>>()) {
      return detail::find_element(first, detail::size_between(first, last),
                                  [&](const Iterator& i) -> bool { return std::invoke(predicate, *i); });
    }
  }
  return first;
}
// Returns the first element of a range for which predicate(element) is true; its end if there is
// none.
template <detail::walkable Range, class Predicate>
std::ranges::borrowed_iterator_t<Range> find_if(parallel_policy policy, Range&& range, const Predicate& predicate) {
  return weft::find_if(policy, std::ranges::begin(range), detail::end_of(range), predicate);
}

// Returns the first element for which predicate(element) is false; last if there is none.
template <class Iterator, class End, class Predicate>
  requires detail::ends_of<Iterator, End>
Iterator find_if_not(parallel_policy, Iterator first, End last, const Predicate& predicate) {
  if constexpr (detail::reads<Iterator>()) {
    if constexpr (detail::asks<Predicate, std::iter_reference_t<Iterator>>()) {
      return detail::find_element(first, detail::size_between(first, last),
                                  [&](const Iterator& i) -> bool { return !std::invoke(predicate, *i); });
    }
  }
  return first;
}
// Returns the first element of a range for which predicate(element) is false; its end if there is
// none.
template <detail::walkable Range, class Predicate>
std::ranges::borrowed_iterator_t<Range> find_if_not(parallel_policy policy, Range&& range, const Predicate& predicate) {
  return weft::find_if_not(policy, std::ranges::begin(range), detail::end_of(range), predicate);
}

// Returns the first element that equals value; last if there is none.
template <class Iterator, class End, class Value>
  requires detail::ends_of<Iterator, End>
Iterator find(parallel_policy, Iterator first, End last, const Value& value) {
  if constexpr (detail::reads<Iterator>()) {
    if constexpr (detail::equals<std::iter_reference_t<Iterator>, Value>()) {
      return detail::find_element(first, detail::size_between(first, last),
                                  [&](const Iterator& i) -> bool { return *i == value; });
    }
  }
  return first;
}
// Returns the first element of a range that equals value; its end if there is none.
template <detail::walkable Range, class Value>
std::ranges::borrowed_iterator_t<Range> find(parallel_policy policy, Range&& range, const Value& value) {
  return weft::find(policy, std::ranges::begin(range), detail::end_of(range), value);
}

// Returns whether predicate(element) is true for some element.
template <class Iterator, class End, class Predicate>
  requires detail::ends_of<Iterator, End>
bool any_of(parallel_policy policy, Iterator first, End last, const Predicate& predicate) {
  return weft::find_if(policy, first, last, predicate) != last;
}
// Returns whether predicate(element) is true for some element of a range.
template <detail::walkable Range, class Predicate>
bool any_of(parallel_policy policy, Range&& range, const Predicate& predicate) {
  return weft::any_of(policy, std::ranges::begin(range), detail::end_of(range), predicate);
}
// Returns whether predicate(element) is true for each element; true if there is none.
template <class Iterator, class End, class Predicate>
  requires detail::ends_of<Iterator, End>
bool all_of(parallel_policy policy, Iterator first, End last, const Predicate& predicate) {
  return weft::find_if_not(policy, first, last, predicate) == last;
}
// Returns whether predicate(element) is true for each element of a range.
template <detail::walkable Range, class Predicate>
bool all_of(parallel_policy policy, Range&& range, const Predicate& predicate) {
  return weft::all_of(policy, std::ranges::begin(range), detail::end_of(range), predicate);
}
// Returns whether predicate(element) is false for each element; true if there is none.
template <class Iterator, class End, class Predicate>
  requires detail::ends_of<Iterator, End>
bool none_of(parallel_policy policy, Iterator first, End last, const Predicate& predicate) {
  return weft::find_if(policy, first, last, predicate) == last;
}
// Returns whether predicate(element) is false for each element of a range.
template <detail::walkable Range, class Predicate>
bool none_of(parallel_policy policy, Range&& range, const Predicate& predicate) {
  return weft::none_of(policy, std::ranges::begin(range), detail::end_of(range), predicate);
}

// Returns for how many elements predicate(element) is true.
template <class Iterator, class End, class Predicate>
  requires detail::ends_of<Iterator, End>
std::iter_difference_t<Iterator> count_if(parallel_policy, Iterator first, End last, const Predicate& predicate) {
  if constexpr (detail::reads<Iterator>()) {
    if constexpr (detail::asks<Predicate, std::iter_reference_t<Iterator>>()) {
      return detail::count_elements(first, last, [&](const Iterator& i) -> bool { return std::invoke(predicate, *i); });
    }
  }
  return {};
}
// Returns for how many elements of a range predicate(element) is true.
template <detail::walkable Range, class Predicate>
std::ranges::range_difference_t<Range> count_if(parallel_policy policy, Range&& range, const Predicate& predicate) {
  return weft::count_if(policy, std::ranges::begin(range), detail::end_of(range), predicate);
}
// Returns how many elements equal value.
template <class Iterator, class End, class Value>
  requires detail::ends_of<Iterator, End>
std::iter_difference_t<Iterator> count(parallel_policy, Iterator first, End last, const Value& value) {
  if constexpr (detail::reads<Iterator>()) {
    if constexpr (detail::equals<std::iter_reference_t<Iterator>, Value>()) {
      return detail::count_elements(first, last, [&](const Iterator& i) -> bool { return *i == value; });
    }
  }
  return {};
}
// Returns how many elements of a range equal value.
template <detail::walkable Range, class Value>
std::ranges::range_difference_t<Range> count(parallel_policy policy, Range&& range, const Value& value) {
  return weft::count(policy, std::ranges::begin(range), detail::end_of(range), value);
}

// Returns the first of the smallest elements; last if there is none.
template <class Iterator, class End, class Compare = std::less<>>
  requires detail::ends_of<Iterator, End>
Iterator min_element(parallel_policy, Iterator first, End last, const Compare& compare = {}) {
  return detail::choose_element(
      first, last, compare, [&](const Iterator& begin, const Iterator& end) { return detail::min_in(begin, end, compare); },
      [&](const Iterator& earlier, const Iterator& later) { return std::invoke(compare, *later, *earlier) ? later : earlier; });
}
// Returns the first of the smallest elements of a range; its end if there is none.
template <detail::walkable Range, class Compare = std::less<>>
  requires(!detail::begins_pair<Range, Compare>)
std::ranges::borrowed_iterator_t<Range> min_element(parallel_policy policy, Range&& range, const Compare& compare = {}) {
  return weft::min_element(policy, std::ranges::begin(range), detail::end_of(range), compare);
}
// Returns the first of the largest elements; last if there is none.
template <class Iterator, class End, class Compare = std::less<>>
  requires detail::ends_of<Iterator, End>
Iterator max_element(parallel_policy, Iterator first, End last, const Compare& compare = {}) {
  return detail::choose_element(
      first, last, compare, [&](const Iterator& begin, const Iterator& end) { return detail::max_in(begin, end, compare); },
      [&](const Iterator& earlier, const Iterator& later) { return std::invoke(compare, *earlier, *later) ? later : earlier; });
}
// Returns the first of the largest elements of a range; its end if there is none.
template <detail::walkable Range, class Compare = std::less<>>
  requires(!detail::begins_pair<Range, Compare>)
std::ranges::borrowed_iterator_t<Range> max_element(parallel_policy policy, Range&& range, const Compare& compare = {}) {
  return weft::max_element(policy, std::ranges::begin(range), detail::end_of(range), compare);
}
// Returns the first of the smallest elements and the last of the largest ones; last twice if there
// is none.
template <class Iterator, class End, class Compare = std::less<>>
  requires detail::ends_of<Iterator, End>
std::pair<Iterator, Iterator> minmax_element(parallel_policy, Iterator first, End last, const Compare& compare = {}) {
  if constexpr (detail::reads<Iterator>()) {
    if constexpr (detail::asks<Compare, std::iter_reference_t<Iterator>, std::iter_reference_t<Iterator>>()) {
      using both = std::pair<Iterator, Iterator>;
      const std::size_t size = detail::size_between(first, last);
      if (size == 0) return both(first, first);
      return detail::fold_all(
          size,
          [&](std::size_t begin, std::size_t end) {
            return both(detail::minmax_in(detail::at(first, begin), detail::at(first, end), compare));
          },
          [&](const both& earlier, const both& later) {
            return both(std::invoke(compare, *later.first, *earlier.first) ? later.first : earlier.first,
                        std::invoke(compare, *later.second, *earlier.second) ? earlier.second : later.second);
          });
    }
  }
  return {first, first};
}
// Returns the first of the smallest elements of a range and the last of its largest ones; its end
// twice if there is none.
template <detail::walkable Range, class Compare = std::less<>>
  requires(!detail::begins_pair<Range, Compare>)
std::pair<std::ranges::borrowed_iterator_t<Range>, std::ranges::borrowed_iterator_t<Range>> minmax_element(
    parallel_policy policy, Range&& range, const Compare& compare = {}) {
  return weft::minmax_element(policy, std::ranges::begin(range), detail::end_of(range), compare);
}

// Sorts the elements, not stably (parallel_sort.hpp).
template <class Iterator, class End, class Compare = std::less<>>
  requires detail::ends_of<Iterator, End>
void sort(parallel_policy, Iterator first, End last, const Compare& compare = {}) {
  if constexpr (detail::writes<Iterator>()) weft::parallel_sort(first, first + (last - first), detail::called(compare));
}
// Sorts the elements of a range, not stably (parallel_sort.hpp).
template <detail::walkable Range, class Compare = std::less<>>
  requires(!detail::begins_pair<Range, Compare>)
void sort(parallel_policy policy, Range&& range, const Compare& compare = {}) {
  weft::sort(policy, std::ranges::begin(range), detail::end_of(range), compare);
}

// Sorts the elements; equal ones keep their order. It uses memory for as many elements, and is
// sequential if there is none, or if moving an element may throw.
template <class Iterator, class End, class Compare = std::less<>>
  requires detail::ends_of<Iterator, End>
void stable_sort(parallel_policy, Iterator first, End last, const Compare& compare = {}) {
  if constexpr (detail::writes<Iterator>()) {
    constexpr bool is_sortable = sort_function<Compare, Iterator>;
    static_assert(is_sortable, "weft::sort_function: stable_sort calls a const compare with two elements that can be moved");
    if constexpr (is_sortable) detail::run_stable_sort(first, first + (last - first), detail::called(compare));
  }
}
// Sorts the elements of a range; equal ones keep their order.
template <detail::walkable Range, class Compare = std::less<>>
  requires(!detail::begins_pair<Range, Compare>)
void stable_sort(parallel_policy policy, Range&& range, const Compare& compare = {}) {
  weft::stable_sort(policy, std::ranges::begin(range), detail::end_of(range), compare);
}

// Puts the elements for which predicate(element) is true first. Returns the first of the others.
template <class Iterator, class End, class Predicate>
  requires detail::ends_of<Iterator, End>
Iterator partition(parallel_policy, Iterator first, End last, const Predicate& predicate) {
  if constexpr (detail::writes<Iterator>()) {
    if constexpr (detail::asks<Predicate, std::iter_reference_t<Iterator>>()) {
      const auto is_first = [&](const auto& element) -> bool { return std::invoke(predicate, element); };
      const Iterator stop = first + (last - first);
      return detail::has_helpers() ? detail::partition_in_parallel(first, stop, is_first) : std::partition(first, stop, is_first);
    }
  }
  return first;
}
// Puts the elements of a range for which predicate(element) is true first. Returns the first of the
// others.
template <detail::walkable Range, class Predicate>
std::ranges::borrowed_iterator_t<Range> partition(parallel_policy policy, Range&& range, const Predicate& predicate) {
  return weft::partition(policy, std::ranges::begin(range), detail::end_of(range), predicate);
}

// Puts the elements for which predicate(element) is true first; both groups keep their order.
// Returns the first of the others. It uses memory for as many elements, and is sequential if moving
// an element may throw. Throws std::bad_alloc if there is no memory for a byte an element.
template <class Iterator, class End, class Predicate>
  requires detail::ends_of<Iterator, End>
Iterator stable_partition(parallel_policy, Iterator first, End last, const Predicate& predicate) {
  if constexpr (detail::writes<Iterator>()) {
    if constexpr (detail::asks<Predicate, std::iter_reference_t<Iterator>>()) {
      return detail::run_stable_partition(first, detail::size_between(first, last), predicate);
    }
  }
  return first;
}
// Puts the elements of a range for which predicate(element) is true first; both groups keep their
// order. Returns the first of the others.
template <detail::walkable Range, class Predicate>
std::ranges::borrowed_iterator_t<Range> stable_partition(parallel_policy policy, Range&& range, const Predicate& predicate) {
  return weft::stable_partition(policy, std::ranges::begin(range), detail::end_of(range), predicate);
}

// Merges two sorted sequences by copying to out; of equal elements, those of the first sequence
// come first. Returns the end of the output.
template <class Iterator, class End, class Other, class OtherEnd, class Output, class Compare = std::less<>>
  requires detail::ends_of<Iterator, End> && detail::ends_of<Other, OtherEnd>
Output merge(parallel_policy, Iterator first, End last, Other other, OtherEnd other_last, Output out,
             const Compare& compare = {}) {
  if constexpr (detail::reads<Iterator, Other>() && detail::writes<Output>()) {
    if constexpr (detail::asks<Compare, std::iter_reference_t<Other>, std::iter_reference_t<Iterator>>()) {
      const std::size_t size = detail::size_between(first, last), others = detail::size_between(other, other_last);
      if constexpr (detail::forward_as_before<Iterator> && detail::forward_as_before<Other>) {
        if (size + others <= detail::least_to_merge_in_parallel || !detail::has_helpers()) {
          return std::merge(first, detail::at(first, size), other, detail::at(other, others), out, detail::passed(compare));
        }
      }
      detail::first_failure failure;
      detail::merge_in_parallel<detail::copy_elements>(first, size, other, others, out, detail::called(compare), failure);
      failure.rethrow();
      return detail::at(out, size + others);
    }
  }
  return out;
}
// Merges two sorted ranges by copying to out, as the call with iterators does.
template <detail::walkable Range, detail::walkable Others, class Output, class Compare = std::less<>>
Output merge(parallel_policy policy, Range&& range, Others&& others, Output out, const Compare& compare = {}) {
  return weft::merge(policy, std::ranges::begin(range), detail::end_of(range), std::ranges::begin(others), detail::end_of(others),
                     out, compare);
}

// Of neighbours that are equal, which is an equivalence relation, keeps the first. Returns the end
// of what is kept; the elements behind it have unspecified values. May throw std::bad_alloc.
template <class Iterator, class End, class Equal = std::equal_to<>>
  requires detail::ends_of<Iterator, End>
Iterator unique(parallel_policy, Iterator first, End last, const Equal& equal = {}) {
  if constexpr (detail::writes<Iterator>()) {
    if constexpr (detail::asks<Equal, std::iter_reference_t<Iterator>, std::iter_reference_t<Iterator>>()) {
      const std::size_t size = detail::size_between(first, last);
      const auto unique_in = [&](const Iterator& begin, const Iterator& end) {
        return std::unique(begin, end, detail::passed(equal));
      };
      if (!detail::packs_in_parallel(size)) return unique_in(first, detail::at(first, size));
      return detail::run_removal(first, size, unique_in, detail::called(equal));
    }
  }
  return first;
}
// Of neighbours of a range that are equal, keeps the first. Returns the end of what is kept.
template <detail::walkable Range, class Equal = std::equal_to<>>
  requires(!detail::begins_pair<Range, Equal>)
std::ranges::borrowed_iterator_t<Range> unique(parallel_policy policy, Range&& range, const Equal& equal = {}) {
  return weft::unique(policy, std::ranges::begin(range), detail::end_of(range), equal);
}

// Copies to out the first of neighbours that are equal, which is an equivalence relation. Returns
// the end of the output. Throws std::bad_alloc if there is no memory for a byte an element.
template <class Iterator, class End, std::input_or_output_iterator Output, class Equal = std::equal_to<>>
  requires detail::ends_of<Iterator, End>
Output unique_copy(parallel_policy, Iterator first, End last, Output out, const Equal& equal = {}) {
  if constexpr (detail::reads<Iterator>() && detail::writes<Output>()) {
    if constexpr (detail::asks<Equal, std::iter_reference_t<Iterator>, std::iter_reference_t<Iterator>>()) {
      const std::size_t size = detail::size_between(first, last);
      const auto is_first = [&](std::size_t i) {
        return i == 0 || !std::invoke(equal, *detail::at(first, i - 1), *detail::at(first, i));
      };
      if (detail::packs_in_parallel(size)) return detail::copy_chosen(first, size, out, is_first);
      for (std::size_t i = 0; i != size; ++i) {
        if (is_first(i)) *out++ = *detail::at(first, i);
      }
    }
  }
  return out;
}
// Copies to out the first of neighbours of a range that are equal. Returns the end of the output.
template <detail::walkable Range, class Output, class Equal = std::equal_to<>>
  requires(!detail::begins_triple<Range, Output, Equal>)
Output unique_copy(parallel_policy policy, Range&& range, Output out, const Equal& equal = {}) {
  return weft::unique_copy(policy, std::ranges::begin(range), detail::end_of(range), out, equal);
}

// Removes the elements for which predicate(element) is true; the others keep their order. Returns
// the end of what is kept; the elements behind it have unspecified values. May throw std::bad_alloc.
template <class Iterator, class End, class Predicate>
  requires detail::ends_of<Iterator, End>
Iterator remove_if(parallel_policy, Iterator first, End last, const Predicate& predicate) {
  if constexpr (detail::writes<Iterator>()) {
    if constexpr (detail::asks<Predicate, std::iter_reference_t<Iterator>>()) {
      const std::size_t size = detail::size_between(first, last);
      const auto remove_in = [&](const Iterator& begin, const Iterator& end) {
        return std::remove_if(begin, end, detail::passed(predicate));
      };
      if (!detail::packs_in_parallel(size)) return remove_in(first, detail::at(first, size));
      return detail::run_removal(first, size, remove_in, [](const auto&, const auto&) { return false; });
    }
  }
  return first;
}
// Removes the elements of a range for which predicate(element) is true. Returns the end of what is
// kept.
template <detail::walkable Range, class Predicate>
std::ranges::borrowed_iterator_t<Range> remove_if(parallel_policy policy, Range&& range, const Predicate& predicate) {
  return weft::remove_if(policy, std::ranges::begin(range), detail::end_of(range), predicate);
}

}  // namespace weft
