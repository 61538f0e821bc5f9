// The model's os/restart.hpp: restartable stores are not in use, but in models that ask for them
// before they include anything; those bring src/os/restart.cpp along.
#pragma once

#ifdef MODEL_WITH_RESTARTS

#include_next "os/restart.hpp"

#else

#include <cstddef>

namespace weft::os {

inline bool enable_restartable_stores(bool) { return false; }
inline std::ptrdiff_t restart_area() { return 0; }
inline bool needs_restart_fence() { return false; }
inline void restart_fence() {}

}  // namespace weft::os

#endif
