// Loops whose iterations may run in parallel.
//
//   weft::parallel_for(0, n, [&](int i) { c[i] = a[i] + b[i]; });
//   weft::parallel_for(0, n, 2, [&](int i) { even[i / 2] = a[i]; });
//   weft::parallel_for(weft::range(0, n, 1000), [&](const weft::range<int>& part) { ... part.begin() ... part.end() ... });
//   weft::parallel_for(weft::blocked_range(weft::range(0, rows), weft::range(0, columns)), [&](int row, int column) { ... });
//   weft::for_each(list, [](item& one) { ... });
//
// All of them: the body is called by several workers at once, through a reference to const. If
// bodies throw, the exception of the first part, in program order, leaves when all have ended;
// parts after it may have been skipped (dropped_exceptions.hpp tells of the others). Bodies may do
// what forks may (hot.h): block, lock, fork, loop. May switch. Callable from any; in a tasklet and
// outside they are plain loops. Undefined: copying an index or iterator that throws.
//
// An argument that does not fit is one error of the compiler, which begins with the name of the
// concept that the argument must satisfy.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/detail/divide.hpp>
#include <weft/detail/divide_by_value.hpp>
#include <weft/detail/first_failure.hpp>
#include <weft/detail/range_share.hpp>
#include <weft/detail/trampoline.hpp>
#include <weft/dropped_exceptions.hpp>
#include <weft/error.hpp>
#include <weft/fork.hpp>
#include <weft/range.hpp>
#include <weft/remote_error.hpp>

namespace weft {

// A range that a loop can divide: weft::range, weft::blocked_range, or a type of the program's own.
template <class Range>
concept divisible_range = std::copy_constructible<Range> && requires(Range range, const Range& look, bool is_wanted) {
  { look.size() } -> std::convertible_to<std::size_t>;
  { look.is_divisible(is_wanted) } -> std::convertible_to<bool>;
  { range.split() } -> std::same_as<Range>;
};

// The two ends of a loop: integers, or random-access iterators, whose types have one in common.
template <class Begin, class End>
concept loop_ends = requires { typename std::common_type_t<Begin, End>; } && loop_index<std::common_type_t<Begin, End>>;

// The two ends of a loop of integers, and the distance of one index from the next.
template <class Begin, class End, class Step>
concept loop_steps =
    loop_ends<Begin, End> && std::integral<Begin> && std::integral<End> && std::integral<Step> && !std::same_as<Step, bool>;

namespace detail {

template <class Body, class Range>
concept body_of_parts = requires(const Body& body, const Range& part) { body(part); };
template <class Body, class Range>
concept body_of_indexes = requires(const Body& body, const Range& part) { part.for_each(body); };

// How the body of a loop is called with a part of its range.
struct with_part {
  template <class Body, class Range>
  static void call(const Body& body, const Range& part) {
    body(part);
  }
};
struct with_indexes {
  template <class Body, class Range>
  static void call(const Body& body, const Range& part) {
    part.for_each(body);
  }
};

template <class Body>
struct loop {
  const Body& body;
  first_failure failure;
};

template <class Body, class Call, class Range>
class loop_job {
 public:
  loop_job(loop<Body>& whole, const Range& range, std::uint64_t position = 0)
      : whole_(&whole), range_(range), position_(position) {}

  bool is_divisible(bool is_wanted) const { return range_.is_divisible(is_wanted); }
  loop_job split() {
    const Range later = range_.split();
    return {*whole_, later, position_ + range_.size()};
  }
  void run() {
    whole_->failure.call(position_, [this] { Call::call(whole_->body, std::as_const(range_)); });
  }
  void append(const loop_job&) {}

 private:
  loop<Body>* whole_;
  Range range_;
  std::uint64_t position_;  // of its first index in the whole loop
};

// A part of a loop that carries its body along.
template <class Body, class Call, class Range>
class loop_value {
 public:
  struct outcome {
    void* thrown;  // what keep_exception returned; null: nothing was thrown
  };

  loop_value(const Range& range, const Body& body, unsigned parts) : body_(body), share_(range, parts) {}

