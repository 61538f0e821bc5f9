// The context switch: its contract, and the choice of the CPU's file.
//
// A suspended context is one word, its stack pointer; the rest lies on its stack, lowest address
// first:
//
//      x86-64                           aarch64
//      sp -> | resume address |         sp -> | resume address |
//            | rbx            |               | x29            |
//            | rbp            |               | x19            |
//                                             | (padding)      |
//
// Every other register is declared clobbered, so that the compiler spills only what is live at the
// call. The resume address lies where the compiler's own unwind tables are right: a debugger that
// loads pc, the two registers and sp + layout::frame_bytes unwinds a suspended context like a
// running one. The resuming side ends in an indirect jump, never in a return: a return to another
// stack is always mispredicted.
//
// transfer passes through: what one side gives is what the side that it resumes gets.
//
// FP control words (MXCSR, x87; FPCR) are not part of a context: save_fp_control/load_fp_control
// are for callers that ask for that.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include "arch/x86_64/context.hpp"
#elif defined(__aarch64__)
#include "arch/aarch64/context.hpp"
#else
#error "Weft runs on x86-64 and aarch64"
#endif

namespace weft::arch {

// Runs on a fresh context; must not return.
using entry_function = void (*)(void* transfer, void* argument);

// Lays a first frame below `top` (aligned to 16) such that switching to the returned stack pointer
// calls entry(transfer, argument).
inline void* make_context(void* top, entry_function entry, void* argument) {
  auto* frame = static_cast<std::uintptr_t*>(top) - layout::frame_bytes / sizeof(std::uintptr_t);
  frame[0] = reinterpret_cast<std::uintptr_t>(&weft_context_entry);
  frame[layout::entry_slot] = reinterpret_cast<std::uintptr_t>(entry);
  frame[layout::argument_slot] = reinterpret_cast<std::uintptr_t>(argument);
  return frame;
}

#if !defined(__x86_64__)
// As switch_context to the context that make_context makes.
[[gnu::always_inline]] inline void* start_context(void** save, void* top, entry_function entry, void* transfer, void* argument) {
  return switch_context(save, make_context(top, entry, argument), transfer);
}
#endif

}  // namespace weft::arch
