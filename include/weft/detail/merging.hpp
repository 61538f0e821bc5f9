// Merges of two sorted sequences in parallel, and the stable sort that is made of them.
//
// A merge is divided at the middle of the longer sequence, whose place in the other one is searched
// for. The sort divides its elements by halves; each level merges from the elements' own memory
// into a buffer or back, and their number is even.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <weft/detail/divide.hpp>
#include <weft/detail/elements.hpp>
#include <weft/detail/first_failure.hpp>
#include <weft/detail/policy.hpp>
#include <weft/detail/trampoline.hpp>

namespace weft::detail {

inline constexpr std::size_t least_to_merge_in_parallel = 8192;

template <class Value>
inline constexpr bool is_cheap_to_move = std::is_trivially_copyable_v<Value> && sizeof(Value) <= 16;
template <class Value>
inline constexpr bool is_cheap_to_copy =
    is_cheap_to_move<Value> && std::is_copy_constructible_v<Value> && std::is_copy_assignable_v<Value>;

// What a merge does with an element.
struct copy_elements {
  static constexpr bool takes_all = false;  // an element that a failed merge does not come to stays where it is
  template <class To, class From>
  static void put(To& to, From&& from) {
    *to = std::forward<From>(from);
  }
};
struct move_elements {
  static constexpr bool takes_all = true;
  template <class To, class From>
  static void put(To& to, From&& from) {
    *to = std::move(from);
  }
};
struct move_to_raw_memory {
  static constexpr bool takes_all = true;
  template <class To, class From>
  static void put(To& to, From&& from) {
    std::construct_at(to, std::move(from));
  }
};

// How many numbers below size satisfy the predicate; those that do come first. std's searches would
// walk through computed elements step by step.
template <class Predicate>
std::size_t count_before(std::size_t size, const Predicate& predicate) {
  std::size_t before = 0;
  while (size != before) {
    const std::size_t middle = before + (size - before) / 2;
    if (predicate(middle)) {
      before = middle + 1;
    } else {
      size = middle;
    }
  }
  return before;
}

template <class Put, class Left, class Right, class Output, class Compare>
class merge_job {
 public:
  struct state {
    const Compare& compare;
    first_failure& failure;
  };

  merge_job(state& whole, Left left, std::size_t lefts, Right right, std::size_t rights, Output out, std::uint64_t position)
      : whole_(&whole), left_(left), right_(right), out_(out), lefts_(lefts), rights_(rights), position_(position) {}

  bool is_divisible(bool is_wanted) const { return is_wanted && lefts_ + rights_ > least_to_merge_in_parallel; }
  merge_job split() {
    std::size_t lefts = lefts_ / 2, rights = rights_ / 2;
    whole_->failure.call(position_, [&] {
      const Compare& compare = whole_->compare;
      if (lefts_ >= rights_) {
        rights = detail::count_before(
            rights_, [&](std::size_t i) -> bool { return compare(*detail::at(right_, i), *detail::at(left_, lefts)); });
      } else {
        lefts = detail::count_before(
            lefts_, [&](std::size_t i) -> bool { return !compare(*detail::at(right_, rights), *detail::at(left_, i)); });
      }
    });
    const std::size_t before = lefts + rights;
    merge_job later(*whole_, detail::at(left_, lefts), lefts_ - lefts, detail::at(right_, rights), rights_ - rights,
                    detail::at(out_, before), position_ + before);
    lefts_ = lefts;
    rights_ = rights;
    return later;
  }
  void run() {
    whole_->failure.call(position_, [this] { merge(); });
    if constexpr (Put::takes_all) {  // nothing is left to compare, or a comparison threw
      put_rest(left_, lefts_);
      put_rest(right_, rights_);
    }
  }
  void append(const merge_job&) {}

 private:
  template <class Iterator>
  void put_rest(Iterator from, std::size_t count) {
    for (; count != 0; --count, ++from, ++out_) Put::put(out_, *from);
  }
  void merge() {
    using value = std::iter_value_t<Left>;
    if constexpr (Put::takes_all && is_cheap_to_copy<value>) {
      while (lefts_ != 0 && rights_ != 0) {  // without a branch that depends on the values
        const bool is_right = whole_->compare(*right_, *left_);
        value taken = *left_;
        if (is_right) taken = *right_;
        Put::put(out_, std::move(taken));
        ++out_;
        right_ += is_right;
        rights_ -= is_right;
        left_ += !is_right;
        lefts_ -= !is_right;
      }
    } else if constexpr (!Put::takes_all && forward_as_before<Left> && forward_as_before<Right>) {
      // With its places in registers.
      std::merge(left_, detail::at(left_, lefts_), right_, detail::at(right_, rights_), out_, detail::passed(whole_->compare));
      return;
    } else {
      while (lefts_ != 0 && rights_ != 0) {
        if (whole_->compare(*right_, *left_)) {
          Put::put(out_, *right_);
          ++right_, --rights_;
        } else {
          Put::put(out_, *left_);
          ++left_, --lefts_;
        }
        ++out_;
      }
    }
    if constexpr (!Put::takes_all) {
      put_rest(left_, lefts_);
      put_rest(right_, rights_);
    }
  }

