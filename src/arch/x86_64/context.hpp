// The switch on x86-64; arch/context.hpp has the contract and the picture.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/syscall.h>
#include <unistd.h>

extern "C" void weft_context_entry();  // switch.S
extern "C" void weft_context_end();    // likewise

namespace weft::arch {

namespace layout {
inline constexpr std::size_t frame_bytes = 3 * 8;
inline constexpr std::size_t entry_slot = 1;     // rbx
inline constexpr std::size_t argument_slot = 2;  // rbp
// as debuggers call them
inline constexpr char pc_register[] = "rip";
inline constexpr char entry_register[] = "rbx";
inline constexpr char argument_register[] = "rbp";
}  // namespace layout

#ifdef __AVX512F__
#define WEFT_VECTOR_CLOBBERS                                                                                                    \
  "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", \
      "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
#else
#define WEFT_VECTOR_CLOBBERS
#endif

// Pushes below the compiler's own frame: for code that is compiled without a red zone
// (cmake/layer.cmake).
[[gnu::always_inline]] inline void* switch_context(void** save, void* target, void* transfer) {
  asm volatile(
      "pushq %%rbp\n\t"
      "pushq %%rbx\n\t"
      "leaq 1f(%%rip), %%rcx\n\t"
      "pushq %%rcx\n\t"
      "movq %%rsp, (%%rdi)\n\t"
      "movq %%rsi, %%rsp\n\t"
      "popq %%rcx\n\t"
      "popq %%rbx\n\t"
      "popq %%rbp\n\t"
      "jmpq *%%rcx\n"
      "1:"
      : "+a"(transfer), "+D"(save), "+S"(target)
      :
      : WEFT_VECTOR_CLOBBERS "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3",
        "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
  return transfer;
}

// The registers that a callee keeps for its caller hold nothing of the caller's afterwards.
[[gnu::always_inline]] inline void clear_kept_registers() {
  asm volatile(
      "xorl %%ebx, %%ebx\n\t"
      "xorl %%r12d, %%r12d\n\t"
      "xorl %%r13d, %%r13d\n\t"
      "xorl %%r14d, %%r14d\n\t"
      "xorl %%r15d, %%r15d"
      :
      :
      : "rbx", "r12", "r13", "r14", "r15", "cc");
}

// As switch_context to the context that make_context makes, in fewer instructions.
[[gnu::always_inline]] inline void* start_context(void** save, void* top, void (*entry)(void*, void*), void* transfer,
                                                  void* argument) {
  register auto r8 asm("r8") = entry;
  void* result = save;
  asm volatile(
      "pushq %%rbp\n\t"
      "pushq %%rbx\n\t"
      "leaq 1f(%%rip), %%rcx\n\t"
      "pushq %%rcx\n\t"
      "movq %%rsp, (%%rax)\n\t"
      "movq %%rdx, %%rsp\n\t"
      "leaq weft_context_end(%%rip), %%rcx\n\t"
      "pushq %%rcx\n\t"
      "xorl %%ebp, %%ebp\n\t"
      "jmpq *%%r8\n"
      "1:"
      : "+a"(result), "+d"(top), "+D"(transfer), "+S"(argument), "+r"(r8)
      :
      : WEFT_VECTOR_CLOBBERS "rcx", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
        "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
  return result;
}

// Saves the caller here, as switch_context does, and calls function(first, second) below it on the
// same stack. It returns when the call returns, or when another context switches to what was saved:
// then the call never returns here. The callee keeps the registers that belong to its caller, so
// only the side that comes by a switch loads them.
[[gnu::always_inline]] inline void call_below(void** save, void (*function)(void*, void*), void* first, void* second) {
  register auto r8 asm("r8") = function;
  asm volatile(
      "pushq %%r15\n\t"
      "pushq %%r14\n\t"
      "pushq %%r13\n\t"
      "pushq %%r12\n\t"
      "pushq %%rbp\n\t"
      "pushq %%rbx\n\t"
      "leaq 2f(%%rip), %%rcx\n\t"
      "pushq %%rcx\n\t"
      "movq %%rsp, (%%rax)\n\t"
      "movq %%rsp, %%rbx\n\t"
      "andq $-16, %%rsp\n\t"
      "callq *%%r8\n\t"
      "leaq 56(%%rbx), %%rsp\n\t"
      "movq 8(%%rbx), %%rbx\n"
      "1:\n\t"
      ".pushsection .text.unlikely, \"ax?\"\n"
      "2:\n\t"
      "popq %%r12\n\t"
      "popq %%r13\n\t"
      "popq %%r14\n\t"
      "popq %%r15\n\t"
      "jmp 1b\n\t"
      ".popsection"
      : "+a"(save), "+D"(first), "+S"(second), "+r"(r8)
      :
      : WEFT_VECTOR_CLOBBERS "rcx", "rdx", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
        "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}
#undef WEFT_VECTOR_CLOBBERS

// As switch_context for a context that will not be resumed.
[[noreturn, gnu::always_inline]] inline void jump_context(void* target, void* transfer) {
  asm volatile(
      "movq %%rsi, %%rsp\n\t"
      "popq %%rcx\n\t"
      "popq %%rbx\n\t"
      "popq %%rbp\n\t"
      "jmpq *%%rcx"
      :
      : "a"(transfer), "S"(target)
      : "memory");
  __builtin_unreachable();
}

// Whether the calling OS thread has a shadow stack (CET), which a switch that ends in a jump would
// leave behind.
inline bool has_shadow_stack() {
  constexpr int shadow_stack_status = 0x5005;  // ARCH_SHSTK_STATUS; headers older than Linux 6.6 lack it
  unsigned long features = 0;
  return syscall(SYS_arch_prctl, shadow_stack_status, &features) == 0 && (features & 1) != 0;
}

// Whether the calling OS thread runs code of -fsplit-stack, which compares the stack pointer with a
// limit that libgcc keeps for it beside the thread pointer: on another stack it goes astray.
inline bool has_split_stack() {
  std::uintptr_t limit;
  asm("movq %%fs:0x70, %0" : "=r"(limit));
  return limit != 0;
}

struct fp_control {
  std::uint32_t mxcsr;
  std::uint16_t x87;
};

inline fp_control save_fp_control() {
  fp_control words;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(words.mxcsr), "=m"(words.x87));
  return words;
}

inline void load_fp_control(const fp_control& words) {
  asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(words.mxcsr), "m"(words.x87));
}

}  // namespace weft::arch
