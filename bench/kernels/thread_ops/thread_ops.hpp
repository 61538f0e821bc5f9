// ThreadOpsBench: 16 threads are created, then joined, over and over. What operations on threads
// cost by themselves.
//   thread-ops          the threads do nothing: creation, start, end and join are measured
//   thread-ops-yields   each yields 4000 times: nearly all that is measured is yields
// Source: J. Ciesko's program of that name, https://github.com/janciesko/ThreadOpsBench. units:
// threads; yields. A yield counts whether or not another thread ran meanwhile: that is the
// scheduler's affair.
#pragma once

#include "harness/kernel.hpp"

namespace bench::thread_ops {

inline constexpr std::size_t threads_at_once = 16;
inline constexpr std::uint64_t no_yields = 0;
inline constexpr std::uint64_t yields = 4000;

extern const kernel without_yields;
extern const kernel with_yields;

}  // namespace bench::thread_ops
