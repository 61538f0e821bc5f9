// The OS threads of this process as the kernel sees them (/proc/self/task): which of them could
// still do something. For reports; callable from any OS thread, not from a signal handler. Needs
// some 5 KiB of stack.
#pragma once

#include <cstdint>

namespace weft::os {

struct task {
  int id = 0;
  bool is_asleep = false;         // waits in the kernel, interruptibly
  bool waits_for_others = false;  // ... in a futex wait without deadline: only another OS thread ends that
  bool is_onlooker = false;       // ours, and neither worker nor program: it only looks
  bool has_ended = false;         // as the first one stays there after pthread_exit
  std::uint64_t switches = 0;     // how often it left a CPU: the same number twice means that it did not run in between
};

// Calls each(state, task) for every one of them. False: the system does not tell.
bool walk_tasks(void (*each)(void* state, const task& one), void* state);

}  // namespace weft::os
