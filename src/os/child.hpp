// Child processes that are forks of this one, and their ends. Called from the one OS thread that
// makes and waits for the children; a child's parent is that OS thread, so it must outlive them.
#pragma once

#include <signal.h>

#include <cstdint>

namespace weft::os {

// fork(2). 0 in the child; less than 0: refused, errno says why.
int fork_child();

// In a child: the kernel kills it (SIGKILL) when its parent ends, however it ends. False: the
// parent has ended already, or the kernel refuses.
bool die_with_parent(int parent);

// Takes one that has ended.
bool has_children();

// From now on a process whose parent ends, and that descends from this process, becomes its child.
// Where the kernel has no such thing (qemu's user mode), none does. False: refused.
bool adopt_orphans();

// SIGKILL to all children, of many to the first few hundred. How many there were; 0 also where the
// kernel lists none.
int kill_children();

// How a child ended.
struct child_end {
  int process = 0;
  int exit_status = 0;  // of exit(), when signal is 0
  int signal = 0;       // that killed it
};

// A child that has ended and was not told yet; false: there is none now.
bool take_ended_child(child_end* out);

// Waits for one of these signals, which the OS thread has blocked. The signal, or 0 after
// timeout_ns (UINT64_MAX: no limit) or for no reason. *is_from_terminal: the kernel sent it to the
// whole foreground process group.
int wait_for_signal(const sigset_t* signals, std::uint64_t timeout_ns, bool* is_from_terminal);

// SIGKILL and the like, to a child that take_ended_child has not told yet.
void send_to_child(int process, int signal);

// Replaces standard input by an empty file. False: refused.
bool close_standard_input();

}  // namespace weft::os
