// ABT_info_trigger_print_all_thread_stacks: all streams stop at their next look at events, and one prints the stacks of the units in
// their pools.
#pragma once

#include <atomic>
#include <cstdio>

#include <weft/weft.h>

namespace weft::abt {

struct stream;

enum class dump_state : int { none, being_asked_for, wanted, printed };
extern std::atomic<dump_state> dump;

inline bool is_dump_wanted() { return dump.load(std::memory_order_relaxed) == dump_state::wanted; }
// By a stream's scheduler.
void take_part_in_dump();
// With the runtime: what wakes sleeping streams when a signal handler asked.
void start_dumps();

// info_print.cpp
void print_stack(std::FILE* to, weft_thread* thread);
void print_stacks_of_all_streams(std::FILE* to);  // inside the runtime's lock

}  // namespace weft::abt
