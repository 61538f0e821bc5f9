// Carriers: the bottoms of stacks on which units start, run in one go, and end. park.hpp has the
// picture.
#pragma once

namespace weft::sched {

// The bottom of a carrier; runs units until the worker ends.
void carrier_entry(void* transfer, void* stack);

}  // namespace weft::sched
