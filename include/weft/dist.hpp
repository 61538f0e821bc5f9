// Forks that migrate between processes, for C++: what dist.h says, with values and exceptions.
//
//   int main() {
//     const long result = weft::dist::root([] { return fib(40); });
//     if (weft::dist::rank() == 0) std::println("{}", result);
//   }
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <type_traits>

#include <weft/dist.h>
#include <weft/dropped_exceptions.hpp>
#include <weft/error.hpp>
#include <weft/fork.hpp>
#include <weft/global.hpp>
#include <weft/remote_error.hpp>

namespace weft::dist {

// Returns the rank of the process in which the caller runs, from 0. For a thread in a root, each
// fork and join may change it. Never switches. Callable from any.
inline int rank() noexcept { return weft_dist_rank(); }

// Returns how many ranks there are, at least 1. Never switches. Callable from any.
inline int ranks() noexcept { return weft_dist_ranks(); }

// Whether the bytes of an object mean the same in every process, so that it may move there with the
// thread that has it in its frame. True of trivially copyable types. Specialise it as true for a
// type of your own that is not trivially copyable, and has no address of one process's memory.
// weft::fork refuses other callables in a file that includes this one.
template <class T>
inline constexpr bool is_migratable = std::is_trivially_copyable_v<T>;

// A function that can be a root: a trivially copyable callable without arguments, whose result is
// trivially copyable, too.
template <class Function>
concept root_function =
    std::is_trivially_copyable_v<Function> && std::invocable<Function&> &&
    (std::is_void_v<std::invoke_result_t<Function&>> || (std::is_trivially_copyable_v<std::invoke_result_t<Function&>> &&
                                                         std::is_default_constructible_v<std::invoke_result_t<Function&>>));

namespace detail {

template <class Function>
struct root_cargo {
  using result = std::invoke_result_t<Function&>;
  using held = std::conditional_t<std::is_void_v<result>, char, result>;
  union {
    alignas(16) unsigned char bytes[sizeof(Function) > sizeof(held) ? sizeof(Function) : sizeof(held)];
    void* thrown;
  };
  bool has_thrown;
};

template <class Function>
void run_root(void* work) noexcept {
  auto* const cargo = static_cast<root_cargo<Function>*>(work);
  alignas(Function) unsigned char copy[sizeof(Function)];
  std::memcpy(copy, cargo->bytes, sizeof(Function));
  auto& function = *std::launder(reinterpret_cast<Function*>(copy));
  cargo->has_thrown = false;
  weft::detail::run_caught(
      [&] {
        if constexpr (std::is_void_v<typename root_cargo<Function>::result>) {
          function();
        } else {
          const auto result = function();
          std::memcpy(cargo->bytes, &result, sizeof result);
        }
      },
      [cargo](const std::exception_ptr& thrown) {
        cargo->thrown = weft::detail::keep_exception(thrown);
        cargo->has_thrown = true;
      });
}

// The exception of this process's last root that threw. Every rank looks at it before the next root
// begins.
inline void* last_thrown = nullptr;

inline void drop_last_thrown() {
  if (last_thrown == nullptr) return;
  (void)weft::detail::take_exception(last_thrown);
  last_thrown = nullptr;
}

[[noreturn]] inline void throw_of_root(void* thrown) {
  if (weft::detail::is_kept_here(thrown)) last_thrown = thrown;
  std::rethrow_exception(weft::detail::look_at_exception(thrown));
}

}  // namespace detail

}  // namespace weft::dist

namespace weft::detail {

// Whether a fork may take this function to another process. weft::fork asks it, with a 0.
template <class Function>
constexpr bool is_captured_well(capture_of<Function>, int) {
  return dist::is_migratable<Function>;
}

}  // namespace weft::detail

namespace weft::dist {

// Runs function once, as a root: all ranks share its forks. Returns its result on every rank.
//
// Each rank must make the call, with a function of the same type. The values that rank 0's function
// holds are used. If the ranks' calls differ, the job ends, and a line on stderr says so. An
// exception that leaves function is thrown on the rank on which function ended, and as a
// remote_error on every other rank. Throws weft::error: invalid (a call from inside a root, from
// another OS thread than the one that runs main, or from a process that a rank has forked). Never
// switches. Callable from the OS thread that runs main, outside a root.
template <std::invocable Function>
std::invoke_result_t<Function&> root(Function function) {
  static_assert(
      std::is_trivially_copyable_v<Function>,
      "weft::dist::root: the callable captures a std::vector, std::string or another object whose bytes mean nothing in "
      "another process. Capture numbers, plain structs, or a weft::global of data in the global heap");
  static_assert(!std::is_trivially_copyable_v<Function> || root_function<Function>,
                "weft::dist::root: the result must be trivially copyable and default constructible, because every process gets "
                "its bytes. Return numbers or plain structs, or leave larger results in the global heap (weft/global.hpp)");
  using cargo_type = detail::root_cargo<Function>;
  cargo_type cargo;
  std::memcpy(cargo.bytes, &function, sizeof function);
  cargo.has_thrown = false;
  weft::detail::check(weft_dist_root(detail::run_root<Function>, &cargo, sizeof cargo), "weft_dist_root");
  detail::drop_last_thrown();
  if (cargo.has_thrown) detail::throw_of_root(cargo.thrown);
  if constexpr (!std::is_void_v<std::invoke_result_t<Function&>>) {
    std::invoke_result_t<Function&> result;
    std::memcpy(&result, cargo.bytes, sizeof result);
    return result;
  }
}

// Runs a trivially copyable callable at once, as a fork that its forker does not join. Its result
// is not used. The root ends only after the child has ended. An exception that leaves the callable
// is dropped (dropped_exceptions.hpp). Never throws. May switch. Callable from a thread in a root;
// elsewhere it is a plain call.
template <class Function>
void discard(Function function) {
  static_assert(std::is_trivially_copyable_v<Function> && sizeof(Function) <= WEFT_FORK_BYTES,
                "weft::dist::discard: the callable must be trivially copyable and at most 48 bytes, because it may move to "
                "another process. Capture numbers, plain structs, or a weft::global of data in the global heap");
  const auto run = [](void* work) noexcept {
    alignas(Function) unsigned char copy[sizeof(Function)];
    std::memcpy(copy, work, sizeof(Function));
    auto& own = *std::launder(reinterpret_cast<Function*>(copy));
    weft::detail::run_caught([&own] { (void)own(); }, weft::detail::drop_exception);
  };
#if __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(
      &function);  // what is left there may look like an address of the stack, and the fork would stay in place
#endif
  weft_forked* const forked = weft_fork(run, &function, sizeof function);
  weft_dist_discard(forked, run, &function, sizeof function);
}

// Runs a trivially copyable callable at once, as discard() does, and returns a shared_future of its
// result. The future lies in the calling rank's memory, and threads of all ranks can read it. It
// must be dropped once, when no thread reads it any more. Throws weft::error: invalid, no_memory.
// May switch. Callable from a thread in a root.
template <class Function>
[[nodiscard]] auto fork_shared(Function function) {
  const auto future = shared_future<std::invoke_result_t<Function&>>::make(rank());
  discard([function, future]() mutable { future.set(function()); });
  return future;
}

}  // namespace weft::dist
