// Where a stack overflowed: read from the registers of the fault and from the unwind tables, in the
// handler of the signal. Memory is read without faulting, nothing is allocated, and no lock is
// taken but the dynamic linker's.
#pragma once

#include <cstdint>

#include "mem/stack.hpp"
#include "see/report.hpp"

namespace weft::sched {

struct worker;

struct overflow_place {
  std::uintptr_t stack_pointer = 0;  // 0: no registers are known
  std::uintptr_t code = 0;           // at the fault
  std::uintptr_t own_call = 0;       // behind the program's own call of the library at fault; 0: none was found
  bool is_in_program = false;        // the fault is
  bool comes_from_stack = false;     // a frame of those that lead to the fault lies on the stack
  bool is_walk_cut = false;          // tables, or a way to read memory, are missing
  bool is_in_fork = false;           // that runs on its forker's stack
};

// w: null in a blocking region. context: the third argument of a signal handler, or null.
void find_overflow_place(const worker* w, const mem::stack* stack, const void* context, overflow_place* out);

// Module, function and line of the fault, and the program's call that led there: a line's end, with
// nothing if the place is unknown.
void tell_overflow_place(text& out, const overflow_place& where);

}  // namespace weft::sched
