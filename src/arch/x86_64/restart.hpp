// See arch/restart.hpp. The layout of the descriptor and the signature before the landing place are
// the kernel's (linux/rseq.h).
//
// "?": the two sections belong to the group of the function that this is inlined into. Where the
// linker drops a second copy of an inline function, it then drops what these sections say about it,
// too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::arch {

inline constexpr bool has_restartable_store = true;

// NOLINTNEXTLINE(readability-identifier-naming): these are values
template <std::uint32_t expected, std::uint32_t wanted>
[[gnu::always_inline]] inline bool replace_restartably(std::uint32_t* word, std::ptrdiff_t area) {
  asm goto volatile(
      ".pushsection __rseq_cs, \"aw?\"\n\t"
      ".balign 32\n"
      "1:\n\t"
      ".long 0, 0\n\t"
      ".quad 2f, 3f - 2f, 4f\n\t"
      ".popsection\n\t"
      ".pushsection __rseq_failure, \"ax?\"\n\t"
      ".byte 0x0f, 0xb9, 0x3d\n\t"  // makes the signature an operand of an undefined instruction
      ".long 0x53053053\n"
      "4:\n\t"
      "jmp %l[left]\n\t"
      ".popsection\n\t"
      "leaq 1b(%%rip), %%rax\n\t"
      "movq %%rax, %%fs:(%[area])\n"
      "2:\n\t"
      "cmpl %[expected], (%[word])\n\t"
      "jne %l[left]\n\t"
      "movl %[wanted], (%[word])\n"
      "3:\n\t"
      "movq $0, %%fs:(%[area])"
      :
      : [word] "r"(word), [area] "r"(area), [expected] "i"(expected), [wanted] "i"(wanted)
      : "rax", "cc", "memory"
      : left);
  return true;
left:
  asm volatile("movq $0, %%fs:(%0)" : : "r"(area) : "memory");  // the library may be unloaded before the kernel looks
  return false;
}

}  // namespace weft::arch
