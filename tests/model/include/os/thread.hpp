// The model's os/thread.hpp: giving the CPU away is a pause.
#pragma once

#include "explorer/execution.hpp"

namespace weft::os {

inline void yield_cpu(explorer::site where = explorer::site::current()) { explorer::pause(where); }

}  // namespace weft::os
