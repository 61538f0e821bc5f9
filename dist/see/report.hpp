// What the launcher says of ranks: the table at a job's end, and what a rank held when it died.
// Both run in the launcher, once no rank runs any more, and read the ranks' shared parts and
// regions.
#pragma once

#include <cstddef>

#include "net/job.hpp"

namespace weft::dist {

void print_ranks(const net::job& job);
// Collective, in the ranks, where no launcher sees all ranks' memory: print_ranks on rank 0 is
// next.
void gather_counts(const net::job& job);
void describe_rank(const net::job& job, int rank, char* text, std::size_t bytes);

// Has an overflow of the rank's stack told in a line, with the thread's depth and function. Once a
// process.
void watch_for_overflow();

}  // namespace weft::dist
