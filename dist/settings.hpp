// The variables WEFT_DIST_*.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace weft::dist {

enum class check : std::uint8_t { off, first, all };

enum class way : std::uint8_t { optimised, basic, iso_address, child };

struct settings {
  std::size_t stack_bytes = 0;
  std::uint32_t pool = 0;  // records and evacuated threads of a rank
  std::uint32_t poll = 0;  // microseconds between polls of the network
  check checking = check::first;
  way policy = way::optimised;
};

// From the environment. Errors: invalid; each bad value was told in a line.
status read_settings(settings* out);

}  // namespace weft::dist