  bool is_divisible() const { return share_.is_divisible(); }
  loop_value split() {
    loop_value later = *this;
    later.share_ = share_.split();
    return later;
  }
  void divide_into(unsigned parts) { share_.divide_into(parts); }
  outcome run() const {
    outcome result{nullptr};
    run_caught([this] { Call::call(body_, share_.range()); },
               [&result](std::exception_ptr thrown) { result.thrown = keep_exception(std::move(thrown)); });
    return result;
  }
  outcome append(const outcome& earlier, const outcome& later) const {
    if (earlier.thrown == nullptr) return later;
    if (later.thrown != nullptr) drop_exception(take_exception(later.thrown));
    return earlier;
  }

 private:
  [[no_unique_address]] Body body_;
  range_share<Range> share_;
};

// The types whose loops are divided by value if the program runs on several ranks, where a steal
// moves the forker.
template <class Body, class Call, class Range>
concept loops_by_value = range_of_values<Range> && fork_value<Body> && value_part<loop_value<Body, Call, Range>>;

// A loop whose arguments satisfy the concepts.
template <class Call, class Range, class Body>
void run_loop(const Range& whole, const Body& body) {
  if (whole.size() == 0) return;
  if constexpr (loops_by_value<std::decay_t<Body>, Call, Range>) {
    if (weft_forks_move()) {
      const loop_value<std::decay_t<Body>, Call, Range> all(whole, body, parts_to_begin_with());
      void* const thrown = divide_by_value(all).thrown;
      if (thrown != nullptr) [[unlikely]]
        rethrow_of_fork(thrown);
      return;
    }
  }
  loop<Body> state{body, {}};
  loop_job<Body, Call, Range> all(state, whole);
  divide(all);
  state.failure.rethrow();
}

// Every step-th index of [begin, end). The indexes are counted, since the one behind the last may
// not fit in their type.
template <class Index>
class stepped_range {
 public:
  // step: above 0. It may be larger than an Index.
  stepped_range(const range<Index>& whole, std::uintmax_t step)
      : first_(whole.begin()), step_(step), count_(whole.size() == 0 ? 0 : (whole.size() - 1) / step + 1) {}

  std::size_t count() const { return count_; }
  Index operator[](std::size_t number) const { return static_cast<Index>(static_cast<std::uintmax_t>(first_) + number * step_); }

