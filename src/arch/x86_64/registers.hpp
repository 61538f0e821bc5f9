// DWARF's numbers of registers: System V ABI, AMD64 supplement, figure 3.36.
#pragma once

#include <cstdint>

namespace weft::arch {

namespace dwarf {
inline constexpr unsigned count = 17;    // rax to r15, and one for the return address
inline constexpr unsigned entry = 3;     // rbx
inline constexpr unsigned argument = 6;  // rbp
inline constexpr unsigned stack_pointer = 7;
}  // namespace dwarf

// A return address as it lies on the stack, without what the CPU adds to it.
inline std::uintptr_t plain_code(std::uintptr_t saved) { return saved; }

}  // namespace weft::arch
