// weft::parallel_sort: sorts in place, not stably.
//
// Quicksort: the part above the pivot is a fork, small parts go to std::sort. A sequential
// partition would bound the speed-up by the logarithm of the size, so large ones are done in pieces
// whose misplaced ends are then exchanged. Values equal to the pivot are put aside where they are
// many (as in pdqsort: O. Peters, arXiv:2106.05123). Elements that are in order, or in the reverse
// order, cost one pass. A part that was badly divided too often is left to std::sort, so O(n log n)
// comparisons are the worst case.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include <weft/detail/divide.hpp>
#include <weft/detail/first_failure.hpp>
#include <weft/detail/head.hpp>
#include <weft/parallel_for.hpp>
#include <weft/range.hpp>

namespace weft {
namespace detail {

inline constexpr std::size_t least_to_sort_in_parallel = 2048;
inline constexpr std::size_t least_to_partition_in_parallel = 65536;
inline constexpr std::size_t least_to_exchange_in_parallel = 16384;

template <class Iterator>
void exchange(Iterator left, Iterator right, std::iter_difference_t<Iterator> count) {
  const auto size = static_cast<std::size_t>(count);
  const std::size_t grain = std::max(size / weft_worker_count(), least_to_exchange_in_parallel);
  weft::parallel_for(weft::range(std::iter_difference_t<Iterator>{0}, count, grain),
                     [=](const auto& part) { std::swap_ranges(left + part.begin(), left + part.end(), right + part.begin()); });
}

template <class Iterator>
void reverse_in_parallel(Iterator first, Iterator last) {
  const auto pairs = (last - first) / 2;
  const std::size_t grain = std::max(static_cast<std::size_t>(pairs) / weft_worker_count(), least_to_exchange_in_parallel);
  weft::parallel_for(weft::range(std::iter_difference_t<Iterator>{0}, pairs, grain), [=](const auto& part) {
    for (auto each = part.begin(); each != part.end(); ++each) std::iter_swap(first + each, last - 1 - each);
  });
}

// Puts what satisfies the predicate first.
template <class Iterator, class Predicate>
class partition_job {
 public:
  struct state {
    const Predicate& predicate;
    first_failure failure;
  };

  partition_job(state& whole, const range<Iterator>& part, std::uint64_t position = 0)
      : whole_(&whole), part_(part), boundary_(part.begin()), position_(position) {}

  bool is_divisible(bool is_wanted) const { return part_.is_divisible(is_wanted); }
  partition_job split() {
    const range<Iterator> later = part_.split();
    return {*whole_, later, position_ + part_.size()};
  }
  void run() {
    whole_->failure.call(position_,
                         [this] { boundary_ = std::partition(part_.begin(), part_.end(), std::cref(whole_->predicate)); });
  }
  void append(const partition_job& later) {
    whole_->failure.call(later.position_, [&] {
      const auto above = part_.end() - boundary_, below = later.boundary_ - part_.end();
      const auto misplaced = std::min(above, below);
      detail::exchange(boundary_, later.boundary_ - misplaced, misplaced);
      boundary_ += below;
    });
    part_ = range<Iterator>(part_.begin(), later.part_.end(), part_.grain());
  }

  Iterator boundary() const { return boundary_; }

 private:
  state* whole_;
  range<Iterator> part_;
  Iterator boundary_;
  std::uint64_t position_;
};

template <class Iterator, class Predicate>
Iterator partition_in_parallel(Iterator first, Iterator last, const Predicate& predicate) {
  const auto size = static_cast<std::size_t>(last - first);
  if (size < least_to_partition_in_parallel) return std::partition(first, last, std::cref(predicate));
  using job = partition_job<Iterator, Predicate>;
  typename job::state state{predicate, {}};
  job all(state, range<Iterator>(first, last, std::max(size / weft_worker_count(), least_to_partition_in_parallel / 2)));
  detail::divide(all);
  state.failure.rethrow();
  return all.boundary();
}

template <class Iterator, class Compare>
Iterator median(Iterator a, Iterator b, Iterator c, const Compare& compare) {
  if (compare(*b, *a)) std::swap(a, b);
  if (compare(*c, *b)) std::swap(b, c);
  return compare(*b, *a) ? a : b;
}

template <class Iterator, class Compare>
class sort_job {
 public:
  struct state {
    const Compare& compare;
    Iterator first;
    std::size_t largest_leaf;
    first_failure failure;
  };

  sort_job(state& whole, Iterator first, Iterator last, unsigned patience)
      : whole_(&whole), first_(first), last_(last), patience_(patience) {}

  bool is_divisible(bool is_wanted) const {
    return patience_ != 0 && size() > (is_wanted ? least_to_sort_in_parallel : whole_->largest_leaf);
  }
  // Nothing is left to do where nothing more is needed, or comparing throws.
  sort_job split() {
    const Iterator last = std::exchange(last_, first_);
    sort_job later(*whole_, last, last, 0);
    whole_->failure.call(position(), [&] { divide_at_pivot(last, later); });
    return later;
  }
  void run() {
    whole_->failure.call(position(), [this] { std::sort(first_, last_, std::cref(whole_->compare)); });
  }
  void append(const sort_job&) {}

 private:
  std::size_t size() const { return static_cast<std::size_t>(last_ - first_); }
  std::uint64_t position() const { return static_cast<std::uint64_t>(first_ - whole_->first); }

