// See arch/unlocked.hpp. The processor has no such instruction; an exclusive pair without an order
// is cheap.
#pragma once

#include <cstdint>

namespace weft::arch {

[[gnu::always_inline]] inline bool replace_unlocked(std::uintptr_t* word, std::uintptr_t* seen, std::uintptr_t wanted) {
  return __atomic_compare_exchange_n(word, seen, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

}  // namespace weft::arch
