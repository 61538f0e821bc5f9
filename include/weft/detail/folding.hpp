// Parts of numeric.hpp: reductions and scans of numbered elements.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/detail/policy.hpp>
#include <weft/parallel_reduce.hpp>
#include <weft/parallel_scan.hpp>

namespace weft::detail {

template <class Value, class Combine, class Element>
constexpr bool combines() {
  constexpr bool is_taken = combine_function<Combine, Value, Value, Element> && combine_function<Combine, Value, Value, Value>;
  static_assert(is_taken,
                "weft::combine_function: with weft::par a const operation makes one value of two, or of a value and an element");
  return is_taken;
}

// What transform returns, or its value where that may be a part of an element that is a temporary.
template <class Transform, class... References>
using transformed =
    std::conditional_t<(std::is_lvalue_reference_v<References> && ...), std::invoke_result_t<const Transform&, References...>,
                       std::remove_cvref_t<std::invoke_result_t<const Transform&, References...>>>;

// Combines so_far with the elements of [begin, end), in order, by four so that not each
// combination waits for the last. Each combination takes a Value: two elements of a narrower type
// could overflow.
template <class Value, class Combine, class Element>
Value combine_elements(Value so_far, std::size_t begin, std::size_t end, const Combine& combine, const Element& element) {
  using element_type = decltype(element(begin));
  constexpr bool are_values = std::is_same_v<std::remove_cvref_t<element_type>, Value>;
  if constexpr (!are_values || combine_function<Combine, Value, element_type, element_type>) {
    const auto two_from = [&](std::size_t i) -> Value {
      if constexpr (are_values) {
        return combine(element(i), element(i + 1));
      } else {
        return combine(Value(element(i)), element(i + 1));
      }
    };
    for (; end - begin >= 4; begin += 4) {
      Value earlier = two_from(begin);
      Value later = two_from(begin + 2);
      so_far = combine(std::move(so_far), static_cast<Value>(combine(std::move(earlier), std::move(later))));
    }
  }
  for (; begin != end; ++begin) so_far = combine(std::move(so_far), element(begin));
  return so_far;
}

// init combined with element(i) for all i in [0, size), in order.
template <class Value, class Combine, class Element>
Value reduce_elements(std::size_t size, Value init, const Combine& combine, const Element& element) {
  if constexpr (combines<Value, Combine, decltype(element(size))>()) {
    const std::size_t begun = detail::run_head(size, [&](std::size_t begin, std::size_t end) {
      init = detail::combine_elements(std::move(init), begin, end, combine, element);
      return true;
    });
    if (begun == size) return init;
    const auto run = [&](std::size_t begin, std::size_t end) {
      return detail::combine_elements(Value(element(begin)), begin + 1, end, combine, element);
    };
    const auto join = [&](Value&& earlier, Value&& later) -> Value { return combine(std::move(earlier), std::move(later)); };
    return combine(std::move(init), detail::fold(begun, size, run, join));
  } else {
    return init;
  }
}

enum scan_kind { inclusive, exclusive };
inline constexpr std::size_t least_to_scan_in_parallel = 1024;

// A scan of transform(*i). Without init, which only an inclusive scan may lack, the first value is
// the first element.
template <scan_kind kind, class Value, class Iterator, class End, class Output, class Combine, class Transform>
Output scan_elements(const Iterator& first, const End& last, const Output& out, std::optional<Value> init, const Combine& combine,
                     const Transform& transform) {
  if constexpr (reads<Iterator>() && writes<Output>()) {
    if constexpr (calls<Transform, std::iter_reference_t<Iterator>>()) {
      using element_type = std::invoke_result_t<const Transform&, std::iter_reference_t<Iterator>>;
      if constexpr (combines<Value, Combine, element_type>()) {
        using kept = std::optional<Value>;
        const std::size_t size = detail::size_between(first, last);
        if (size == 0) return out;
        const auto sum_up = [&](std::size_t begin, std::size_t end) {
          return detail::combine_elements(Value(std::invoke(transform, *detail::at(first, begin))), begin + 1, end, combine,
                                          [&](std::size_t i) -> transformed<Transform, std::iter_reference_t<Iterator>> {
                                            return std::invoke(transform, *detail::at(first, i));
                                          });
        };
        const auto write = [&](std::size_t begin, std::size_t end, const kept& before) {
          Iterator i = detail::at(first, begin);
          Output to = detail::at(out, begin);
          const Output stop = detail::at(out, end);
          if constexpr (kind == inclusive) {
            Value sum = before ? Value(combine(Value(*before), std::invoke(transform, *i))) : Value(std::invoke(transform, *i));
            *to = sum;
            for (++i, ++to; to != stop; ++i, ++to) {
              sum = combine(std::move(sum), std::invoke(transform, *i));
              *to = sum;
            }
            return sum;
          } else {
            Value sum = *before;
            for (; to != stop; ++i, ++to) {
              Value next = combine(Value(sum), std::invoke(transform, *i));
              *to = std::move(sum);
              sum = std::move(next);
            }
            return sum;
          }
        };
        if (size < least_to_scan_in_parallel || !has_helpers()) {
          write(0, size, init);
          return detail::at(out, size);
        }
        const auto body = [&](const range<std::size_t>& part, const kept& before, bool is_final) -> kept {
          if (!is_final) return sum_up(part.begin(), part.end());
          return write(part.begin(), part.end(), before ? before : init);
        };
        const auto both = [&combine](const kept& left, const kept& right) -> kept {
          return combine(Value(*left), Value(*right));
        };
        (void)detail::run_scan(range<std::size_t>(0, size), kept(), body, both);
        return detail::at(out, size);
      }
    }
  }
  return out;
}

}  // namespace weft::detail
