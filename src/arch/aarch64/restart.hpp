// See arch/restart.hpp. Not used here: the compare-exchange of this CPU's larger cores costs little
// more than a store.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::arch {

inline constexpr bool has_restartable_store = false;

template <std::uint32_t expected, std::uint32_t wanted>
bool replace_restartably(std::uint32_t*, std::ptrdiff_t) {
  return false;
}

}  // namespace weft::arch
