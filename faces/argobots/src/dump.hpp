// ABT_info_trigger_print_all_thread_stacks: all streams stop at their next look at events, and one
// prints the stacks of the units in their pools.
#pragma once

#include <cstdint>
#include <cstdio>

#include <weft/weft.h>
#include <weft_abt/atomic.hpp>

namespace weft::abt {

struct stream;

// One word: the state, and above it how many streams have stopped for the dump. They come while it
// is wanted, and no later.
enum dump_word : std::uint32_t {
  no_dump = 0,
  being_asked_for = 1,
  dump_wanted = 2,
  dump_printed = 3,
  dump_state = 3,
  one_stream = 4
};
extern atomic<std::uint32_t> dump;

inline bool is_dump_wanted() { return (dump.load(std::memory_order_relaxed) & dump_state) == dump_wanted; }
// By a stream's scheduler.
void take_part_in_dump();
// With the runtime: what wakes sleeping streams when a signal handler asked. An ABT_ code.
int start_dumps();
void end_dumps();

// info_print.cpp
void print_stack(std::FILE* to, weft_thread* thread);
void print_stacks_of_all_streams(std::FILE* to);  // inside the runtime's lock

}  // namespace weft::abt
