// The switch between contexts that programs resume by themselves (user_context.S of each CPU), and
// the frame that it leaves. Unlike the switch between units (context.hpp) it is a function, called
// from the program's own code, and saves what a callee keeps for its caller.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/context.hpp"

namespace weft::arch::user_frame {

inline constexpr std::size_t record_bytes = 32;  // at its low end; padding follows
#if defined(__x86_64__)
inline constexpr std::size_t words = 12;
inline constexpr std::size_t entry_slot = 9;      // rbx
inline constexpr std::size_t argument_slot = 10;  // rbp
inline constexpr std::size_t pc_slot = 11;
#else
inline constexpr std::size_t words = 26;
inline constexpr std::size_t entry_slot = 6;      // x19
inline constexpr std::size_t argument_slot = 16;  // x29
inline constexpr std::size_t pc_slot = 17;        // x30
#endif

// Lays a first frame beneath `top` (aligned to 16): a switch to it calls entry(what switched there,
// argument, what that passed). Returns where the record of it belongs.
inline void* make(void* top, void (*entry)(void* from, void* argument, void* passed), void* argument) {
  auto* const frame = static_cast<std::uintptr_t*>(top) - words;
  for (std::size_t index = 0; index < words; ++index) frame[index] = 0;
  frame[entry_slot] = reinterpret_cast<std::uintptr_t>(entry);
  frame[argument_slot] = reinterpret_cast<std::uintptr_t>(argument);
  frame[pc_slot] = reinterpret_cast<std::uintptr_t>(&weft_context_entry);
  return frame;
}

}  // namespace weft::arch::user_frame
