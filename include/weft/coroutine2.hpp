// weft::coroutine<T>::pull_type and push_type: two sides that hand values to each other, each with
// a stack of its own. Boost.Coroutine2's.
//
//   weft::coroutine<int>::pull_type source([](weft::coroutine<int>::push_type& sink) { sink(1); sink(2); });
//   for (int each : source) ...                   // the function pushes, the owner pulls
//   weft::coroutine<int>::push_type sink([](weft::coroutine<int>::pull_type& source) { use(source.get()); });
//   sink(3);                                      // the owner pushes, the function pulls
//
// A pull_type's function begins at once, a push_type's at the first push. What the function throws
// is thrown where its owner resumes it. A coroutine that is destroyed before its end has the
// function's frames unwound (forced_unwind). What a function may do is said in generator.hpp.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include <weft/detail/asymmetric.hpp>
#include <weft/detail/caller.hpp>

namespace weft {
namespace detail {

template <class T>
class pull_coroutine;
template <class T>
class push_coroutine;

// The value on its way stays with the side that pushes it, which is suspended meanwhile.
template <class T>
class coroutine_sides : public two_sides {
 public:
  using value_type = std::remove_reference_t<T>;
  void hand(value_type* value) noexcept { value_ = value; }
  value_type* value() const noexcept { return value_; }

 private:
  value_type* value_ = nullptr;
};
template <>
class coroutine_sides<void> : public two_sides {
 public:
  void hand(const void* value) noexcept { value_ = value; }
  const void* value() const noexcept { return value_; }

 private:
  const void* value_ = nullptr;
};

// The sides as the function sees them: Inside is the type of its parameter.
template <class T, template <class> class Inside>
class coroutine_body : public coroutine_sides<T> {
 public:
  template <class Function>
  void run(Function& function) {
    Inside<T> inside(this, false);
    function(inside);
  }
};

// What the four have in common: the owner's side resumes, the function's side suspends.
template <class T>
class coroutine_end {
 public:
  coroutine_end(coroutine_end&& other) noexcept
      : sides_(std::exchange(other.sides_, nullptr)), is_owner_(std::exchange(other.is_owner_, false)) {}
  coroutine_end& operator=(coroutine_end&& other) noexcept {
    std::swap(sides_, other.sides_);
    std::swap(is_owner_, other.is_owner_);
    return *this;
  }
  // Unwinds the function if it has not ended.
  ~coroutine_end() {
    if (is_owner_ && sides_ != nullptr) sides_->destroy();
  }

 protected:
  coroutine_end(coroutine_sides<T>* sides, bool is_owner) noexcept : sides_(sides), is_owner_(is_owner) {}

  bool is_open() const noexcept { return sides_ != nullptr && !(is_owner_ && sides_->has_ended()); }
  coroutine_sides<T>* sides() const {
    if (sides_ == nullptr) [[unlikely]]
      refuse_empty();
    return sides_;
  }
  void switch_sides() {
    if (is_owner_) {
      sides_->resume();
    } else {
      sides_->suspend();
    }
  }

 private:
  coroutine_sides<T>* sides_;
  bool is_owner_;
};

// The sides of a coroutine whose owner has Owner and whose function has Inside.
template <class T, template <class> class Inside, class Stack, class F>
coroutine_sides<T>* make_coroutine(Stack&& stack, caller made_by, F&& function) {
  return make_asymmetric<coroutine_body<T, Inside>>(std::forward<Stack>(stack), made_by, std::forward<F>(function));
}

template <class T, template <class> class Inside, class Self, class F>
concept coroutine_function = !std::same_as<std::remove_cvref_t<F>, Self> && std::invocable<std::decay_t<F>&, Inside<T>&>;

template <class T>
class pull_base : public coroutine_end<T> {
 public:
  using coroutine_end<T>::coroutine_end;

  // Whether there is a value.
  explicit operator bool() const noexcept { return this->is_open(); }
  // Whether the other side has ended.
  bool operator!() const noexcept { return !this->is_open(); }

 protected:
  void step() {
    static_cast<void>(this->sides());
    this->switch_sides();
  }
};

// Each value once, from the first to the last.
template <class T>
class pull_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = std::remove_cvref_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = std::remove_reference_t<T>*;
  using reference = std::remove_reference_t<T>&;

  pull_iterator() noexcept = default;
  explicit pull_iterator(pull_coroutine<T>* source) noexcept : source_(source) { fetch(); }

