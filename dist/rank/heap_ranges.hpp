// Where a rank's heap lies, for the ranks that take frames of it: see/check.hpp.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::dist {

// In a rank's shared part; the owner writes, others look.
struct heap_ranges {
  static constexpr unsigned most = 32;

  base::atomic<std::uint32_t> count;
  base::atomic<std::uintptr_t> begins[most], ends[most];
};

}  // namespace weft::dist
