// weft::generator<T>: a range whose values a function yields one by one, from wherever it stands in
// its calls, because it runs on a stack of its own.
//
//   weft::generator<int> below(const tree& root) {
//     return weft::generator<int>([&root](weft::yielder<int>& yield) { walk(root, yield); });
//   }
//   for (int each : below(root)) ...
//
// yield(value) suspends the function until the next value is wanted. yield.all(range) yields every
// value of a range; those of another generator go to the caller directly, at whatever depth. The
// function begins when the first value is wanted. What it throws is thrown by begin, by the
// iterator's ++ or by next. A generator that is destroyed before its end has the function's frames
// unwound (forced_unwind: a catch (...) in the function must rethrow it).
//
// A generator has no identity (context.h): the function runs as the thread that wants the value. It
// may block, which blocks that thread, and fork. Any thread, on any worker, may want the next
// value, one at a time.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include <weft/detail/asymmetric.hpp>
#include <weft/detail/caller.hpp>

namespace weft {

// A range whose values a function yields.
template <class T>
class generator;
template <class T>
class yielder;

namespace detail {

template <class T>
class generator_sides : public two_sides {
 public:
  using value_type = std::remove_reference_t<T>;

  template <class Function>
  void run(Function& function) {
    yielder<T> yield(this);
    function(yield);
  }
  // The value stays where it is: the function is suspended there. Returns the record in which it
  // was suspended, which finds the outermost one as `this` does, and which is at hand after the
  // switch.
  generator_sides* yield(value_type& value) {
    auto* const outer = static_cast<generator_sides*>(outermost());
    outer->value_ = std::addressof(value);
    outer->suspend();
    return outer;
  }
  value_type& value() const noexcept { return *value_; }

 private:
  value_type* value_ = nullptr;
};

}  // namespace detail

// What a generator's function yields its values to.
template <class T>
class yielder {
  using value_type = std::remove_reference_t<T>;

 public:
  yielder(const yielder&) = delete;
  yielder& operator=(const yielder&) = delete;

  // Hands the value to the caller, which may change it or move from it, and returns when the next
  // one is wanted. Throws forced_unwind if the generator is destroyed meanwhile. May switch.
  // Callable from the generator's function.
  void operator()(value_type& value)
    requires(std::is_lvalue_reference_v<T> || !std::copy_constructible<value_type>)
  {
    sides_ = sides_->yield(value);
  }
  // Hands a value to the caller that lives until the next one is wanted, and returns then. Throws
  // forced_unwind if the generator is destroyed meanwhile. May switch. Callable from the
  // generator's function.
  void operator()(value_type&& value)
    requires(!std::is_lvalue_reference_v<T>)
  {
    sides_ = sides_->yield(value);
  }
  // Hands a copy of the value to the caller, and returns when the next one is wanted. Throws
  // forced_unwind if the generator is destroyed meanwhile. May switch. Callable from the
  // generator's function.
  void operator()(const value_type& value)
    requires(!std::is_reference_v<T> && std::copy_constructible<value_type>)
  {
    value_type copy(value);
    sides_ = sides_->yield(copy);
  }

  // Yields all values of the generator, in the caller's own calls: no value passes through here.
  // Throws what that generator's function throws, and weft::error: invalid (it is empty), deadlock
  // (it runs). May switch. Callable from the generator's function.
  void all(generator<T> inner) { sides_->delegate(*inner.sides()); }
  // Yields all values of the range. Throws forced_unwind if the generator is destroyed meanwhile.
  // May switch. Callable from the generator's function.
  template <std::ranges::input_range Range>
    requires(!std::same_as<std::remove_cvref_t<Range>, generator<T>>)
  void all(Range&& range) {
    for (auto&& each : range) (*this)(std::forward<decltype(each)>(each));
  }

 private:
  friend class detail::generator_sides<T>;
  explicit yielder(detail::generator_sides<T>* sides) noexcept : sides_(sides) {}

  detail::generator_sides<T>* sides_;
};

// A range whose values a function yields.
template <class T>
class [[nodiscard]] generator : public std::ranges::view_base {
  static_assert(!std::is_const_v<T> && !std::is_void_v<T> && !std::is_rvalue_reference_v<T>);
  using sides_type = detail::generator_sides<T>;
  template <class F>
  static constexpr bool is_body =
      !std::same_as<std::remove_cvref_t<F>, generator> && std::invocable<std::decay_t<F>&, yielder<T>&>;

 public:
  // The type of the values.
  using value_type = std::remove_cvref_t<T>;
  class iterator;

