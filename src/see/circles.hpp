// Circles of units that wait for each other: for the end of the next one, or for a mutex that the
// next one holds, all without a deadline. None of them can ever go on, whatever other units and OS
// threads do.
//
// Looked for by the watchdog, or, in a runtime that has none, by the last worker that goes to
// sleep; and by the report of a deadlock. What is read of many units one after the other is no
// moment in time. So a circle is told when two looks have found it with the same waits: then all of
// these lasted from the end of the first look to the begin of the second.
#pragma once

#include <cstdint>

#include "see/report.hpp"
#include "worker/hooks.hpp"
#include "worker/stillness.hpp"

namespace weft::sched {

class known_stacks;

// Looks if it is time to, and tells what is new. Looks more seldom where many units live.
void look_for_circles(runtime* rt, circles_seen* known, std::uint64_t now_ns);

// One line for each circle: "  circle: thread 2 (a) -> mutex at 0x10 -> thread 3 (b) -> ...".
void write_circles(runtime* rt, text& out, const known_stacks& stacks, const char* margin, names how);

}  // namespace weft::sched