 private:
  Index first_;
  std::uintmax_t step_;
  std::size_t count_;
};

template <class Index, class Body>
void run_steps(const stepped_range<Index>& every, const Body& body) {
  run_loop<with_part>(range<std::size_t>(0, every.count()), [&every, &body](const range<std::size_t>& part) {
    part.for_each([&every, &body](std::size_t number) { body(every[number]); });
  });
}

// A few iterators of [first, last), evenly spaced, with both ends: one walk for what has no random
// access.
template <class Iterator, class End>
std::vector<Iterator> milestones(Iterator first, const End& last, std::size_t most) {
  std::vector<Iterator> found{first};
  std::size_t step = 1;
  for (std::size_t walked = 0; first != last;) {
    ++first;
    if (++walked % step != 0 && first != last) continue;
    found.push_back(first);
    if (found.size() <= most || first == last) continue;
    for (std::size_t kept = 0; 2 * kept < found.size(); ++kept) found[kept] = found[2 * kept];
    found.resize((found.size() + 1) / 2);
    step *= 2;
  }
  return found;
}

}  // namespace detail

// The body of a loop over a range. It is called with a part of the range or, if it does not accept
// a part, with indexes. (A generic lambda with one parameter is called with parts.)
template <class Body, class Range>
concept loop_body = detail::body_of_parts<Body, Range> || detail::body_of_indexes<Body, Range>;

namespace detail {

template <class Index>
void take_range(const range<Index>&);
template <class Index, std::size_t Dimensions>
void take_range(const blocked_range<Index, Dimensions>&);

}  // namespace detail

// The two ends of the elements that for_each walks through.
template <class Begin, class End>
concept element_ends = std::forward_iterator<Begin> && std::sentinel_for<End, Begin>;

// A range that for_each accepts: elements that can be walked through more than once, or indexes.
template <class Range>
concept element_range = std::ranges::forward_range<Range> || divisible_range<std::remove_cvref_t<Range>> ||
                        requires(const Range& whole) { detail::take_range(whole); };

// The function that for_each calls for each element that the iterator points to.
template <class Function, class Iterator>
concept element_function = std::invocable<const Function&, std::iter_reference_t<Iterator>>;

// Calls body(part) for parts of a range; several workers call the body at once, through a reference
// to const. If body does not accept parts, the call is body(index), body(row, column) or body(page,
// row, column) for each index. (A generic lambda with one parameter is called with parts; for_each
// calls it with indexes.) Throws what body throws: of several exceptions that of the first part, in
// program order, after all parts have ended; later parts may have been skipped. May switch.
// Callable from any; in a tasklet and outside it is a plain loop. Undefined: copying an index or
// iterator that throws.
template <class Range, class Body>
void parallel_for(const Range& whole, const Body& body) {
  if constexpr (!divisible_range<Range>) {
    constexpr bool is_range = divisible_range<Range>;
    static_assert(is_range, "weft::divisible_range: the first of two arguments of parallel_for must be a range");
  } else {
    constexpr bool is_body = loop_body<Body, Range>;
    static_assert(is_body, "weft::loop_body: parallel_for calls a const body with a part of the range or with its indexes");
    if constexpr (detail::body_of_parts<Body, Range>) {
      detail::run_loop<detail::with_part>(whole, body);
    } else if constexpr (is_body) {
      detail::run_loop<detail::with_indexes>(whole, body);
    }
  }
}

// Calls body(index) for each index or random-access iterator of [begin, end); several workers call
// the body at once, through a reference to const. Throws what body throws: of several exceptions
// that of the first part, in program order, after all parts have ended; later parts may have been
// skipped. May switch. Callable from any; in a tasklet and outside it is a plain loop. Undefined:
// copying an index or iterator that throws.
template <class Begin, class End, class Body>
void parallel_for(Begin begin, End end, const Body& body) {
  constexpr bool are_ends = loop_ends<Begin, End>;
  static_assert(are_ends, "weft::loop_ends: parallel_for(begin, end, body) takes two indexes or two random-access iterators");
  if constexpr (are_ends) {
    using index = std::common_type_t<Begin, End>;
    constexpr bool is_body = index_body<Body, index>;
    static_assert(is_body, "weft::index_body: parallel_for(begin, end, body) calls a const body with an index");
    if constexpr (is_body) {
      detail::run_loop<detail::with_indexes>(range<index>(static_cast<index>(begin), static_cast<index>(end)), body);
    }
  }
}

// Calls body(index) for begin, begin + step, begin + 2 * step and so on, as long as the index is
// below end. All three are integers. The index has the type that begin and end have in common; step
// may be of another type. Throws what bodies throw, and weft::error: invalid (step is 0 or below).
// May switch. Callable from any.
template <class Begin, class End, class Step, class Body>
void parallel_for(Begin begin, End end, Step step, const Body& body) {
  constexpr bool are_steps = loop_steps<Begin, End, Step>;
  static_assert(are_steps, "weft::loop_steps: parallel_for(begin, end, step, body) takes three integers");
  if constexpr (are_steps) {
    using index = std::common_type_t<Begin, End>;
    constexpr bool is_body = index_body<Body, index>;
    static_assert(is_body, "weft::index_body: parallel_for(begin, end, step, body) calls a const body with an index");
    if constexpr (is_body) {
      if (step <= 0) detail::fail(WEFT_INVALID, "weft::parallel_for: the step must be above 0");
      const range<index> whole(static_cast<index>(begin), static_cast<index>(end));
      detail::run_steps(detail::stepped_range<index>(whole, static_cast<std::uintmax_t>(step)), body);
    }
  }
}

// Calls function(element) for each element of [first, last); several workers call the function at
// once, through a reference to const. Iterators without random access are first walked through
// once, up to the end. Throws what function throws: of several exceptions that of the first part,
// in program order, after all parts have ended; later parts may have been skipped. May switch.
// Callable from any; in a tasklet and outside it is a plain loop. Undefined: copying an index or
// iterator that throws.
template <std::forward_iterator Iterator, std::sentinel_for<Iterator> End, class Function>
void for_each(Iterator first, End last, const Function& function) {
  constexpr bool is_function = element_function<Function, Iterator>;
  static_assert(is_function, "weft::element_function: for_each calls a const function with an element");
  if constexpr (!is_function) {
    return;
  } else if constexpr (std::random_access_iterator<Iterator> && std::sized_sentinel_for<End, Iterator>) {
    parallel_for(first, first + (last - first), [&function](const Iterator& at) { std::invoke(function, *at); });
  } else {
    const auto ends = detail::milestones(first, last, 2 * detail::parts_to_begin_with() + 1);
    parallel_for(std::size_t{0}, ends.size() - 1, [&ends, &function](std::size_t part) {
      for (Iterator at = ends[part]; at != ends[part + 1]; ++at) std::invoke(function, *at);
    });
  }
}

// Calls function(element) for each element of a range; several workers call the function at once,
// through a reference to const. Throws what function throws: of several exceptions that of the
// first part, in program order, after all parts have ended; later parts may have been skipped. May
// switch. Callable from any; in a tasklet and outside it is a plain loop. Undefined: copying an
// index or iterator that throws.
template <std::ranges::forward_range Range, class Function>
  requires(!divisible_range<std::remove_cvref_t<Range>>)
void for_each(Range&& range, const Function& function) {
  weft::for_each(std::ranges::begin(range), std::ranges::end(range), function);
}

// Rejects other arguments, such as a function in front of the elements, with one error of the
// compiler.
template <class Begin, class End, class Function>
  requires(!element_ends<Begin, End> && !requires { typename Begin::divides_in_parallel; })
void for_each(const Begin&, const End&, const Function&) {
  constexpr bool are_ends = element_ends<Begin, End>;
  static_assert(are_ends, "weft::element_ends: the first two of three arguments of for_each must be forward iterators");
}

// Rejects, with one error of the compiler, a first argument that is not a range.
template <class Range, class Function>
  requires(!element_range<Range>)
void for_each(Range&&, const Function&) {
  constexpr bool is_range = element_range<Range>;
  static_assert(is_range, "weft::element_range: the first of two arguments of for_each must be a range that can be walked twice");
}

// Calls function(index) for each index of the range, or function(element) for each element if it is
// a range of iterators. Parts are as large as the range's grain says. Throws what function throws.
// May switch. Callable from any.
template <class Index, class Function>
void for_each(const range<Index>& whole, const Function& function) {
  if constexpr (std::integral<Index>) {
    constexpr bool is_body = index_body<Function, Index>;
    static_assert(is_body, "weft::index_body: for_each calls a const function with an index of the range");
    if constexpr (is_body) detail::run_loop<detail::with_indexes>(whole, function);
  } else {
    constexpr bool is_function = element_function<Function, Index>;
    static_assert(is_function, "weft::element_function: for_each calls a const function with an element");
    if constexpr (is_function) {
      detail::run_loop<detail::with_part>(whole, [&function](const range<Index>& part) {
        part.for_each([&function](const Index& at) { std::invoke(function, *at); });
      });
    }
  }
}

// Calls function(row, column), or function(page, row, column), for each index of the range, in
// parts as its grains say. Throws what function throws. May switch. Callable from any.
template <class Index, std::size_t Dimensions, class Function>
void for_each(const blocked_range<Index, Dimensions>& whole, const Function& function) {
  constexpr bool is_body = index_body<Function, Index, Dimensions>;
  static_assert(is_body, "weft::index_body: for_each calls a const function with one index for each dimension of the range");
  if constexpr (is_body) detail::run_loop<detail::with_indexes>(whole, function);
}

}  // namespace weft
