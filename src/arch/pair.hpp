// One side of a body and its resumer (life/pair.hpp) while it is suspended, and the switch from one
// side to the other. pair.S of x86-64 does the same for code that is inlined into programs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/context.hpp"

namespace weft::arch {

#if defined(__x86_64__)

// Nothing is pushed: beneath the stack pointer may lie the red zone of the program's function.
struct pair_side {
  void* sp;
  void* rbp;
  void* rbx;
  const void* pc;

  // As a fresh context on a stack that ends at `top`, aligned to 16.
  void start(void* top, entry_function entry, void* argument) {
    sp = top;
    rbp = argument;
    rbx = reinterpret_cast<void*>(entry);
    pc = reinterpret_cast<const void*>(&weft_context_entry);
  }
};
static_assert(offsetof(pair_side, rbp) == 8 && offsetof(pair_side, rbx) == 16 && offsetof(pair_side, pc) == 24);

// both: what the two sides share, which the other one finds in rdi.
[[gnu::always_inline]] inline void switch_sides(void* both, pair_side* here, const pair_side* to) {
  asm volatile(
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rsp, (%%rdx)\n\t"
      "movq %%rbp, 8(%%rdx)\n\t"
      "movq %%rbx, 16(%%rdx)\n\t"
      "movq %%rax, 24(%%rdx)\n\t"
      "movq (%%rsi), %%rsp\n\t"
      "movq 8(%%rsi), %%rbp\n\t"
      "movq 16(%%rsi), %%rbx\n\t"
      "jmpq *24(%%rsi)\n"
      "1:"
      : "+D"(both), "+d"(here), "+S"(to)
      :
      : "rax", "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
        "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}

#else

struct pair_side {
  void* sp;
  void* unused[3];

  // As a fresh context on a stack that ends at `top`, aligned to 16.
  void start(void* top, entry_function entry, void* argument) { sp = make_context(top, entry, argument); }
};

// As above.
[[gnu::always_inline]] inline void switch_sides(void*, pair_side* here, const pair_side* to) {
  switch_context(&here->sp, to->sp, nullptr);
}

#endif

}  // namespace weft::arch