  reference operator*() const noexcept { return *source_->peek(); }
  pointer operator->() const noexcept { return source_->peek(); }
  pull_iterator& operator++() {
    (*source_)();
    fetch();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const pull_iterator&, const pull_iterator&) noexcept = default;

 private:
  void fetch() noexcept {
    if (!*source_) source_ = nullptr;
  }
  pull_coroutine<T>* source_ = nullptr;
};

// The side that pulls.
template <class T>
class pull_coroutine : public pull_base<T> {
 public:
  using iterator = pull_iterator<T>;

  // Runs function(push_type&) until its first push. Throws what it throws, and weft::error as
  // weft::generator does.
  template <class F>
    requires coroutine_function<T, push_coroutine, pull_coroutine, F>
  explicit pull_coroutine(F&& function, caller made_by = caller())
      : pull_coroutine(context::fixedsize_stack(), std::forward<F>(function), made_by) {}
  // Makes the same coroutine as the constructor above, on a stack of the given kind.
  template <any_stack Stack, class F>
    requires coroutine_function<T, push_coroutine, pull_coroutine, F>
  pull_coroutine(Stack&& stack, F&& function, caller made_by = caller())
      : pull_base<T>(make_coroutine<T, push_coroutine>(std::forward<Stack>(stack), made_by, std::forward<F>(function)), true) {
    this->switch_sides();
  }

  // Wants the next value. Throws what the function throws, and weft::error: invalid (it has ended,
  // or was moved from), deadlock (from inside the function).
  pull_coroutine& operator()() {
    this->step();
    return *this;
  }
  // The value: moved out, or the reference. A value that was moved out is gone. Throws weft::error:
  // invalid (there is none).
  T get() { return static_cast<T&&>(*valid()); }

  // The values that are left, from the one that get would return. Never switches.
  iterator begin() { return iterator(this); }
  // The end of the values. Never switches.
  iterator end() noexcept { return iterator(); }
  // Boost's ranges, by argument-dependent lookup.
  friend iterator begin(pull_coroutine& source) { return source.begin(); }
  friend iterator end(pull_coroutine& source) noexcept { return source.end(); }

 private:
  friend class coroutine_body<T, detail::pull_coroutine>;
  friend class pull_iterator<T>;
  using pull_base<T>::pull_base;

  std::remove_reference_t<T>* peek() const noexcept { return this->sides()->value(); }
  std::remove_reference_t<T>* valid() const {
    if (!this->is_open()) refuse_empty();
    return peek();
  }
};

template <>
class pull_coroutine<void> : public pull_base<void> {
 public:
  // Runs function(push_type&) until its first push.
  template <class F>
    requires coroutine_function<void, push_coroutine, pull_coroutine, F>
  explicit pull_coroutine(F&& function, caller made_by = caller())
      : pull_coroutine(context::fixedsize_stack(), std::forward<F>(function), made_by) {}
  // Makes the same coroutine as the constructor above, on a stack of the given kind.
  template <any_stack Stack, class F>
    requires coroutine_function<void, push_coroutine, pull_coroutine, F>
  pull_coroutine(Stack&& stack, F&& function, caller made_by = caller());

  // Lets the other side go on.
  pull_coroutine& operator()() {
    step();
    return *this;
  }

 private:
  friend class coroutine_body<void, detail::pull_coroutine>;
  using pull_base<void>::pull_base;
};

// The side that pushes.
template <class T>
class push_coroutine : public coroutine_end<T> {
  using value_type = std::remove_reference_t<T>;

 public:
  class iterator;

  // function(pull_type&) begins at the first push. Throws weft::error as weft::generator does.
  template <class F>
    requires coroutine_function<T, pull_coroutine, push_coroutine, F>
  explicit push_coroutine(F&& function, caller made_by = caller())
      : push_coroutine(context::fixedsize_stack(), std::forward<F>(function), made_by) {}
  // Makes the same coroutine as the constructor above, on a stack of the given kind.
  template <any_stack Stack, class F>
    requires coroutine_function<T, pull_coroutine, push_coroutine, F>
  push_coroutine(Stack&& stack, F&& function, caller made_by = caller())
      : coroutine_end<T>(
            make_coroutine<T, detail::pull_coroutine>(std::forward<Stack>(stack), made_by, std::forward<F>(function)), true) {}

