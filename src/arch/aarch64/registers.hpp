// DWARF's numbers of registers: DWARF for the Arm 64-bit Architecture (AADWARF64), section 4.1.
#pragma once

#include <cstdint>

namespace weft::arch {

namespace dwarf {
inline constexpr unsigned count = 32;     // x0 to x30, sp; those of vectors are not followed
inline constexpr unsigned entry = 19;     // x19
inline constexpr unsigned argument = 29;  // x29
inline constexpr unsigned stack_pointer = 31;
}  // namespace dwarf

// A return address as it lies on the stack, without the CPU's signature (pointer authentication).
// Cores that make none take the instruction for a hint and do nothing.
inline std::uintptr_t plain_code(std::uintptr_t saved) {
  register std::uintptr_t code asm("x30") = saved;
  asm("hint #7" : "+r"(code));  // xpaclri
  return code;
}

}  // namespace weft::arch
