// Prints an execution step by step: which thread did what to which location, from which line of
// which header, under which tag.
#pragma once

#include "explorer/execution.hpp"

namespace explorer {

void print_schedule(const report& what);

}  // namespace explorer
