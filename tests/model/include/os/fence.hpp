// The model's os/fence.hpp.
#pragma once

#include "explorer/execution.hpp"

namespace weft::os {

inline bool register_asymmetric_fence() { return true; }
inline void heavy_fence(explorer::site where = explorer::site::current()) { explorer::heavy_fence(where); }
inline void heavy_fence_between_processes(explorer::site where = explorer::site::current()) { explorer::heavy_fence(where); }

}  // namespace weft::os
