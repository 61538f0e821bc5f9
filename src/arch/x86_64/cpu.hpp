#pragma once

#include <cstdint>

namespace weft::arch {

// Begins to fetch a line that will be written; a hint.
inline void prefetch_to_write(const void* line) { asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line))); }

inline void pause() { __builtin_ia32_pause(); }
// Stores the stack pointer, in one instruction. *to is a lock-free atomic, stored relaxed.
template <class Word>
[[gnu::always_inline]] inline void store_stack_address(Word* to) {
  static_assert(sizeof *to == sizeof(std::uintptr_t));
  asm("movq %%rsp, %0" : "=m"(*to));
}

inline std::uint64_t cycles() { return __builtin_ia32_rdtsc(); }

// Where the caller stands: the stack that it is on need not be the one that its unit was given.
[[gnu::always_inline]] inline const char* stack_pointer() {
  const char* here;
  asm("mov %%rsp, %0" : "=r"(here));
  return here;
}

}  // namespace weft::arch
