// Data races on plain fields. Model files are compiled with -fsanitize=thread but linked without
// its library: the calls that the compiler puts before every plain access come here, so that the
// fields of shipping headers need no wrapper. Two accesses to the same byte by different threads,
// one of them a write, neither before the other by happens-before, fail the execution.
#pragma once

namespace explorer {

void reset_races();

}  // namespace explorer
