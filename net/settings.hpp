// The variables by which `weft launch` tells a program how to start; they may also be set by hand.
// Read once, by net::start, in the launcher.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "net/job.hpp"

namespace weft::net {

inline constexpr char mpi_module_variable[] = "WEFT_LAUNCH_MPI";
inline constexpr char mpi_library_variable[] = "WEFT_LAUNCH_MPI_LIBRARY";

using file_name = char[1024];

struct settings {
  int ranks = 1;
  bool is_launched = false;  // WEFT_LAUNCH_RANKS is set
  bool has_table = true;     // WEFT_LAUNCH_TABLE
  bool locks = false;        // WEFT_LAUNCH_LOCK: the shared memory is kept in memory from the start on
  bool has_address = false;
  std::uintptr_t region_at = 0;  // WEFT_LAUNCH_REGION_AT; 0: any
  bool are_apart = false;        // WEFT_LAUNCH_APART: each rank is a node of its own, for tests
  bool is_described = false;     // WEFT_LAUNCH_DESCRIBE: rank 0 prints what the ranks reach each other by
  int lost_after = 4;            // WEFT_LAUNCH_LOST_AFTER: seconds without an answer of a node; 0: never lost
  int start_within = 120;        // WEFT_LAUNCH_START_WITHIN: seconds in which all ranks must have started; 0: any time
  file_name mpi_module = "";     // WEFT_LAUNCH_MPI: a file; an MPI's launcher has started the ranks
  file_name mpi_library = "";    // WEFT_LAUNCH_MPI_LIBRARY: that MPI's library; empty: the module finds it
  char parent[512] = "";         // WEFT_LAUNCH_PARENT: where `weft launch` listens; empty: nowhere
};

// Takes the variables out of the environment: programs that a rank starts are not launched. Errors:
// invalid, after one line for each value that cannot be used.
status read_settings(settings* out);

}  // namespace weft::net
