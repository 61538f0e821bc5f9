// What "as many workers as the machine offers" means to runtimes that do not say it themselves.
#pragma once

#include <algorithm>

#include "harness/machine.hpp"

namespace bench {

inline unsigned usable_processors() { return std::max(1U, read_machine().processors_usable); }

}  // namespace bench
