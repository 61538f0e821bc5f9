// The model's arch/restart.hpp: a compare and a store between which other threads come, and which
// is left between the two when a restart fence reaches it, or for no reason.
#pragma once

#include <cstddef>
#include <cstdint>

#include "explorer/execution.hpp"

namespace weft::arch {

inline constexpr bool has_restartable_store = true;

template <std::uint32_t Expected, std::uint32_t Wanted>
inline bool replace_restartably(std::uint32_t* word, std::ptrdiff_t, explorer::site where = explorer::site::current()) {
  return explorer::replace_restartably({word, sizeof *word}, Expected, Wanted, where);
}

}  // namespace weft::arch
