// Forks for C++: children that may run in parallel, joined in the scope that made them, at the
// price of a call.
//
//   long fib(int n) noexcept {
//     if (n < 2) return n;
//     auto left = weft::fork([=] { return fib(n - 1); });
//     const long right = fib(n - 2);
//     return left.join() + right;
//   }
//
// What a child may do, and which identity it has, is said in hot.h. A function that cannot throw
// (noexcept) lets the compiler turn the recursion into itself, as it does for plain code; that is
// worth a third of such a fork.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <weft/hot.h>
#include <weft/callable.hpp>
#include <weft/detail/trampoline.hpp>
#include <weft/dropped_exceptions.hpp>
#include <weft/remote_error.hpp>

namespace weft {

namespace detail {

template <class T>
inline constexpr bool travels_as_bytes = std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>;

// What a fork carries to another worker and back: the callable; afterwards its result, or what it
// threw.
template <class Function, class Result>
struct fork_cargo {
  using held_result = std::conditional_t<std::is_void_v<Result>, char, Result>;
  union {
    unsigned char bytes[sizeof(Function) > sizeof(held_result) ? sizeof(Function) : sizeof(held_result)];
    void* thrown;  // what keep_exception returned
  };
  bool has_thrown;
};

template <class Function, class Result>
inline constexpr bool fits_in_fork =
    travels_as_bytes<Function> &&
    (std::is_void_v<Result> || (travels_as_bytes<Result> && std::is_default_constructible_v<Result>)) &&
    alignof(Function) <= 16 && sizeof(fork_cargo<Function, Result>) <= WEFT_FORK_BYTES;

template <class Function, class Result>
void run_fork_by_value(void* work) noexcept {
  using cargo = fork_cargo<Function, Result>;
  auto* const place = static_cast<cargo*>(work);
  alignas(Function) unsigned char copy[sizeof(Function)];
  std::memcpy(copy, place->bytes, sizeof(Function));
  auto& function = *std::launder(reinterpret_cast<Function*>(copy));
  place->has_thrown = false;
  run_caught(
      [&] {
        if constexpr (std::is_void_v<Result>) {
          function();
        } else {
          const Result result = function();
          std::memcpy(place->bytes, &result, sizeof result);
        }
      },
      [place](std::exception_ptr thrown) {
        place->thrown = keep_exception(std::move(thrown));
        place->has_thrown = true;
      });
}

[[noreturn, gnu::noinline]] inline void rethrow_of_fork(void* thrown) { std::rethrow_exception(take_exception(thrown)); }

// The callable and what becomes of it travel as bytes: nothing in the forking frame has its address
// taken.
template <class Function, class Result>
class forked_by_value {
  using cargo = fork_cargo<Function, Result>;

 public:
  [[gnu::always_inline]] explicit forked_by_value(Function function)
      : function_(function), is_joined_(false), forked_(start(function)) {}
  forked_by_value(const forked_by_value&) = delete;
  forked_by_value& operator=(const forked_by_value&) = delete;
  [[gnu::always_inline]] ~forked_by_value() {
    if (!is_joined_) finish(forked_, function_);
  }

  [[gnu::always_inline]] Result join() {
    is_joined_ = true;
    if (weft_fork_take_back(forked_)) [[likely]] {
      Function function = function_;
      return function();
    }
    return result_of(forked_);
  }

 private:
  [[gnu::always_inline]] static weft_forked* start(Function function) {
    return weft_fork(run_fork_by_value<Function, Result>, &function, sizeof function);
  }

  // Only what was written is read, and in the pieces in which it was: the whole cargo at once would
  // stall most CPUs.
  [[gnu::always_inline]] static Result result_of(const weft_forked* forked) {
    bool has_thrown;
    std::memcpy(&has_thrown, forked->work + offsetof(cargo, has_thrown), sizeof has_thrown);
    if (has_thrown) [[unlikely]]
      rethrow_of_fork(thrown_of(forked));
    if constexpr (!std::is_void_v<Result>) {
      Result result;
      std::memcpy(&result, forked->work + offsetof(cargo, bytes), sizeof result);
      return result;
    }
  }
  static void* thrown_of(const weft_forked* forked) {
    void* thrown;
    std::memcpy(&thrown, forked->work + offsetof(cargo, thrown), sizeof thrown);
    return thrown;
  }

  // The scope ended, perhaps by an exception: no caller can be given what the child throws now.
  [[gnu::noinline]] static void finish(weft_forked* forked, Function function) noexcept {
    if (weft_fork_take_back(forked)) {
      run_caught(function, drop_exception);
    } else {
      cargo back;
      std::memcpy(&back, forked->work, sizeof back);
      if (back.has_thrown) drop_exception(take_exception(back.thrown));
    }
  }

