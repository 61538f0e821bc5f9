// The model's weft_abt/atomic.hpp: the Argobots face on the explorer's memory.
#pragma once

#include "base/atomic.hpp"

namespace weft::abt {

template <class T>
using atomic = base::atomic<T>;

inline void spin_hint(explorer::site where = explorer::site::current()) { explorer::pause(where); }

}  // namespace weft::abt
