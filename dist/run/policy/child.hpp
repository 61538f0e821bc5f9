// What the policies share in which forkers go on: `child` and `run-to-completion`.
#pragma once

#include "dist/rank/rank.hpp"

namespace weft::dist {

// A fork that this rank has taken, from whichever rank.
struct taken_fork {
  weft_forked what;
  join_record* record;
  int victim;
  // For the trace: the thread of the victim, or 0, and times of the CPU's counter.
  std::uint64_t maker;
  std::uint64_t began, was_claimed;
};

namespace child_stealing {

std::size_t no_bytes(std::size_t stack_bytes);
void start(control* mine, std::byte* more);
weft_forked* fork(control* mine, run_function run, const void* work, std::size_t bytes);
// The first part of a join. True: the caller runs the fork.
bool take_back(control* mine, weft_forked* forked);
// The last part.
bool end_join(weft_forked* forked);
// False: the forker must run it, and this counts it.
bool may_take(const weft_forked& place);
// The oldest fork of another rank of this node.
bool take(control* mine, int victim, taken_fork* out);
taken_fork taken_of(int victim, const offer& claimed);
void count(control* mine, const taken_fork& taken);
// A thread that runs it, on an empty region.
void begin(control* mine, const taken_fork& taken);
void end_root(control* mine);

}  // namespace child_stealing
}  // namespace weft::dist
