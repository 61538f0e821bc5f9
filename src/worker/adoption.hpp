// The record of an OS thread that became a worker: adopted.hpp.
#pragma once

#include <cstdint>

#include "mem/stack.hpp"
#include "os/thread.hpp"
#include "unit/unit.hpp"

namespace weft::sched {

// From the adoption to the leave; the OS thread itself writes.
struct adopted {
  mem::stack stack;  // the OS thread's own; first, so that a header leads here
  unit* caller;
  std::uintptr_t os_caller;  // its pthread_t: sync/caller.hpp
  int os_thread_id;
  unsigned worker;    // its index
  bool is_bound;      // to the worker's CPU
  os::cpu_mask mask;  // as it came, while it is bound
};

// Of a unit that is_adopted.
inline const adopted* adoption_of(const unit* one) { return static_cast<const adopted*>(one->argument); }
// stack: an OS thread's.
inline const adopted* adoption_of(const mem::stack* stack) { return reinterpret_cast<const adopted*>(stack); }

// Whether a worker stands on an OS thread's own stack; stack: where it stands.
inline bool is_os_threads(const mem::stack* stack) { return stack == nullptr || stack->is_os_threads(); }

}  // namespace weft::sched
