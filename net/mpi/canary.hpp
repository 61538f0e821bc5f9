// The stack protector's canary of the calling OS thread. A frame that moves between ranks bears it,
// so all ranks need one. Only a function that is compiled without the protector, and returns into
// no frame with one, may change it.
#pragma once

#include <cstdint>

namespace weft::net {

#if defined(__x86_64__)
inline constexpr bool can_change_canary = true;

[[gnu::always_inline]] inline std::uint64_t read_canary() {
  std::uint64_t value = 0;
  asm volatile("movq %%fs:0x28, %0" : "=r"(value));
  return value;
}
[[gnu::always_inline]] inline void change_canary(std::uint64_t value) { asm volatile("movq %0, %%fs:0x28" : : "r"(value)); }
#else
inline constexpr bool can_change_canary = false;  // it lies in the dynamic linker's read-only data

inline std::uint64_t read_canary() { return 0; }
inline void change_canary(std::uint64_t) {}
#endif

}  // namespace weft::net
