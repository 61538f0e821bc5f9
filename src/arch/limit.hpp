// A pointer against a limit in memory, as one instruction: as short as the test for null that it
// stands in for. gcc loads an atomic into a register first.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::arch {

inline bool is_at_most(const void* pointer, const base::atomic<std::uintptr_t>& limit) {
#if defined(__x86_64__)
  bool result;
  asm volatile("cmpq %2, %1" : "=@ccae"(result) : "m"(reinterpret_cast<const std::uintptr_t&>(limit)), "r"(pointer));
  return result;
#else
  return reinterpret_cast<std::uintptr_t>(pointer) <= limit.load(base::relaxed);
#endif
}

}  // namespace weft::arch
