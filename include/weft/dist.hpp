// Forks that migrate between processes, for C++: what dist.h says, with values and exceptions.
//
//   int main() {
//     const long result = weft::dist::root([] { return fib(40); });
//     if (weft::dist::rank() == 0) std::println("{}", result);
//   }
#pragma once

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

// This process's rank, from 0. It may change at each fork and join of a thread in a root. Callable from any. Never switches.
inline int rank() noexcept { return weft_dist_rank(); }

// How many ranks there are, at least 1. Callable from any. Never switches.
inline int ranks() noexcept { return weft_dist_ranks(); }

// What can be the root: a callable of values without arguments, whose result is values.
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

// The exception of this process's last root that threw. Every rank looks at it before the next root begins.
inline void* last_thrown = nullptr;

inline void drop_last_thrown() {
  if (last_thrown == nullptr) return;
  (void)weft::detail::take_exception(last_thrown);
  last_thrown = nullptr;
}

// What was called in vain, for the error that is thrown.
inline const char* refused_root() {
  return weft_worker_self() >= 0 ? "weft_dist_root inside a root"
                                 : "weft_dist_root with more bytes than half of a stack, or not on main's OS thread of a rank";
}

[[noreturn]] inline void throw_of_root(void* thrown) {
  if (weft::detail::is_kept_here(thrown)) last_thrown = thrown;
  std::rethrow_exception(weft::detail::look_at_exception(thrown));
}

}  // namespace detail

// Runs function once, as the root of forks that all ranks share, and returns its result on every rank.
// Collective: each rank calls it with a function of the same type, and the values of rank 0's count.
// What it throws arrives on the rank where it ended, and on every other rank as a remote_error. Throws
// weft::error (invalid) for a call from inside a root, from another OS thread than main's, or from a
// process that a rank has forked. Ranks whose calls differ end the job with a line. Switches: never.
// Callers: the OS thread that runs main, outside a root.
template <root_function Function>
std::invoke_result_t<Function&> root(Function function) {
  using cargo_type = detail::root_cargo<Function>;
  cargo_type cargo;
  std::memcpy(cargo.bytes, &function, sizeof function);
  cargo.has_thrown = false;
  const weft_status status = weft_dist_root(detail::run_root<Function>, &cargo, sizeof cargo);
  if (status != WEFT_OK) weft::detail::check(status, detail::refused_root());
  detail::drop_last_thrown();
  if (cargo.has_thrown) detail::throw_of_root(cargo.thrown);
  if constexpr (!std::is_void_v<std::invoke_result_t<Function&>>) {
    std::invoke_result_t<Function&> result;
    std::memcpy(&result, cargo.bytes, sizeof result);
    return result;
  }
}

// Runs a callable of values at once, as a fork that its forker does not join: what it returns is
// not read. The root ends only once it has ended. What it throws is dropped
// (dropped_exceptions.hpp). Switches: may. Callers: a thread in a root; elsewhere it is a call.
template <class Function>
void discard(Function function) {
  static_assert(std::is_trivially_copyable_v<Function> && sizeof(Function) <= WEFT_FORK_BYTES,
                "weft::dist::discard: the callable must be trivially copyable and at most 48 bytes, because it may move to "
                "another process");
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

// Runs a callable of values at once, as discard() does, and returns a future of what it returns, in
// this rank's memory, which any threads read. To be dropped once, when no thread reads it any more.
// Throws weft::error (invalid, nomem). Switches: may. Callers: a thread in a root.
template <class Function>
[[nodiscard]] auto fork_shared(Function function) {
  const auto future = shared_future<std::invoke_result_t<Function&>>::make(rank());
  discard([function, future]() mutable { future.set(function()); });
  return future;
}

}  // namespace weft::dist
