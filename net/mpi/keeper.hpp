// The keeper of a rank: the process that an MPI's launcher has started. The rank is a fork of it.
// The keeper waits for the rank's end, and ends after it in the same way. When a signal has killed
// the rank, the keeper says which rank it was, on which node, and what it held, before the MPI's
// launcher knows. Where it finds that another node cannot be reached, or that another keeper has
// ended the job, it ends its rank. It never calls an MPI.
#pragma once

#include "base/status.hpp"
#include "net/job.hpp"
#include "net/mpi/watch.hpp"
#include "net/settings.hpp"

namespace weft::net {

inline constexpr std::size_t host_bytes = 64;

// Returns in the rank. The keeper stays in here. Errors: unsupported (told).
status fork_rank(const job_request& request, const settings& wanted);

// In the rank, from here on.

// The file with the memory of the rank's node, which the keeper reads after the rank's death.
void give_keeper_memory(int descriptor);
// Collective, once nodes and memory are there: connects the keepers. parent: where `weft launch`
// listens; null: it does not. Whether a keeper watches each rank's node.
bool brief_keeper(const job& all, const char (&host)[host_bytes], const char* parent);
// What the keeper tells if the rank ends with a failure from now on; empty: nothing.
void tell_keeper_line(const char* line);
// The rank has agreed with all others to end.
void tell_keeper_end();
// The rank's exit ends the job: the keeper tells why. An MPI's abort would end the keeper first.
[[noreturn]] void exit_with_line(int status, const char* line);
// An operation has failed, perhaps because its rank has died, or a node is lost. Returns if the
// keepers, which tell that, have not ended this rank within the time that they take.
void let_keepers_tell();

}  // namespace weft::net
