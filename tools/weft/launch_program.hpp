// Which file `weft launch` runs, and whether that program would start ranks.
#pragma once

#include <string>

namespace cli {

// The file that a shell would run for this word. Throws std::runtime_error with one line: there is
// none, or it cannot be run.
std::string find_program(const std::string& word);

// Returns when the program starts ranks: it, or a library that it is linked with, holds the note
// that net/start/start.cpp puts into it. Started by an MPI, it may also be a node, by the note of
// net/frames. Otherwise the program would run once, as it is. Throws std::runtime_error with one
// line that says why, and the cure.
void require_ranks(const std::string& file, bool is_by_mpi);

}  // namespace cli
