// Scans (prefix sums): each place gets the combination of all values up to it.
//
// Done in two passes. The first part goes straight to the end while the other workers only sum up
// theirs; then these are gone through again with what comes before them, together with the last
// part, whose sum is not needed. So n values cost nearly 2n combinations (one worker: n), and p
// workers are about (p + 1) / 2 times as fast as one. (G. Blelloch, Prefix sums and their
// applications, 1990.)
//
// Combinations keep the order of the indexes: combine must be associative, not commutative.
// Exceptions, callers, undefined: as parallel_for. They also throw what allocating a few values
// throws. May switch.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <weft/parallel_for.hpp>
#include <weft/parallel_reduce.hpp>
#include <weft/range.hpp>

namespace weft {
namespace detail {

template <class Value>
struct scan_part {
  Value sum;
  Value before;
};

template <class Index>
std::size_t scan_parts(const range<Index>& whole) {
  const std::size_t workers = weft_worker_self() >= 0 ? weft_worker_count() : 1;
  const std::size_t wanted = whole.grain() != 0 ? (whole.size() - 1) / whole.grain() + 1 : workers > 1 ? workers + 1 : 1;
  return std::min(wanted, whole.size());
}

// A scan whose arguments satisfy the concepts.
template <class Index, class Value, class Body, class Combine>
Value run_scan(const range<Index>& whole, const Value& identity, const Body& body, const Combine& combine) {
  if (whole.size() == 0) return identity;
  const std::size_t count = scan_parts(whole);
  const auto part = [&](std::size_t k) {
    const std::size_t each = whole.size() / count, rest = whole.size() % count;
    return range<Index>(whole[k * each + std::min(k, rest)], whole[(k + 1) * each + std::min(k + 1, rest)]);
  };
  std::vector<scan_part<Value>> parts(count, {identity, identity});
  const auto run = [&](std::size_t k, bool is_final) { parts[k].sum = body(part(k), std::as_const(parts[k].before), is_final); };
  parallel_for(range<std::size_t>(0, count == 1 ? 1 : count - 1, 1), [&](std::size_t k) { run(k, k == 0); });
  for (std::size_t k = 1; k < count; ++k) {
    parts[k].before = k == 1 ? parts[0].sum : combine(parts[k - 1].before, parts[k - 1].sum);
  }
  parallel_for(range<std::size_t>(1, count, 1), [&](std::size_t k) { run(k, true); });
  return std::move(parts.back().sum);
}

}  // namespace detail

// The body of a scan. It is called with a part of the range, a Value and a bool, and returns a
// Value.
template <class Body, class Range, class Value>
concept scan_body = requires(const Body& body, const Range& part, const Value& before, bool is_final) {
  { body(part, before, is_final) } -> std::convertible_to<Value>;
};

// A function that a scan over elements uses: it combines two values, or a value and an element,
// into a value.
template <class Combine, class Iterator>
concept scan_function =
    combine_function<Combine, std::iter_value_t<Iterator>, const std::iter_value_t<Iterator>&,
                     const std::iter_value_t<Iterator>&> &&
    combine_function<Combine, std::iter_value_t<Iterator>, std::iter_value_t<Iterator>, std::iter_reference_t<Iterator>>;

// Scans a range by a body that is called for its parts: body(part, before, is_final) returns before
// combined with all values of the part. If is_final is true, before is the combination of all
// values in front of the part (the identity for the first part), and body writes its results. If
// is_final is false, before is the identity, and body must not write.
//
// Returns the combination of all values. Throws what body throws: of several exceptions that of the
// first part, in program order, after all parts have ended; later parts may have been skipped.
// Throws what allocating a few values throws, too. May switch. Callable from any; in a tasklet and
// outside it is a plain loop. Undefined: copying an index or iterator that throws.
template <class Index, class Value, class Body, class Combine>
detail::result_if<combine_function<Combine, Value, Value&, Value&>, Value> parallel_scan(const range<Index>& whole,
                                                                                         Value identity, const Body& body,
                                                                                         const Combine& combine) {
  constexpr bool is_combine = combine_function<Combine, Value, Value&, Value&>;
  static_assert(is_combine, "weft::combine_function: the last argument of parallel_scan makes one value of two");
  if constexpr (is_combine) {
    constexpr bool is_body = scan_body<Body, range<Index>, Value>;
    static_assert(is_body, "weft::scan_body: parallel_scan calls a const body with a part, a value and a bool, for a value");
    if constexpr (is_body) return detail::run_scan(whole, identity, body, combine);
  }
  if constexpr (is_combine) {
    return identity;
  } else {
    return detail::misused_result();
  }
}

namespace detail {

// Scans over values: std::nullopt comes before the first.
template <class Iterator, class Combine>
auto scan_values(Iterator first, Iterator last, const Combine& combine, const auto& write) {
  using value = std::iter_value_t<Iterator>;
  const auto body = [&](const range<Iterator>& part, const std::optional<value>& before, bool is_final) -> std::optional<value> {
    if (is_final) return write(part, before);
    value sum(*part.begin());
    range(part.begin() + 1, part.end()).for_each([&](Iterator at) { sum = value(combine(std::move(sum), *at)); });
    return sum;
  };
  const auto both = [&combine](const std::optional<value>& left, const std::optional<value>& right) {
    return std::optional<value>(combine(*left, *right));
  };
  return parallel_scan(range(first, last), std::optional<value>(), body, both);
}

}  // namespace detail

// Scans elements, as std::inclusive_scan does: out[i] becomes the combination of all values up to
// and including the i-th. The output may begin where the input begins, but must not overlap it
// otherwise. Returns the end of the output. Throws what combine throws: of several exceptions that
// of the first part, in program order, after all parts have ended; later parts may have been
// skipped. Throws what allocating a few values throws, too. May switch. Callable from any; in a
// tasklet and outside it is a plain loop. Undefined: copying an index or iterator that throws.
template <std::random_access_iterator Iterator, std::random_access_iterator Output, class Combine>
Output parallel_inclusive_scan(Iterator first, Iterator last, Output out, const Combine& combine) {
  constexpr bool is_combine = scan_function<Combine, Iterator>;
  static_assert(is_combine, "weft::scan_function: the last argument of parallel_inclusive_scan makes one value of two");
  if constexpr (is_combine) {
    using value = std::iter_value_t<Iterator>;
    detail::scan_values(first, last, combine, [&](const range<Iterator>& part, const std::optional<value>& before) {
      Iterator at = part.begin();
      value sum = before ? value(combine(*before, *at)) : value(*at);
      out[at - first] = sum;
      while (++at != part.end()) {
        sum = value(combine(std::move(sum), *at));
        out[at - first] = sum;
      }
      return sum;
    });
  }
  return out + (last - first);
}

// Scans elements, as std::exclusive_scan does: out[i] becomes the combination of init and all
// values before the i-th. The output may begin where the input begins, but must not overlap it
// otherwise. Returns the end of the output. Throws what combine throws: of several exceptions that
// of the first part, in program order, after all parts have ended; later parts may have been
// skipped. Throws what allocating a few values throws, too. May switch. Callable from any; in a
// tasklet and outside it is a plain loop. Undefined: copying an index or iterator that throws.
template <std::random_access_iterator Iterator, std::random_access_iterator Output, class Value, class Combine>
Output parallel_exclusive_scan(Iterator first, Iterator last, Output out, const Value& init, const Combine& combine) {
  constexpr bool is_combine = scan_function<Combine, Iterator>;
  static_assert(is_combine, "weft::scan_function: the last argument of parallel_exclusive_scan makes one value of two");
  if constexpr (is_combine) {
    using value = std::iter_value_t<Iterator>;
    detail::scan_values(first, last, combine, [&](const range<Iterator>& part, const std::optional<value>& before) {
      value sum = before ? *before : value(init);
      part.for_each([&](Iterator at) {
        value next(combine(std::as_const(sum), *at));
        out[at - first] = std::move(sum);
        sum = std::move(next);
      });
      return sum;
    });
  }
  return out + (last - first);
}

}  // namespace weft
