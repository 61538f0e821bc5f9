// How the algorithms of algorithm.hpp and numeric.hpp begin: on the caller, until it is known that
// the elements take long enough to be worth other workers.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <chrono>
#endif

#include <weft/hot.h>
#include <weft/runtime.h>

namespace weft::detail {

// A short call that tells time. On x86-64 a tick is between a quarter and one nanosecond.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t count;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

inline std::uint64_t ticks_of_head() noexcept {  // 1 to 3 us
#if defined(__aarch64__)
  std::uint64_t in_a_second;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(in_a_second));
  return in_a_second / 500000;
#elif defined(__x86_64__)
  return 5000;
#else
  return 2000;
#endif
}

// In a seeded schedule no decision may depend on time.
inline bool has_seeded_schedule() noexcept {
  static const bool has = std::getenv("WEFT_SCHEDULE") != nullptr;
  return has;
}

// Whether other workers can take part in what the caller does. Ranks share no memory.
inline bool has_helpers() noexcept { return weft_worker_self() >= 0 && weft_worker_count() > 1 && !weft_forks_move(); }

inline constexpr std::size_t head_without_time = 2;
inline constexpr std::uint64_t ticks_of_call = 16;
inline constexpr std::size_t most_unknown = 1000;  // elements that run because the first one was fast

// Calls run(begin, end) for growing pieces of [0, size), in order, until they have taken about two
// microseconds, or run returns false. Returns where the last piece ended.
template <class Run>
std::size_t run_head(std::size_t size, const Run& run) {
  if (size < 2 || !has_helpers()) return run(std::size_t{0}, size), size;
  if (has_seeded_schedule()) return run(std::size_t{0}, head_without_time), head_without_time;
  const std::uint64_t all = ticks_of_head(), start = ticks();
  for (std::size_t done = 0, piece = 1;;) {
    const bool goes_on = run(done, done + piece);
    done += piece;
    if (!goes_on || done == size) return done;
    const std::uint64_t took = ticks() - start;
    if (took >= all) return done;
    const std::uint64_t of_elements = took > ticks_of_call ? took - ticks_of_call : 1;
    piece = std::min<std::size_t>({size - done, 1 + done * (all - took) / of_elements, most_unknown + 8 * done});
  }
}

}  // namespace weft::detail
