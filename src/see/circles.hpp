// What is said of circles of units that wait for each other (circle_search.hpp). None of them can
// ever go on, whatever other units and OS threads do.
//
// Looked for by the watchdog, or, in a runtime that has none, by the last worker that goes to
// sleep; and by the report of a deadlock.
#pragma once

#include "see/report.hpp"
#include "worker/hooks.hpp"

namespace weft::sched {

class circle_search;

struct circles_seen {
  bool has_more;  // there is more to do soon
  bool has_told;
};

// One step of the search; tells what it has confirmed.
circles_seen look_for_circles(runtime* rt, circle_search* search);

// One line for each circle: "  circle: thread 2 (a) -> mutex at 0x10 -> thread 3 (b) -> ...".
void write_circles(runtime* rt, text& out, const char* margin, names how);

}  // namespace weft::sched
