#pragma once

#include <cstdint>

namespace weft::arch {

inline void pause() { asm volatile("isb" ::: "memory"); }  // yield is a no-op on most cores; isb waits some tens of ns
inline std::uint64_t cycles() {
  std::uint64_t count;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
}

}  // namespace weft::arch
