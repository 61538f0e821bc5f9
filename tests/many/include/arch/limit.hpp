// In the place of src/arch/limit.hpp for what runs on the machine of many CPUs, which sees the load
// of an atomic and not that of an instruction in assembly.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::arch {

inline bool is_at_most(const void* pointer, const base::atomic<std::uintptr_t>& limit) {
  return reinterpret_cast<std::uintptr_t>(pointer) <= limit.load(base::relaxed);
}

}  // namespace weft::arch