  // Hands the value to the other side, and returns when it wants the next one or ends. Throws what
  // the function throws, and weft::error: invalid (it has ended, or was moved from).
  push_coroutine& operator()(value_type&& value)
    requires(!std::is_reference_v<T>)
  {
    return hand(std::addressof(value));
  }
  // Hands a copy over.
  push_coroutine& operator()(const value_type& value)
    requires(!std::is_reference_v<T> && std::copy_constructible<value_type>)
  {
    value_type copy(value);
    return hand(std::addressof(copy));
  }
  // Hands a reference over.
  push_coroutine& operator()(value_type& value)
    requires std::is_reference_v<T>
  {
    return hand(std::addressof(value));
  }

  // Whether the other side wants values.
  explicit operator bool() const noexcept { return this->is_open(); }
  // Whether the other side has ended.
  bool operator!() const noexcept { return !this->is_open(); }

  // An output iterator whose assignment pushes. Never switches.
  iterator begin() { return iterator(this); }
  // What the output iterator is once the other side wants no more. Never switches.
  iterator end() noexcept { return iterator(); }
  // Boost's output iterators, by argument-dependent lookup.
  friend iterator begin(push_coroutine& sink) { return sink.begin(); }
  friend iterator end(push_coroutine& sink) noexcept { return sink.end(); }

 private:
  friend class coroutine_body<T, detail::push_coroutine>;
  using coroutine_end<T>::coroutine_end;

  push_coroutine& hand(value_type* value) {
    this->sides()->hand(value);
    this->switch_sides();
    return *this;
  }
};

template <class T>
class push_coroutine<T>::iterator {
 public:
  using iterator_category = std::output_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = void;

  iterator() noexcept = default;
  explicit iterator(push_coroutine<T>* sink) noexcept : sink_(*sink ? sink : nullptr) {}

  template <class V>
    requires std::invocable<push_coroutine<T>&, V>
  iterator& operator=(V&& value) {
    if (!(*sink_)(std::forward<V>(value))) sink_ = nullptr;
    return *this;
  }
  iterator& operator*() noexcept { return *this; }
  iterator& operator++() noexcept { return *this; }
  iterator& operator++(int) noexcept { return *this; }
  friend bool operator==(const iterator&, const iterator&) noexcept = default;

 private:
  push_coroutine<T>* sink_ = nullptr;
};

template <>
class push_coroutine<void> : public coroutine_end<void> {
 public:
  // function(pull_type&) begins when it is first resumed.
  template <class F>
    requires coroutine_function<void, pull_coroutine, push_coroutine, F>
  explicit push_coroutine(F&& function, caller made_by = caller())
      : push_coroutine(context::fixedsize_stack(), std::forward<F>(function), made_by) {}
  // Makes the same coroutine as the constructor above, on a stack of the given kind.
  template <any_stack Stack, class F>
    requires coroutine_function<void, pull_coroutine, push_coroutine, F>
  push_coroutine(Stack&& stack, F&& function, caller made_by = caller())
      : coroutine_end<void>(
            make_coroutine<void, detail::pull_coroutine>(std::forward<Stack>(stack), made_by, std::forward<F>(function)), true) {}

  // Lets the other side go on.
  push_coroutine& operator()() {
    static_cast<void>(sides());
    switch_sides();
    return *this;
  }
  // Whether the other side has not ended.
  explicit operator bool() const noexcept { return is_open(); }
  // Whether the other side has ended.
  bool operator!() const noexcept { return !is_open(); }

 private:
  friend class coroutine_body<void, detail::push_coroutine>;
  using coroutine_end<void>::coroutine_end;
};

template <any_stack Stack, class F>
  requires coroutine_function<void, push_coroutine, pull_coroutine<void>, F>
pull_coroutine<void>::pull_coroutine(Stack&& stack, F&& function, caller made_by)
    : pull_base<void>(make_coroutine<void, push_coroutine>(std::forward<Stack>(stack), made_by, std::forward<F>(function)),
                      true) {
  switch_sides();
}

}  // namespace detail

// The two types of a coroutine that passes values of T, as in Boost.Coroutine2. T may be a
// reference or void.
template <class T>
struct asymmetric_coroutine {
  // The side that pulls.
  using pull_type = detail::pull_coroutine<T>;
  // The side that pushes.
  using push_type = detail::push_coroutine<T>;
};
// The short name of asymmetric_coroutine.
template <class T>
using coroutine = asymmetric_coroutine<T>;

}  // namespace weft
