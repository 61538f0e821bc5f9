// The model's weft_tascell/atomic.hpp: the words of the Tascell runtime on the explorer's memory.
#pragma once

#include "base/atomic.hpp"

namespace weft::tascell_runtime {

namespace base = weft::base;

template <class T>
using atomic = base::atomic<T>;

inline void spin_hint(explorer::site where = explorer::site::current()) { explorer::pause(where); }

}  // namespace weft::tascell_runtime
