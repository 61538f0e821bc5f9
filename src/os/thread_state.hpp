// What another OS thread of this process is doing, as far as the kernel tells (/proc). For reports:
// everything here may be unknown, and is out of date when read. Callable from any OS thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::os {

// What /proc/self/task/N/syscall says of the OS thread.
enum class kernel_place : std::uint8_t {
  untold,   // the system has no such file, or does not let it be read
  none,     // it is on a CPU, or about to be
  call,     // it is asleep in a system call
  no_call,  // it is asleep in the kernel for another reason, such as a page that must be read
};

struct thread_state {
  char letter = '?';         // as in ps: R runs or could, S sleeps, D sleeps and cannot be interrupted, T stopped
  std::uint64_t cpu_ms = 0;  // CPU time used so far
  kernel_place place = kernel_place::untold;
  long call = -1;                     // the number of the system call that it sleeps in; -1: none, or unknown
  std::uintptr_t first_argument = 0;  // of that call
  std::uintptr_t third_argument = 0;
  bool waits_for_others = false;  // in a futex wait without deadline, which a signal does not end
  // While it is not on a CPU, and the kernel tells: where it goes on, outside the kernel. 0: it
  // runs, or that is unknown.
  std::uintptr_t code = 0;
  std::uintptr_t stack_pointer = 0;
};

// False: no such OS thread, or no /proc.
bool read_thread_state(int thread_id, thread_state* out);

// What the line of /proc/self/task/N/syscall says, into the fields from `place` on; a line in
// another form says nothing. "running"; "number argument argument argument argument argument
// argument stack-pointer code"; or, outside of calls, "-1 stack-pointer code".
void read_call(const char* line, thread_state* out);

// The function of the kernel in which it sleeps, such as "pipe_read", which other kernels may call
// otherwise. False: it does not sleep, or the system does not tell.
bool read_wait_channel(int thread_id, char* out, std::size_t capacity);

// False also where the kernel does not tell.
bool blocks_signal(int thread_id, int signal);

// How often it gave its CPU up to wait: the same number twice means that it waited all the time in
// between. False also where the kernel does not tell.
bool read_waits(int thread_id, std::uint64_t* count);
// The calling OS thread's.
std::uint64_t own_waits();

// The kernel's id of the OS thread that holds a pthread mutex (so also a std::mutex) whose lock
// word is at `word`; 0: none, or that is no pthread mutex. Reads foreign memory without risk of a
// fault.
int owner_of_pthread_mutex(std::uintptr_t word);

}  // namespace weft::os
