// The process: its children.
#pragma once

#include "base/status.hpp"

namespace weft::os {

// From now on every child that fork(2) makes calls function() before fork returns there; not one of vfork, posix_spawn or _Fork. For the
// process's life, or as long as this library is loaded. Errors: nomem.
status call_in_children(void (*function)());

}  // namespace weft::os
