// The model's os/clock.hpp: time stands still.
#pragma once

#include <cstdint>

namespace weft::os {

inline std::uint64_t now_ns() { return 1; }
inline std::uint64_t coarse_ns() { return 1; }

}  // namespace weft::os