  Iterator pivot(Iterator last) const {
    const Compare& compare = whole_->compare;
    const auto step = (last - first_) / 9;
    const auto near = [&](auto third) {
      const Iterator from = first_ + 3 * step * third + step / 2;
      return detail::median(from, from + step, from + 2 * step, compare);
    };
    return detail::median(near(0), near(1), near(2), compare);
  }

  // While the pivot is at work it stands first, outside of what is moved.
  void divide_at_pivot(Iterator last, sort_job& later) {
    const Compare& compare = whole_->compare;
    const auto few = (last - first_) / 8;
    std::iter_swap(first_, pivot(last));
    const auto is_below = [&](auto& value) { return compare(value, *first_); };
    const auto is_equal = [&](auto& value) { return !compare(*first_, value); };
    const Iterator above = detail::partition_in_parallel(first_ + 1, last, is_below);
    const bool has_few_below = above - first_ < few;
    const Iterator rest = has_few_below ? detail::partition_in_parallel(above, last, is_equal) : above;
    std::iter_swap(first_, above - 1);
    const bool is_bad = last - rest < few || (has_few_below && rest - above < few);
    patience_ -= is_bad ? 1 : 0;
    last_ = above - 1;
    later = sort_job(*whole_, rest, last, patience_);
  }

  state* whole_;
  Iterator first_;
  Iterator last_;
  unsigned patience_;  // bad divisions that are still put up with
};

// A sort whose arguments satisfy the concepts.
template <class Iterator, class Compare>
void run_sort(Iterator first, Iterator last, const Compare& compare) {
  const auto size = static_cast<std::size_t>(last - first);
  if (size <= least_to_sort_in_parallel || !has_helpers()) return std::sort(first, last, std::cref(compare));
  if (std::is_sorted(first, last, std::cref(compare))) return;
  if (std::is_sorted(std::reverse_iterator(last), std::reverse_iterator(first), std::cref(compare))) {
    return detail::reverse_in_parallel(first, last);
  }
  using job = sort_job<Iterator, Compare>;
  typename job::state state{compare, first, std::max(size / parts_to_begin_with(), least_to_sort_in_parallel), {}};
  job all(state, first, last, static_cast<unsigned>(std::bit_width(size)));
  detail::divide(all);
  state.failure.rethrow();
}

// Calls run_sort with what it can call in parentheses.
template <class Iterator, class Compare, class Projection>
void sort_projected(Iterator first, Iterator last, const Compare& compare, const Projection& projection) {
  if constexpr (!std::is_same_v<Projection, std::identity>) {
    detail::run_sort(first, last, [&](auto&& one, auto&& other) -> bool {
      return std::invoke(compare, std::invoke(projection, std::forward<decltype(one)>(one)),
                         std::invoke(projection, std::forward<decltype(other)>(other)));
    });
  } else if constexpr (std::is_member_pointer_v<Compare>) {
    detail::run_sort(first, last, std::mem_fn(compare));
  } else {
    detail::run_sort(first, last, compare);
  }
}

}  // namespace detail

// A function that orders the elements that an Iterator points to: compare(x, y) is true if x comes
// before y, where x and y are what the projection returns of two elements. Both may be pointers to
// members. The elements can be moved and have addresses.
template <class Compare, class Iterator, class Projection = std::identity>
concept sort_function = std::sortable<Iterator, std::reference_wrapper<const std::remove_reference_t<Compare>>,
                                      std::reference_wrapper<const std::remove_reference_t<Projection>>> &&
                        std::is_lvalue_reference_v<std::iter_reference_t<Iterator>>;

// Sorts [first, last) by compare, in place and not stably. compare is a strict weak ordering, which
// several workers call at once, through a reference to const, with what projection returns of each
// element. Elements are moved, not copied.
// Throws what compare throws, after all workers have ended their parts: then, as with std::sort,
// the order is unspecified, and elements may have been moved from. May switch. Callable from any;
// in a tasklet and outside it is a plain loop. Undefined: elements that share memory, such as those
// of std::vector<bool>.
template <std::random_access_iterator Iterator, std::same_as<Iterator> Last,  // so that {} is no iterator
          class Compare = std::less<>, class Projection = std::identity>
void parallel_sort(Iterator first, Last last, const Compare& compare = {}, const Projection& projection = {}) {
  constexpr bool is_sortable = sort_function<Compare, Iterator, Projection>;
  static_assert(is_sortable, "weft::sort_function: parallel_sort calls a const compare with two elements that can be moved");
  if constexpr (is_sortable) detail::sort_projected(first, last, compare, projection);
}

// Sorts a range by compare, in place and not stably. compare is a strict weak ordering, which
// several workers call at once, through a reference to const, with what projection returns of each
// element. Elements are moved, not copied.
// Throws what compare throws, after all workers have ended their parts: then, as with std::sort,
// the order is unspecified, and elements may have been moved from. May switch. Callable from any;
// in a tasklet and outside it is a plain loop. Undefined: elements that share memory, such as those
// of std::vector<bool>.
template <std::ranges::random_access_range Range, class Compare = std::less<>, class Projection = std::identity>
  requires(!std::sentinel_for<std::decay_t<Compare>, std::decay_t<Range>>)  // or they are an array and a pointer
void parallel_sort(Range&& range, const Compare& compare = {}, const Projection& projection = {}) {
  weft::parallel_sort(std::ranges::begin(range), std::ranges::begin(range) + std::ranges::ssize(range), compare, projection);
}

}  // namespace weft