  // No values.
  generator() noexcept = default;
  // Makes a generator of what function(yielder&) yields. Throws weft::error (no_memory;
  // not_initialized; cannot_block: outside) and what copying throws. Never switches. Callable from
  // a ULT or a tasklet.
  template <class F>
    requires is_body<F>
  explicit generator(F&& function, detail::caller made_by = detail::caller())
      : sides_(detail::make_asymmetric<sides_type>(context::fixedsize_stack(), made_by, std::forward<F>(function))) {}
  // Makes a generator of what function(yielder&) yields, on a stack of a kind:
  // weft::context::fixedsize_stack(bytes). Throws weft::error (no_memory; not_initialized;
  // cannot_block: outside) and what copying throws. Never switches. Callable from a ULT or a
  // tasklet.
  template <detail::any_stack Stack, class F>
    requires is_body<F>
  generator(std::allocator_arg_t, Stack&& stack, F&& function, detail::caller made_by = detail::caller())
      : sides_(detail::make_asymmetric<sides_type>(std::forward<Stack>(stack), made_by, std::forward<F>(function))) {}

  // The other one is empty afterwards.
  generator(generator&& other) noexcept
      : sides_(std::exchange(other.sides_, nullptr)), has_begun_(std::exchange(other.has_begun_, false)) {}
  // What was here is unwound; the other one is empty afterwards.
  generator& operator=(generator&& other) noexcept {
    generator taken(std::move(other));
    swap(taken);
    return *this;
  }
  // Unwinds the function if it has not ended. Must not be called by the function itself.
  ~generator() {
    if (sides_ != nullptr) sides_->destroy();
  }
  // Exchanges what the two stand for.
  void swap(generator& other) noexcept {
    std::swap(sides_, other.sides_);
    std::swap(has_begun_, other.has_begun_);
  }

  // Whether it has a function that has not ended.
  explicit operator bool() const noexcept { return sides_ != nullptr && !sides_->has_ended(); }

  // Lets the function go on to its first value, the first time. Returns an iterator at that value.
  // Throws what the function throws, and weft::error: invalid (empty: moved from). May switch.
  // Callable from a ULT or a tasklet, one at a time.
  iterator begin() {
    if (!std::exchange(has_begun_, true)) sides()->resume();
    return iterator(sides());
  }
  // The end of every generator.
  std::default_sentinel_t end() const noexcept { return std::default_sentinel; }

  // Returns the next value, moved out; none after the last one. Throws what the function throws,
  // and weft::error: invalid (empty: moved from). May switch. Callable from a ULT or a tasklet, one
  // at a time.
  std::optional<value_type> next()
    requires(!std::is_reference_v<T>)
  {
    sides_type* const all = sides();
    has_begun_ = true;
    if (all->has_ended()) return std::nullopt;
    all->resume();
    if (all->has_ended()) return std::nullopt;
    return std::optional<value_type>(std::move(all->value()));
  }

 private:
  friend class yielder<T>;

  sides_type* sides() const {
    if (sides_ == nullptr) [[unlikely]]
      detail::refuse_empty();
    return sides_;
  }

  sides_type* sides_ = nullptr;
  bool has_begun_ = false;
};

// Where a generator stands. An input iterator: a step concerns all iterators of the generator.
template <class T>
class generator<T>::iterator {
 public:
  // The type of the values.
  using value_type = std::remove_cvref_t<T>;
  // Required of an iterator; there is no difference of two.
  using difference_type = std::ptrdiff_t;
  // What * returns.
  using reference = std::remove_reference_t<T>&;

  iterator() noexcept = default;

  // The value, which the function keeps until the next step.
  reference operator*() const noexcept { return sides_->value(); }
  // The value's address.
  auto operator->() const noexcept { return std::addressof(sides_->value()); }
  // Goes on to the next value. Returns the iterator. Throws what the function throws, and
  // weft::error: invalid (after the last), deadlock (from inside the function). May switch.
  // Callable from a ULT or a tasklet, one at a time.
  iterator& operator++() {
    sides_->resume();
    return *this;
  }
  // Goes on to the next value. Throws what the function throws, and weft::error: invalid (after the
  // last), deadlock (from inside the function). May switch. Callable from a ULT or a tasklet, one
  // at a time.
  void operator++(int) { ++*this; }
  // Whether the function has ended.
  friend bool operator==(const iterator& one, std::default_sentinel_t) noexcept {
    return one.sides_ == nullptr || one.sides_->has_ended();
  }

 private:
  friend class generator<T>;
  explicit iterator(sides_type* sides) noexcept : sides_(sides) {}

  sides_type* sides_ = nullptr;
};

}  // namespace weft
