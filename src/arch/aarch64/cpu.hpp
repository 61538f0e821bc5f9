#pragma once

#include <cstdint>

namespace weft::arch {

// Begins to fetch a line that will be written; a hint.
inline void prefetch_to_write(const void* line) { __builtin_prefetch(line, 1); }

inline void pause() { asm volatile("isb" ::: "memory"); }  // yield is a no-op on most cores; isb waits some tens of ns
// Stores the stack pointer. *to is a lock-free atomic, stored relaxed.
template <class Word>
[[gnu::always_inline]] inline void store_stack_address(Word* to) {
  static_assert(sizeof *to == sizeof(std::uintptr_t));
  std::uintptr_t address;
  asm("mov %0, sp" : "=r"(address));
  asm("str %1, %0" : "=m"(*to) : "r"(address));
}

inline std::uint64_t cycles() {
  std::uint64_t count;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
}

// Where the caller stands: the stack that it is on need not be the one that its unit was given.
[[gnu::always_inline]] inline const char* stack_pointer() {
  const char* here;
  asm("mov %0, sp" : "=r"(here));
  return here;
}

}  // namespace weft::arch
