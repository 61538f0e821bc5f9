// A number of equal things divided among several, as evenly as it goes.
#pragma once

#include <cstdint>

namespace bench {

constexpr std::uint64_t share(std::uint64_t total, std::uint64_t parts, std::uint64_t index) {
  return total / parts + (index < total % parts ? 1 : 0);
}

}  // namespace bench
