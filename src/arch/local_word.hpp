// One word for each OS thread, read in a way that the compiler cannot move across a switch: gcc
// keeps the address of a thread-local in a register, which after a switch may be another OS
// thread's.
#pragma once

extern "C" {
// In the initial-exec model: the library is loaded at start, and the access is one instruction
// without a call.
extern thread_local void* weft_local_word __attribute__((visibility("hidden"), tls_model("initial-exec")));
}

namespace weft::arch {

inline void* local_word() {
  void* word;
#if defined(__x86_64__)
  asm volatile(
      "movq weft_local_word@gottpoff(%%rip), %0\n\t"
      "movq %%fs:(%0), %0"
      : "=r"(word));
#else
  asm volatile(
      "adrp %0, :gottprel:weft_local_word\n\t"
      "ldr %0, [%0, #:gottprel_lo12:weft_local_word]\n\t"
      "mrs x16, tpidr_el0\n\t"
      "ldr %0, [x16, %0]"
      : "=r"(word)
      :
      : "x16");
#endif
  return word;
}

[[gnu::noinline]] void set_local_word(void* word);

}  // namespace weft::arch
