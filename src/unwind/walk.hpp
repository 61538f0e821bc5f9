// Backtraces of contexts that are not running, by the unwind tables that compilers put into every
// program (.eh_frame): the frames of functions without frame pointers, at any optimisation.
//
// Called by reports, on an OS thread of their own. Nothing is allocated and nothing can fault: all
// memory is read through a function that fails instead. A stack that is in use meanwhile, is gone,
// or was written over gives wrong or fewer frames, never more than most_frames. Each frame lies
// higher than the one that it called, so that no walk goes in circles.
//
// Not used instead: libgcc's unwinder walks the caller's own stack only, and faults on a bad one;
// frame pointers would cost a register in every function of every program.
#pragma once

#include <cstdint>

#include "arch/registers.hpp"
#include "unwind/memory.hpp"
#include "unwind/rules.hpp"

namespace weft::unwind {

inline constexpr unsigned most_frames = 32;

enum class ending : std::uint8_t {
  bottom,       // of the stack
  limit,        // there are more frames
  no_table,     // of code that has none, or that belongs to no module
  no_register,  // the next frame is found by a register that is not known here
  unreadable,   // the stack, or a table, is damaged or gone
};

struct backtrace {
  std::uintptr_t code[most_frames];  // innermost first: where it goes on
  std::uint32_t exact = 0;           // a bit for each: it was interrupted there; else a call or switch lies before it
  unsigned count = 0;
  ending why = ending::unreadable;

  bool is_exact(unsigned index) const { return (exact >> index & 1) != 0; }
};

// How the caller of a place in the code is found.
struct found_row {
  std::uintptr_t inside = 0;  // 0: nothing was found yet
  std::uint64_t return_register = 0;
  bool is_signal_frame = false;
  row rules;
};

// What walks have found in tables, for the next ones: many threads wait in the same places. Large.
// Good as long as no module is unloaded.
class known_rows {
 public:
  // Where the row for that place is, or belongs.
  found_row* slot(std::uintptr_t inside) { return &rows_[inside * 0x9e3779b97f4a7c15 >> 58]; }

 private:
  found_row rows_[64];
};

// The registers of a context that was saved by arch::switch_context, by its stack pointer. False:
// nothing to read there.
bool registers_of_context(memory* from, const void* stack_pointer, arch::registers* out, std::uintptr_t* code);

// known: null where there is no room for it.
void walk(memory* from, known_rows* known, const arch::registers& registers, std::uintptr_t code, backtrace* out);

struct frame {
  std::uintptr_t code;
  bool is_exact;
  std::uintptr_t stack_pointer;  // as of that place in the code
};

// Calls visit for one frame after the other, innermost first, until it returns false (limit).
ending walk_all(memory* from, const arch::registers& registers, std::uintptr_t code, bool (*visit)(void* state, const frame& one),
                void* state);

// Both.
void walk_context(read_function read, known_rows* known, const void* stack_pointer, backtrace* out);

}  // namespace weft::unwind
