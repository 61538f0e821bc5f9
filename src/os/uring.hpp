// Whether this process may use io_uring: containers and kernel.io_uring_disabled often forbid it.
#pragma once

namespace weft::os {

// Sets one up and closes it again. Callable from any OS thread.
bool can_use_io_uring();

}  // namespace weft::os
