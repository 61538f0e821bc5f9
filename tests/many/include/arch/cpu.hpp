// In the place of src/arch/cpu.hpp for what runs on the machine of many CPUs: instructions that the
// machine must see are calls of it.
#pragma once

#include <cstdint>

#include "many.h"

namespace weft::arch {

inline void prefetch_to_write(const void* line) { many_prefetch_to_write(line); }
inline void pause() { many_pause(); }
template <class Word>
[[gnu::always_inline]] inline void store_stack_address(Word* to) {
  asm("movq %%rsp, %0" : "=m"(*to));
}
inline std::uint64_t cycles() { return many_cycles(); }
[[gnu::always_inline]] inline const char* stack_pointer() {
  const char* here;
  asm("mov %%rsp, %0" : "=r"(here));
  return here;
}

}  // namespace weft::arch
