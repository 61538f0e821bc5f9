// See arch/unlocked.hpp.
#pragma once

#include <cstdint>

namespace weft::arch {

[[gnu::always_inline]] inline bool replace_unlocked(std::uintptr_t* word, std::uintptr_t* seen, std::uintptr_t wanted) {
  bool is_done;
  asm volatile("cmpxchgq %[wanted], %[word]"
               : "=@ccz"(is_done), [word] "+m"(*word), "+a"(*seen)
               : [wanted] "r"(wanted)
               : "memory");
  return is_done;
}

}  // namespace weft::arch
