// The model's os/futex.hpp. Deadlines pass when nothing else can happen, or earlier as far as
// bounds::timeouts allows.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::os {

inline bool futex_wait_until(base::atomic<std::uint32_t>* word, std::uint32_t expected, std::uint64_t deadline,
                             explorer::site where = explorer::site::current()) {
  return explorer::futex_wait({word, sizeof *word}, expected, deadline, where);
}
inline void futex_wait(base::atomic<std::uint32_t>* word, std::uint32_t expected,
                       explorer::site where = explorer::site::current()) {
  (void)futex_wait_until(word, expected, UINT64_MAX, where);
}
inline void futex_wake(base::atomic<std::uint32_t>* word, int count, explorer::site where = explorer::site::current()) {
  explorer::futex_wake({word, sizeof *word}, count, where);
}

}  // namespace weft::os