  Function function_;
  bool is_joined_;
  weft_forked* forked_;
};

// Large or with a life of its own: it stays in the forking frame, and its address travels.
template <class Function, class Result>
class forked_in_frame {
  using held_result = std::conditional_t<std::is_void_v<Result>, std::monostate,
                                         std::conditional_t<std::is_reference_v<Result>, std::add_pointer_t<Result>, Result>>;

 public:
  template <class F>
  explicit forked_in_frame(std::in_place_t, F&& function) : function_(std::forward<F>(function)) {
    void* self = this;
    forked_ = weft_fork(run, &self, sizeof self);
  }
  forked_in_frame(const forked_in_frame&) = delete;
  forked_in_frame& operator=(const forked_in_frame&) = delete;
  ~forked_in_frame() {
    if (!is_joined_) wait();
    if (thrown_) drop_exception(thrown_);
  }

  Result join() {
    wait();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    if constexpr (std::is_reference_v<Result>) {
      return static_cast<Result>(**result_);
    } else if constexpr (!std::is_void_v<Result>) {
      return std::move(*result_);
    }
  }

 private:
  void call() {
    if constexpr (std::is_void_v<Result>) {
      std::invoke(function_);
    } else if constexpr (std::is_reference_v<Result>) {
      result_.emplace(std::addressof(std::invoke(function_)));
    } else {
      result_.emplace(std::invoke(function_));
    }
  }
  static void run(void* work) noexcept {
    auto* const self = *static_cast<forked_in_frame**>(work);
    run_caught([self] { self->call(); }, [self](std::exception_ptr thrown) { self->thrown_ = std::move(thrown); });
  }
  void wait() noexcept {
    is_joined_ = true;
    void* self = this;
    weft_fork_join(forked_, run, &self, sizeof self);
  }

  Function function_;
  std::optional<held_result> result_;
  std::exception_ptr thrown_;
  bool is_joined_ = false;
  weft_forked* forked_;
};

template <class Function, class Result>
using forked_type =
    std::conditional_t<fits_in_fork<Function, Result>, forked_by_value<Function, Result>, forked_in_frame<Function, Result>>;

// dist.hpp has another one, which is found where a fork is instantiated, and preferred.
template <class Function>
struct capture_of {};
template <class Function>
constexpr bool is_captured_well(capture_of<Function>, long) {
  return true;
}

// Without a type for what is no child: the error is then that of fork's constraint.
template <class Function>
struct fork_of {
  using type = void;
};
template <child_function Function>
struct fork_of<Function> {
  using type = forked_type<Function, std::invoke_result_t<Function&>>;
};

}  // namespace detail

// A fork of a callable without arguments. join() returns what the callable returns, and throws what
// it throws.
//
// A fork cannot be moved: it belongs to its scope. At the end of the scope it is joined if join()
// was not called. An exception of the callable is then dropped (dropped_exceptions.hpp). The same
// holds if an exception of the forker leaves the scope; that exception goes on. Only the forker may
// call join(), at most once. Forks may be joined in any order; the last one first is the cheapest.
// Forking does not switch. join, and the destructor of a fork that was not joined, may. Callable
// from any. Throws what copying the callable throws. Undefined: a second join(), or a join() by
// another thread.
template <class Function>
using forked = typename detail::fork_of<std::decay_t<Function>>::type;

// Forks a callable: a child that may run in parallel, until it is joined in the scope that made it.
// With weft/dist.hpp the callable must be migratable, too (weft::dist::is_migratable). Returns the
// fork, which must be joined; see weft::forked. Throws what copying the callable throws. Never
// switches. Callable from any.
template <class Function>
  requires child_function<std::decay_t<Function>>
[[nodiscard, gnu::always_inline]] inline forked<Function> fork(Function&& function) {
  using callable = std::decay_t<Function>;
  static_assert(is_captured_well(detail::capture_of<callable>(), 0),
                "weft::fork in a program of ranks: the callable captures a std::vector, std::string, std::function or another "
                "object whose bytes mean nothing in another process, to which its forker may move. Capture numbers, plain "
                "structs, or a weft::global of data in the global heap; declare a callable type of your own whose bytes "
                "mean the same in all processes by weft::dist::is_migratable");
  if constexpr (detail::fits_in_fork<callable, std::invoke_result_t<callable&>>) {
    return forked<Function>(callable(std::forward<Function>(function)));
  } else {
    return forked<Function>(std::in_place, std::forward<Function>(function));
  }
}

}  // namespace weft
