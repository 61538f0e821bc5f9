// The model's weft/detail/concurrent.hpp: channels, select and the waits of coroutines on the
// explorer's memory. The process is never alone, and select looks at its branches in the order of
// their numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"

namespace weft::detail {

template <class T>
using atomic = weft::base::atomic<T>;

inline bool is_alone() noexcept { return false; }
inline std::uint32_t this_os_thread() noexcept { return static_cast<std::uint32_t>(explorer::current_thread()) + 1; }
inline void give_cpu(explorer::site where = explorer::site::current()) { explorer::pause(where); }
inline std::size_t any_below(std::size_t bound) noexcept { return bound - 1; }

}  // namespace weft::detail
