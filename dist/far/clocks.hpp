// Clocks of several nodes, for a trace. The first rank of each node asks rank 0 for its time, some
// times in a row: at the start, now and then at the end of a root, and at the job's end, where all
// ranks take part in that. Rank 0 reads its clock between the question and the arrival of the
// answer. So that time, taken for the middle of the two, is at most half of the round trip off; the
// shortest round trip counts. Clocks are taken to run evenly, each at its own rate, between the
// first moment and the last: so no time between the two is further off.
#pragma once

#include <cstdint>

#include "dist/words/clock_readings.hpp"

namespace weft::dist {

// Collective, in a job of several nodes, between threads: adds a reading of this rank, if it is the
// first of its node, and they are old or is_last. time: reads its clock; never 0, and later each
// time.
void read_clocks(std::uint64_t (*time)(), bool is_last, clock_readings* mine);

}  // namespace weft::dist
