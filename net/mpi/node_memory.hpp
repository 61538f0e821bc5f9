// The memory that ranks of one node share, where another launcher has started them: one rank makes
// a memory file, and the others open it by way of /proc.
#pragma once

#include "base/status.hpp"
#include "net/job.hpp"

namespace weft::net {

// Before the number of ranks is known: this rank's region, at an address that is the same in all.
status hold_region(const job_request& request, job* all);

// Collective. nodes: of each rank the least rank that it may share memory with. A rank for which
// the file cannot be opened becomes a node of its own, also in `nodes`.
status map_node_memory(int* nodes, job* all);

// In a process that has the node's file and the job as a rank saw it: all that the ranks of that
// node have left, at the addresses in `all`. False: it cannot be mapped.
bool map_memory_for_report(const int* nodes, int descriptor, job* all);

}  // namespace weft::net
