// What a part of a loop by value (divide_by_value.hpp) has of the loop's range.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <concepts>
#include <cstddef>

#include <weft/range.hpp>

namespace weft::detail {

// Ranges of integers. Iterators are addresses, which mean nothing in another process, and what a
// range of the user's own holds is unknown.
template <class Range>
inline constexpr bool is_range_of_values = false;
template <std::integral Index>
inline constexpr bool is_range_of_values<range<Index>> = true;
template <std::integral Index, std::size_t Dimensions>
inline constexpr bool is_range_of_values<blocked_range<Index, Dimensions>> = true;
template <class Range>
concept range_of_values = is_range_of_values<Range>;

// A range, and into how many parts it may be divided.
template <class Range>
class range_share {
 public:
  range_share(const Range& whole, unsigned parts) : range_(whole), parts_(parts) {}

  const Range& range() const { return range_; }
  bool is_divisible() const { return range_.is_divisible(parts_ > 1); }
  void divide_into(unsigned parts) { parts_ = parts; }
  range_share split() {
    parts_ /= 2;
    return {range_.split(), parts_};
  }

 private:
  Range range_;
  unsigned parts_;
};

}  // namespace weft::detail
