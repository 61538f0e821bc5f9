#pragma once

namespace weft::arch::valgrind {

struct words {
  unsigned long of[6];  // number, arguments
};

// The answer; 0 without Valgrind. The rotations add up to 128 bits: %rdi is as before.
inline unsigned long request(const words& asked) {
  unsigned long answer = 0;
  asm volatile(
      "rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
      "xchgq %%rbx, %%rbx"
      : "+d"(answer)
      : "a"(&asked)
      : "cc", "memory");
  return answer;
}

}  // namespace weft::arch::valgrind
