// What another OS thread of this process is doing, as far as the kernel tells (/proc). For reports:
// everything here may be unknown, and is out of date when read. Callable from any OS thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::os {

struct thread_state {
  char letter = '?';                  // as in ps: R runs or could, S sleeps, D sleeps and cannot be interrupted, T stopped
  std::uint64_t cpu_ms = 0;           // CPU time used so far
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

// False also where the kernel does not tell.
bool blocks_signal(int thread_id, int signal);

// How often it gave its CPU up to wait: the same number twice means that it waited all the time in
// between. False also where the kernel does not tell.
bool read_waits(int thread_id, std::uint64_t* count);
// The calling OS thread's.
std::uint64_t own_waits();

// "futex", "read", ...; null: one that is not in our list.
const char* call_name(long number);

bool is_futex(long number);
// Whether it may sleep in that call for as long as something else takes. Of those in our list, all
// but the sleeps, and futexes, which other functions here tell apart.
bool may_sleep_for_ever(long number);
// By its number, its second and its fourth argument: a wait in a futex that only another OS thread
// ends.
bool is_endless_futex_wait(long number, std::uintptr_t operation, std::uintptr_t timeout);

// The kernel's id of the OS thread that holds a pthread mutex (so also a std::mutex) whose lock
// word is at `word`; 0: none, or that is no pthread mutex. Reads foreign memory without risk of a
// fault.
int owner_of_pthread_mutex(std::uintptr_t word);

}  // namespace weft::os
