// Sizes of cache lines and pages, and rounding to powers of two.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::base {

inline constexpr std::size_t cache_line = 64;
inline constexpr std::size_t page = 4096;

constexpr std::size_t round_up(std::size_t value, std::size_t power_of_two) {
  return (value + power_of_two - 1) & ~(power_of_two - 1);
}
constexpr bool is_power_of_two(std::size_t value) { return value != 0 && (value & (value - 1)) == 0; }

}  // namespace weft::base
