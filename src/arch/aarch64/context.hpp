// The switch on aarch64; arch/context.hpp has the contract and the picture.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" void weft_context_entry();  // switch.S

namespace weft::arch {

namespace layout {
inline constexpr std::size_t frame_bytes = 4 * 8;
inline constexpr std::size_t argument_slot = 1;  // x29
inline constexpr std::size_t entry_slot = 2;     // x19
// as debuggers call them
inline constexpr char pc_register[] = "pc";
inline constexpr char entry_register[] = "x19";
inline constexpr char argument_register[] = "x29";
}  // namespace layout

[[gnu::always_inline]] inline void* switch_context(void** save, void* target, void* transfer) {
  register void* x0 asm("x0") = transfer;
  register void** x1 asm("x1") = save;
  register void* x2 asm("x2") = target;
  asm volatile(
      "sub sp, sp, #32\n\t"
      "adr x9, 1f\n\t"
      "stp x9, x29, [sp]\n\t"
      "str x19, [sp, #16]\n\t"
      "mov x10, sp\n\t"
      "str x10, [x1]\n\t"
      "mov sp, x2\n\t"
      "ldp x9, x29, [sp]\n\t"
      "ldr x19, [sp, #16]\n\t"
      "add sp, sp, #32\n\t"
      "br x9\n"
      "1:"
      : "+r"(x0), "+r"(x1), "+r"(x2)
      :
      : "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x20", "x21",
        "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",
        "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27",
        "v28", "v29", "v30", "v31", "memory", "cc");
  return x0;
}

// As switch_context for a context that will not be resumed.
[[noreturn, gnu::always_inline]] inline void jump_context(void* target, void* transfer) {
  register void* x0 asm("x0") = transfer;
  register void* x2 asm("x2") = target;
  asm volatile(
      "mov sp, x2\n\t"
      "ldp x9, x29, [sp]\n\t"
      "ldr x19, [sp, #16]\n\t"
      "add sp, sp, #32\n\t"
      "br x9"
      :
      : "r"(x0), "r"(x2)
      : "memory");
  __builtin_unreachable();
}

// The registers that a callee keeps for its caller hold nothing of the caller's afterwards.
[[gnu::always_inline]] inline void clear_kept_registers() {
  asm volatile(
      "mov x20, #0\n\t"
      "mov x21, #0\n\t"
      "mov x22, #0\n\t"
      "mov x23, #0\n\t"
      "mov x24, #0\n\t"
      "mov x25, #0\n\t"
      "mov x26, #0\n\t"
      "mov x27, #0\n\t"
      "mov x28, #0"
      :
      :
      : "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28");
}

// Saves the caller here, as switch_context does, and calls function(first, second) below it on the
// same stack. It returns when the call returns, or when another context switches to what was saved:
// then the call never returns here.
[[gnu::always_inline]] inline void call_below(void** save, void (*function)(void*, void*), void* first, void* second) {
  register void* x0 asm("x0") = first;
  register void* x1 asm("x1") = second;
  register void** x2 asm("x2") = save;
  register auto x3 asm("x3") = function;
  asm volatile(
      "sub sp, sp, #32\n\t"
      "adr x9, 1f\n\t"
      "stp x9, x29, [sp]\n\t"
      "str x19, [sp, #16]\n\t"
      "mov x10, sp\n\t"
      "str x10, [x2]\n\t"
      "blr x3\n\t"
      "add sp, sp, #32\n"
      "1:"
      : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)
      :
      : "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x20", "x21", "x22",
        "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
        "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
        "v29", "v30", "v31", "memory", "cc");
}

inline bool has_shadow_stack() { return false; }  // Linux gives none (GCS) to programs that were not built for it

inline bool has_split_stack() { return false; }  // no compiler has it there

struct fp_control {
  std::uint64_t fpcr;
};

inline fp_control save_fp_control() {
  fp_control words;
  asm volatile("mrs %0, fpcr" : "=r"(words.fpcr));
  return words;
}

inline void load_fp_control(const fp_control& words) { asm volatile("msr fpcr, %0" : : "r"(words.fpcr)); }

}  // namespace weft::arch
