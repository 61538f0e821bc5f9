// ABT_info_trigger_print_all_thread_stacks: all streams stop at their next look at events, one prints the stacks of all units in their
// pools.
#pragma once

namespace weft::abt {

struct stream;

bool is_dump_wanted();
// By a stream's scheduler.
void take_part_in_dump(stream* here);

}  // namespace weft::abt
