// The variables WEFT_DIST_*.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "net/job.hpp"

namespace weft::dist {

enum class check : std::uint8_t { off, first, all };

enum class way : std::uint8_t { optimised, basic, iso_address, child, stalling, run_to_completion };

struct settings {
  std::size_t stack_bytes = 0;
  std::uint32_t pool = 0;  // records, evacuated threads and stacks of iso-address of a rank
  std::uint32_t poll = 0;  // microseconds between polls of the network
  check checking = check::first;
  net::progress_by progress = net::progress_by::any;
  way policy = way::optimised;
  std::size_t heap_bytes = 0;  // of a rank's part of the global heap
};

// From the environment. Errors: invalid; each bad value was told in a line. A variable WEFT_DIST_*
// that does not exist is told, too.
status read_settings(settings* out);

}  // namespace weft::dist