  state* whole_;
  Left left_;
  Right right_;
  Output out_;
  std::size_t lefts_;
  std::size_t rights_;
  std::uint64_t position_;
};

template <class Put, class Left, class Right, class Output, class Compare>
void merge_in_parallel(Left left, std::size_t lefts, Right right, std::size_t rights, Output out, const Compare& compare,
                       first_failure& failure, std::uint64_t position = 0) {
  using job = merge_job<Put, Left, Right, Output, Compare>;
  typename job::state state{compare, failure};
  job all(state, left, lefts, right, rights, out, position);
  if (lefts + rights > least_to_merge_in_parallel) return detail::divide(all);
  all.run();
}

// Memory for values that are not constructed; null if there is none.
template <class Value>
class raw_buffer {
 public:
  explicit raw_buffer(std::size_t size)
      : size_(size),
        values_(static_cast<Value*>(::operator new(size * sizeof(Value), std::align_val_t(alignof(Value)), std::nothrow))) {}
  raw_buffer(const raw_buffer&) = delete;
  raw_buffer& operator=(const raw_buffer&) = delete;
  ~raw_buffer() { ::operator delete(values_, std::align_val_t(alignof(Value))); }

  Value* begin() const { return values_; }
  void destroy_values() const { std::destroy_n(values_, size_); }

 private:
  std::size_t size_;
  Value* values_;
};

template <class Iterator, class Compare>
class stable_sort_job {
 public:
  using value = std::iter_value_t<Iterator>;
  static constexpr bool is_cheap = is_cheap_to_move<value>;

  struct state {
    const Compare& compare;
    Iterator first;
    value* buffer;
    std::size_t largest_leaf;  // of forks
    first_failure failure;
  };

  stable_sort_job(state& whole, std::size_t begin, std::size_t end, unsigned levels)
      : whole_(&whole), begin_(begin), end_(end), levels_(levels) {}

  // The least even number of levels whose leaves are small enough.
  static unsigned levels_of(std::size_t size, std::size_t largest_leaf) {
    unsigned levels = 2;
    while (size >> levels > (is_cheap ? 24 : largest_leaf)) levels += 2;
    return levels;
  }

  bool is_divisible(bool) const { return levels_ != 0 && end_ - begin_ > whole_->largest_leaf; }
  stable_sort_job split() {
    --levels_;
    const std::size_t middle = begin_ + (end_ - begin_) / 2;
    return {*whole_, middle, std::exchange(end_, middle), levels_};
  }
  void run() {
    if (levels_ == 0) return sort_leaf();
    stable_sort_job later = split();
    run();
    later.run();
    append(later);
  }
  void append(const stable_sort_job& later) {
    ++levels_;
    const Iterator from = detail::at(whole_->first, begin_), middle = detail::at(whole_->first, later.begin_);
    value* const to = whole_->buffer + begin_;
    const std::size_t lefts = end_ - begin_, rights = later.end_ - later.begin_;
    if (levels_ == 1) {
      merge<move_to_raw_memory>(from, lefts, middle, rights, to);
    } else if (levels_ % 2 != 0) {
      merge<move_elements>(from, lefts, middle, rights, to);
    } else {
      merge<move_elements>(to, lefts, to + lefts, rights, from);
    }
    end_ = later.end_;
  }

 private:
  template <class Put, class From, class To>
  void merge(From left, std::size_t lefts, From right, std::size_t rights, To out) {
    detail::merge_in_parallel<Put>(left, lefts, right, rights, out, whole_->compare, whole_->failure, begin_);
  }
  void sort_leaf() {
    const Iterator first = detail::at(whole_->first, begin_), last = detail::at(whole_->first, end_);
    whole_->failure.call(begin_, [&] {
      if constexpr (!is_cheap) {
        std::stable_sort(first, last, detail::passed(whole_->compare));
      } else if (first != last) {
        for (Iterator next = first + 1; next != last; ++next) insert(first, next);
      }
    });
  }
  void insert(Iterator first, Iterator next) const {
    Iterator place = next;
    while (place != first && whole_->compare(*next, *(place - 1))) --place;
    value inserted = std::move(*next);
    std::move_backward(place, next, next + 1);
    *place = std::move(inserted);
  }

  state* whole_;
  std::size_t begin_;
  std::size_t end_;
  unsigned levels_;
};

inline constexpr std::size_t least_to_sort_stably_in_parallel = 2048;

template <class Iterator, class Compare>
void run_stable_sort(Iterator first, Iterator last, const Compare& compare) {
  using value = std::iter_value_t<Iterator>;
  const std::size_t size = detail::size_between(first, last);
  if constexpr (std::is_nothrow_move_constructible_v<value> && std::is_nothrow_move_assignable_v<value>) {
    if (size >= least_to_sort_stably_in_parallel && has_helpers()) {
      const raw_buffer<value> buffer(size);
      if (buffer.begin() != nullptr) {
        using job = stable_sort_job<Iterator, Compare>;
        const std::size_t leaf = std::max(size / parts_to_begin_with(), least_to_sort_stably_in_parallel / 2);
        typename job::state state{compare, first, buffer.begin(), leaf, {}};
        job all(state, 0, size, job::levels_of(size, leaf));
        detail::divide(all);
        buffer.destroy_values();
        return state.failure.rethrow();
      }
    }
  }
  std::stable_sort(first, last, detail::passed(compare));
}

}  // namespace weft::detail
