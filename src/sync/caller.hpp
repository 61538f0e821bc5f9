// Which unit or OS thread is calling.
#pragma once

#include <cstdint>

namespace weft::sync {

// The same number for the same ULT or tasklet, or the same OS thread outside; never 0. Another one
// may have it after its end. The adopted caller of weft_init, or of weft_worker_adopt, has the
// number that its OS thread has outside: what it locked before it may unlock after. In a blocking
// region a ULT keeps its number.
std::uintptr_t caller_id();

// The number of the owner of what an awaiter was handed: any caller may give it back.
inline constexpr std::uintptr_t no_thread = 1;

// Whether others with the caller's number may be running: forks, and their forker.
bool caller_may_be_several();

// Both, for what asks both.
struct caller {
  std::uintptr_t id;
  bool may_be_several;
};
caller who_calls();

// Whether another caller can be running while the caller is: only then does it make sense to spin.
bool others_may_run();

}  // namespace weft::sync
