// See start.hpp: how ranks meet, and how they leave.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "net/control.hpp"
#include "net/mpi/keeper.hpp"
#include "net/mpi/start.hpp"
#include "net/mpi/turn.hpp"

namespace weft::net {
namespace {

const job* leaving = nullptr;  // the job whose end is awaited; once left, null
constinit job its;
constinit job_request asked;
bool has_left = false;
int process = 0;  // a fork of it leaves nothing

// What a rank meets the others for.
enum meeting : int { in_barrier = 1, leaves };

int meetings[most_ranks];

// The line about the first rank that left; told by the first that waits.
[[noreturn]] void end_left(const job& all) {
  int gone = -1, waiting = -1, waiters = 0;
  for (int rank = 0; rank < all.ranks; ++rank) {
    if (meetings[rank] == leaves && gone < 0) gone = rank;
    if (meetings[rank] != in_barrier) continue;
    if (waiting < 0) waiting = rank;
    ++waiters;
  }
  if (all.rank == waiting) {
    const char* const what = all.common->of[all.rank].together.load(base::relaxed);
    char line[line_bytes];
    (void)snprintf(line, sizeof line,
                   "rank %d of %d exited with status 0 while %d other%s waited for it in %s; the other ranks were ended", gone,
                   all.ranks, waiters, waiters == 1 ? "" : "s", what != nullptr ? what : "a barrier");
    exit_with_line(1, line);
  }
  barrier_by_mpi();
  _exit(1);
}

bool meet(const job& all, meeting mine) {
  const int value = mine;
  gather_by_mpi(all, &value, sizeof value, meetings);
  for (int rank = 0; rank < all.ranks; ++rank) {
    if (meetings[rank] != mine) return false;
  }
  return true;
}

void leave(int status, void*) {
  if (has_left || leaving == nullptr || getpid() != process) return;
  has_left = true;
  const char* const inside = its.common->of[its.rank].together.load(base::relaxed);
  if (status != 0 || inside != nullptr) {
    char line[line_bytes];
    (void)snprintf(line, sizeof line, "rank %d of %d (process %d) exited with status %d%s%s; the other ranks were ended",
                   its.rank, its.ranks, getpid(), status, inside != nullptr ? " from inside " : "",
                   inside != nullptr ? inside : "");
    exit_with_line(status != 0 ? status : 1, line);
  }
  if (!meet(its, leaves)) end_left(its);
  tell_keeper_end();
  if (asked.before_end != nullptr) asked.before_end(its);
  if (asked.at_end != nullptr && its.rank == 0) asked.at_end(its);
  {
    const turn its_turn;
    is_mpi_over = true;
  }
  loaded_mpi->end(0);
}

}  // namespace

void meet_all(const job& all) {
  if (!meet(all, in_barrier)) end_left(all);
}

void end_mpi_at_exit(const job& all, const job_request& request) {
  its = all;
  asked = request;
  leaving = &its;
  process = getpid();
  (void)on_exit(leave, nullptr);
}

}  // namespace weft::net
