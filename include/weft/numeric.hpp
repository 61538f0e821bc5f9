// The reductions and scans of std, run by several workers.
//
//   const double sum = weft::reduce(weft::par, a);
//   const double dot = weft::transform_reduce(weft::par, a.begin(), a.end(), b.begin(), 0.0);
//   weft::exclusive_scan(weft::par, sizes.begin(), sizes.end(), places.begin(), std::size_t{0});
//
// What algorithm.hpp says of policies, ranges, functions, exceptions and callers holds here. Values
// are combined in the order of the elements: the operation must be associative, not commutative.
// With floating point the result depends on which workers were idle; weft::parallel_reduce over a
// range with a grain returns the same in every run. Scans copy values and are sequential below 1024
// elements. They may throw std::bad_alloc; their output may begin where the input begins.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include <weft/detail/folding.hpp>
#include <weft/detail/policy.hpp>

namespace weft {

// Returns init combined with all elements.
template <class Iterator, class End, class Value, class Combine = std::plus<>>
  requires detail::ends_of<Iterator, End>
Value reduce(parallel_policy, Iterator first, End last, Value init, const Combine& combine = {}) {
  if constexpr (detail::reads<Iterator>()) {
    return detail::reduce_elements(detail::size_between(first, last), std::move(init), combine,
                                   [first](std::size_t i) -> decltype(auto) { return *detail::at(first, i); });
  } else {
    return init;
  }
}
// Returns init combined with all elements of a range.
template <detail::walkable Range, class Value, class Combine = std::plus<>>
  requires(!detail::begins_pair<Range, Value>)
Value reduce(parallel_policy policy, Range&& range, Value init, const Combine& combine = {}) {
  return weft::reduce(policy, std::ranges::begin(range), detail::end_of(range), std::move(init), combine);
}
// Returns the sum of all elements, and of a value-initialized one.
template <class Iterator, class End>
  requires detail::ends_of<Iterator, End>
std::iter_value_t<Iterator> reduce(parallel_policy policy, Iterator first, End last) {
  return weft::reduce(policy, first, last, std::iter_value_t<Iterator>{});
}
// Returns the sum of all elements of a range, and of a value-initialized one.
template <detail::walkable Range>
std::ranges::range_value_t<Range> reduce(parallel_policy policy, Range&& range) {
  return weft::reduce(policy, range, std::ranges::range_value_t<Range>{});
}

// Returns init combined with transform(element) for each element.
template <class Iterator, class End, class Value, class Combine, class Transform>
  requires detail::ends_of<Iterator, End>
Value transform_reduce(parallel_policy, Iterator first, End last, Value init, const Combine& combine,
                       const Transform& transform) {
  if constexpr (detail::reads<Iterator>()) {
    if constexpr (detail::calls<Transform, std::iter_reference_t<Iterator>>()) {
      return detail::reduce_elements(
          detail::size_between(first, last), std::move(init), combine,
          [first, &transform](std::size_t i) -> detail::transformed<Transform, std::iter_reference_t<Iterator>> {
            return std::invoke(transform, *detail::at(first, i));
          });
    }
  }
  return init;
}
// Returns init combined with transform(element) for each element of a range.
template <detail::walkable Range, class Value, class Combine, class Transform>
  requires(!detail::begins_triple<Range, Value, Combine>)
Value transform_reduce(parallel_policy policy, Range&& range, Value init, const Combine& combine, const Transform& transform) {
  return weft::transform_reduce(policy, std::ranges::begin(range), detail::end_of(range), std::move(init), combine, transform);
}
// Returns init combined with transform(element, other) for each element and the one at the same
// place of the sequence that begins at other. By default that is the sum of their products.
template <class Iterator, class End, std::input_or_output_iterator Other, class Value, class Combine = std::plus<>,
          class Transform = std::multiplies<>>
  requires detail::ends_of<Iterator, End>
Value transform_reduce(parallel_policy, Iterator first, End last, Other other, Value init, const Combine& combine = {},
                       const Transform& transform = {}) {
  if constexpr (detail::reads<Iterator, Other>()) {
    if constexpr (detail::calls<Transform, std::iter_reference_t<Iterator>, std::iter_reference_t<Other>>()) {
      using element = detail::transformed<Transform, std::iter_reference_t<Iterator>, std::iter_reference_t<Other>>;
      return detail::reduce_elements(detail::size_between(first, last), std::move(init), combine,
                                     [first, other, &transform](std::size_t i) -> element {
                                       return std::invoke(transform, *detail::at(first, i), *detail::at(other, i));
                                     });
    }
  }
  return init;
}
// Returns init combined with transform(element, other) for the elements of two ranges, as many as
// the shorter one has.
template <detail::walkable Range, detail::walkable Others, class Value, class Combine = std::plus<>,
          class Transform = std::multiplies<>>
  requires(!combine_function<Value, std::decay_t<Others>>)  // or Others is an init that is a range
Value transform_reduce(parallel_policy policy, Range&& range, Others&& others, Value init, const Combine& combine = {},
                       const Transform& transform = {}) {
  const auto first = std::ranges::begin(range);
  const auto other = std::ranges::begin(others);
  if constexpr (detail::reads<std::ranges::iterator_t<Range>, std::ranges::iterator_t<Others>>()) {
    const std::size_t size =
        std::min(detail::size_between(first, detail::end_of(range)), detail::size_between(other, detail::end_of(others)));
    return weft::transform_reduce(policy, first, detail::at(first, size), other, std::move(init), combine, transform);
  } else {
    return init;
  }
}
// The same of two arrays.
template <class T, std::size_t Size, class U, std::size_t Others, class Value, class Combine, class Transform>
Value transform_reduce(parallel_policy policy, T (&range)[Size], U (&others)[Others], Value init, const Combine& combine,
                       const Transform& transform) {
  return weft::transform_reduce(policy, range + 0, range + std::min(Size, Others), others + 0, std::move(init), combine,
                                transform);
}

// Writes to each place of out what transform returns for the elements up to and including that one,
// combined. Returns the end of the output.
template <class Iterator, class End, std::input_or_output_iterator Output, class Combine, class Transform>
  requires detail::ends_of<Iterator, End>
Output transform_inclusive_scan(parallel_policy, Iterator first, End last, Output out, const Combine& combine,
                                const Transform& transform) {
  using value = std::remove_cvref_t<std::invoke_result_t<const Transform&, std::iter_reference_t<Iterator>>>;
  return detail::scan_elements<detail::inclusive, value>(first, last, out, std::optional<value>(), combine, transform);
}
// Writes the combinations of init and transformed elements, up to and including each one, to out.
// Returns the end of the output.
template <class Iterator, class End, std::input_or_output_iterator Output, class Combine, class Transform, class Value>
  requires detail::ends_of<Iterator, End>
Output transform_inclusive_scan(parallel_policy, Iterator first, End last, Output out, const Combine& combine,
                                const Transform& transform, Value init) {
  return detail::scan_elements<detail::inclusive, Value>(first, last, out, std::optional<Value>(std::move(init)), combine,
                                                         transform);
}
// Writes the combinations of transformed elements of a range, up to and including each one, to out;
// a value behind transform is combined with all of them. Returns the end of the output.
template <detail::walkable Range, class Output, class Combine, class Transform, class... Value>
  requires(!detail::begins_triple<Range, Output, Combine>)
Output transform_inclusive_scan(parallel_policy policy, Range&& range, Output out, const Combine& combine,
                                const Transform& transform, Value... init) {
  return weft::transform_inclusive_scan(policy, std::ranges::begin(range), detail::end_of(range), out, combine, transform,
                                        std::move(init)...);
}

// Writes the combinations of init and transformed elements before each one to out. Returns the end
// of the output.
template <class Iterator, class End, std::input_or_output_iterator Output, class Value, class Combine, class Transform>
  requires detail::ends_of<Iterator, End>
Output transform_exclusive_scan(parallel_policy, Iterator first, End last, Output out, Value init, const Combine& combine,
                                const Transform& transform) {
  return detail::scan_elements<detail::exclusive, Value>(first, last, out, std::optional<Value>(std::move(init)), combine,
                                                         transform);
}
// Writes the combinations of init and transformed elements of a range before each one to out.
// Returns the end of the output.
template <detail::walkable Range, class Output, class Value, class Combine, class Transform>
Output transform_exclusive_scan(parallel_policy policy, Range&& range, Output out, Value init, const Combine& combine,
                                const Transform& transform) {
  return weft::transform_exclusive_scan(policy, std::ranges::begin(range), detail::end_of(range), out, std::move(init), combine,
                                        transform);
}

// Writes the combination of all elements up to and including each one to out. Returns the end of
// the output.
template <class Iterator, class End, std::input_or_output_iterator Output, class Combine = std::plus<>>
  requires detail::ends_of<Iterator, End>
Output inclusive_scan(parallel_policy, Iterator first, End last, Output out, const Combine& combine = {}) {
  using value = std::iter_value_t<Iterator>;
  return detail::scan_elements<detail::inclusive, value>(first, last, out, std::optional<value>(), combine, std::identity());
}
// Writes the combination of init and all elements up to and including each one to out. Returns the
// end of the output.
template <class Iterator, class End, std::input_or_output_iterator Output, class Combine, class Value>
  requires detail::ends_of<Iterator, End>
Output inclusive_scan(parallel_policy, Iterator first, End last, Output out, const Combine& combine, Value init) {
  return detail::scan_elements<detail::inclusive, Value>(first, last, out, std::optional<Value>(std::move(init)), combine,
                                                         std::identity());
}
// Writes the combination of all elements of a range up to and including each one to out. Returns
// the end of the output.
template <detail::walkable Range, class Output, class Combine = std::plus<>>
  requires(!detail::begins_triple<Range, Output, Combine>)
Output inclusive_scan(parallel_policy policy, Range&& range, Output out, const Combine& combine = {}) {
  return weft::inclusive_scan(policy, std::ranges::begin(range), detail::end_of(range), out, combine);
}
// Writes the combination of init and all elements of a range up to and including each one to out.
// Returns the end of the output.
template <detail::walkable Range, class Output, class Combine, class Value>
  requires(!detail::begins_triple<Range, Output, Combine>)
Output inclusive_scan(parallel_policy policy, Range&& range, Output out, const Combine& combine, Value init) {
  return weft::inclusive_scan(policy, std::ranges::begin(range), detail::end_of(range), out, combine, std::move(init));
}

// Writes the combination of init and all elements before each one to out. Returns the end of the
// output.
template <class Iterator, class End, std::input_or_output_iterator Output, class Value, class Combine = std::plus<>>
  requires detail::ends_of<Iterator, End>
Output exclusive_scan(parallel_policy, Iterator first, End last, Output out, Value init, const Combine& combine = {}) {
  return detail::scan_elements<detail::exclusive, Value>(first, last, out, std::optional<Value>(std::move(init)), combine,
                                                         std::identity());
}
// Writes the combination of init and all elements of a range before each one to out. Returns the
// end of the output.
template <detail::walkable Range, class Output, class Value, class Combine = std::plus<>>
  requires(!detail::begins_triple<Range, Output, Value>)
Output exclusive_scan(parallel_policy policy, Range&& range, Output out, Value init, const Combine& combine = {}) {
  return weft::exclusive_scan(policy, std::ranges::begin(range), detail::end_of(range), out, std::move(init), combine);
}

}  // namespace weft
