// Ranks that an MPI's launcher has started, on one machine or on several: WEFT_LAUNCH_MPI names the
// module for the MPI (module.h). Called by net::start, in each rank.
//
// Ranks of one node share memory as forks of a launcher do; the words, and all memory of other
// nodes, are reached by the transport `mpi`.
#pragma once

#include "base/status.hpp"
#include "net/job.hpp"
#include "net/mpi/module.h"
#include "net/rma.hpp"
#include "net/settings.hpp"

namespace weft::net {

// The loaded module; null: this job has none.
extern const weft_net_module* loaded_mpi;

extern const rma mpi;

// Before anything else of a start: when the kernel has chosen addresses at random, this process
// becomes the same program once more, without. Returns when it need not, or cannot.
void fix_addresses();

// This process cannot become a rank: has a launcher that would let the other ranks wait for it end
// them.
void end_at_launcher();
// An MPI's launcher drops lines of processes that it kills, and has not read: waits a moment.
void let_launcher_read();

status start_mpi(const job_request& request, const settings& wanted, job* all);

// Collective. A rank that has left main instead ends the job with a line.
void meet_all(const job& all);
void barrier_by_mpi();
void gather_by_mpi(const job& all, const void* mine, std::size_t bytes, void* into);
// At the process's end: the ranks leave the MPI together.
void end_mpi_at_exit(const job& all, const job_request& request);
// In main, not before: an exit from now on knows its status in time.
void note_exit_status();

// Ends the job: an operation on `rank`'s memory, or a collective one (rank -1), failed.
[[noreturn]] void end_failed(const job& all, const char* what, int rank, int code);

}  // namespace weft::net
