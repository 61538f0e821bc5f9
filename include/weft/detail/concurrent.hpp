// What channels, select and the waits of coroutines share between OS threads, and the choices that
// they leave to chance. Model tests put a file of the same name before this one on the include
// path, so that the headers that ship run on the explorer's memory.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <sched.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>  // glibc 2.32
#endif

namespace weft::detail {

template <class T>
using atomic = std::atomic<T>;

// Whether the process has a single OS thread: then what is atomic among OS threads need not be, and
// a locked instruction costs as much as half a switch between ULTs. True holds until the caller
// itself starts an OS thread, which then sees all that came before; false may be out of date.
#if __has_include(<sys/single_threaded.h>)
inline bool is_alone() noexcept { return __libc_single_threaded != 0; }
#else
inline bool is_alone() noexcept { return false; }
#endif

// Names the calling OS thread, in four bytes, which fit beside a lock: two OS threads have the same
// name only if their errnos lie a multiple of 2^36 bytes apart. Not inline: compilers keep its
// result across a switch otherwise.
[[gnu::noinline]] inline std::uint32_t this_os_thread() noexcept {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&errno) / 16) | 1;
}

// In a loop that looks until another OS thread has written, which the system may have preempted.
inline void give_cpu() noexcept { sched_yield(); }

// Numbers from 0 to bound - 1, evenly enough for choices.
inline std::size_t any_below(std::size_t bound) noexcept {
  static thread_local std::uint32_t state = 2463534242U;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return static_cast<std::size_t>((std::uint64_t{state} * bound) >> 32);
}

}  // namespace weft::detail
