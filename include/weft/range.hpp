// What loops run over: indexes or random-access iterators, in one to three dimensions.
//
//   weft::range(0, n)            as many parts as keep the workers busy
//   weft::range(0, n, 1000)      parts of at most 1000 (more than 500), whichever worker runs them
//   weft::blocked_range(weft::range(0, rows, 64), weft::range(0, columns, 64))
//
// A range with a grain is always cut the same way; without one it depends on which workers are
// idle.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace weft {

template <class Index>
concept loop_index = (std::integral<Index> && !std::same_as<Index, bool>) || std::random_access_iterator<Index>;

namespace detail {

template <std::size_t Dimension, class Index>
using index_of_dimension = Index;

template <class Body, class Index, std::size_t... Dimensions>
consteval bool takes_indexes(std::index_sequence<Dimensions...>) {
  return requires(const Body& body, const index_of_dimension<Dimensions, Index>&... index) { body(index...); };
}

}  // namespace detail

// A body that is called for each index: body(index), or body(row, column), or body(page, row,
// column). It is called through a reference to const, with references to const, so that a mutable
// lambda does not satisfy this.
template <class Body, class Index, std::size_t Dimensions = 1>
concept index_body = detail::takes_indexes<Body, Index>(std::make_index_sequence<Dimensions>());

// The indexes or iterators of [begin, end); none if end is before begin. A loop divides the range
// into parts of at most `grain` indexes. If grain is 0, the loop chooses the size of the parts.
template <loop_index Index>
class range {
 public:
  // Makes the range [begin, end).
  constexpr range(Index begin, Index end, std::size_t grain = 0)
      : begin_(begin), end_(end < begin ? begin : end), grain_(grain) {}

  // The first index.
  constexpr Index begin() const { return begin_; }
  // The index behind the last one.
  constexpr Index end() const { return end_; }
  // Returns the largest number of indexes in a part; 0 if the loop chooses.
  constexpr std::size_t grain() const { return grain_; }
  // How many indexes there are.
  constexpr std::size_t size() const {
    if constexpr (std::integral<Index>) {
      return static_cast<std::make_unsigned_t<Index>>(as_unsigned(end_) - as_unsigned(begin_));
    } else {
      return static_cast<std::size_t>(end_ - begin_);
    }
  }
  // The index at an offset from the first one.
  constexpr Index operator[](std::size_t offset) const {
    if constexpr (std::integral<Index>) {
      return static_cast<Index>(as_unsigned(begin_) + static_cast<std::make_unsigned_t<Index>>(offset));
    } else {
      return begin_ + static_cast<std::iter_difference_t<Index>>(offset);
    }
  }

  // Calls body(index) for each index, in order.
  template <index_body<Index> Body>
  constexpr void for_each(const Body& body) const {
    const Index end = end_;  // in a register: for all the compiler knows, body writes to this range
    for (Index index = begin_; index != end; ++index) body(std::as_const(index));
  }

  // Tells a loop whether to divide the range. is_wanted says that more parts would keep more
  // workers busy.
  constexpr bool is_divisible(bool is_wanted) const { return grain_ != 0 ? size() > grain_ : is_wanted && size() > 1; }
  // Cuts off the later half of the range, and returns it.
  constexpr range split() {
    const Index middle = (*this)[size() / 2];
    return {middle, std::exchange(end_, middle), grain_};
  }

 private:
  static constexpr auto as_unsigned(Index index) { return static_cast<std::make_unsigned_t<Index>>(index); }

  Index begin_;
  Index end_;
  std::size_t grain_;
};

// From indexes or iterators of two types, the range has the type that both have in common.
template <class Begin, class End>
range(Begin, End) -> range<std::common_type_t<Begin, End>>;
// From indexes or iterators of two types, the range has the type that both have in common.
template <class Begin, class End>
range(Begin, End, std::size_t) -> range<std::common_type_t<Begin, End>>;

// The product of two or three ranges, its sides. The index of the last side runs fastest. A loop
// divides the product across the side that is the longest, measured in grains. If one side has a
// grain, the sides without a grain are not divided.
template <loop_index Index, std::size_t Dimensions>
class blocked_range {
 public:
  // Makes the product of two or three ranges.
  template <class... Sides>
    requires(sizeof...(Sides) == Dimensions)
  constexpr explicit blocked_range(const Sides&... sides)
      : sides_{range<Index>(static_cast<Index>(sides.begin()), static_cast<Index>(sides.end()), sides.grain())...} {}

  // Returns the range of a dimension; the first dimension is 0.
  constexpr const range<Index>& side(std::size_t dimension) const { return sides_[dimension]; }
  // The first of three ranges.
  constexpr const range<Index>& pages() const
    requires(Dimensions == 3)
  {
    return sides_[0];
  }
  // The last range but one.
  constexpr const range<Index>& rows() const { return sides_[Dimensions - 2]; }
  // Returns the last range, whose index runs fastest.
  constexpr const range<Index>& columns() const { return sides_[Dimensions - 1]; }

  // How many tuples of indexes there are.
  constexpr std::size_t size() const {
    std::size_t product = 1;
    for (const auto& side : sides_) product *= side.size();
    return product;
  }

  // Calls body(row, column), or body(page, row, column), for each tuple of indexes, in order.
  template <index_body<Index, Dimensions> Body>
  constexpr void for_each(const Body& body) const {
    for_each_from<0>(body);
  }

  // Tells a loop whether to divide the range. is_wanted says that more parts would keep more
  // workers busy.
  constexpr bool is_divisible(bool is_wanted) const {
    const bool may_choose = is_wanted && !has_grain();
    return std::ranges::any_of(sides_, [may_choose](const auto& side) { return side.is_divisible(may_choose); });
  }
  // Cuts off the later half of the side that is the longest, and returns the product with that
  // half.
  constexpr blocked_range split() {
    const std::size_t cut = longest();
    blocked_range later = *this;
    later.sides_[cut] = sides_[cut].split();
    return later;
  }

 private:
  template <std::size_t Dimension, class Body, class... Outer>
  constexpr void for_each_from(const Body& body, const Outer&... outer) const {
    sides_[Dimension].for_each([&](const Index& index) {
      if constexpr (Dimension + 1 == Dimensions) {
        body(outer..., index);
      } else {
        for_each_from<Dimension + 1>(body, outer..., index);
      }
    });
  }

  constexpr bool has_grain() const {
    return std::ranges::any_of(sides_, [](const auto& side) { return side.grain() != 0; });
  }
  constexpr std::size_t longest() const {
    const double length_without_grain = has_grain() ? 0 : 1;
    const auto length = [=](const range<Index>& side) {
      const auto size = static_cast<double>(side.size());
      return side.grain() != 0 ? size / static_cast<double>(side.grain()) : size * length_without_grain;
    };
    return static_cast<std::size_t>(std::ranges::max_element(sides_, {}, length) - sides_.begin());
  }

  std::array<range<Index>, Dimensions> sides_;
};

// From ranges of several types, the product has the type that all of them have in common.
template <class... Indexes>
blocked_range(const range<Indexes>&...) -> blocked_range<std::common_type_t<Indexes...>, sizeof...(Indexes)>;

}  // namespace weft
