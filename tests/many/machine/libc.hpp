// What the parts that stand in for the C library share.
#pragma once

#include <ctime>

#include "machine/machine.hpp"

namespace many {

picoseconds time_of(const timespec* time);
// The price of a system call, for which stores must have drained.
void enter_kernel();
// As gettid() gives it: the same in each run.
long own_thread_id();

}  // namespace many
