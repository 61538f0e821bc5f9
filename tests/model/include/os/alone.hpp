// The model's os/alone.hpp: there are always others.
#pragma once

namespace weft::os {

inline bool is_alone() { return false; }

}  // namespace weft::os
