// The model's os/restart.hpp: restartable stores are not in use.
#pragma once

#include <cstddef>

namespace weft::os {

inline bool enable_restartable_stores(bool) { return false; }
inline std::ptrdiff_t restart_area() { return 0; }
inline bool needs_restart_fence() { return false; }
inline void restart_fence() {}

}  // namespace weft::os
