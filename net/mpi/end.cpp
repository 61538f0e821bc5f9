// See ranks.hpp: how ranks meet, and how they leave.
//
// A rank leaves at its exit, after the program's exit handlers and static destructors, and before
// the destructors of the MPI's libraries, which it calls. A handler that is registered before main
// runs at one of two times:
// - Registered by a constructor of the program, as where libweft-dist is an archive: with the
//   program's handlers, the last of them. It leaves.
// - Registered by a constructor of a shared library: after the destructors of all libraries (ld.so
//   registers these between the constructors of libraries and the program's). There a destructor of
//   the module leaves. It runs before those of the MPI, because the module is linked with the MPI.
//   A destructor is not told the exit status. It is noted by a handler that is registered in main:
//   by the first call that needs all ranks, and, as the exit begins, by the end of the main OS
//   thread. What remains is exit(3) in another OS thread of a program that has made no such call:
//   it leaves as with status 0, and its keeper sees the right status.
// docs/decisions/0070-ranks-leave-in-a-destructor.md
// Dropped: to leave in a handler that is registered in main, which would run before handlers that
// the program has registered earlier, and may call the library.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "net/control.hpp"
#include "net/mpi/keeper.hpp"
#include "net/mpi/ranks.hpp"
#include "net/mpi/turn.hpp"

extern "C" {
// The registration behind C++'s thread_local; as the C++ library has it, of which this needs no
// other part.
int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* library);
extern void* __dso_handle;  // NOLINT(readability-identifier-naming): the linker's name
}

namespace weft::net {
namespace {

const job* leaving = nullptr;  // the job whose end is awaited; once left, null
constinit job its;
constinit job_request asked;
bool has_left = false;
bool notes_status = false;  // an exit does
bool is_status_noted = false;
int noted_status = 0;
int process = 0;  // a fork of it leaves nothing

// What a rank meets the others for.
enum meeting : int { in_barrier = 1, leaves, leaves_unseen };
bool is_leaving(int met) { return met == leaves || met == leaves_unseen; }

int meetings[most_ranks];

// The line about the first rank that left; told by the first that waits.
[[noreturn]] void end_left(const job& all) {
  int gone = -1, waiting = -1, waiters = 0;
  for (int rank = 0; rank < all.ranks; ++rank) {
    if (is_leaving(meetings[rank]) && gone < 0) gone = rank;
    if (meetings[rank] != in_barrier) continue;
    if (waiting < 0) waiting = rank;
    ++waiters;
  }
  if (all.rank == waiting) {
    const char* const what = all.common->of[all.rank].together.load(base::relaxed);
    char line[line_bytes];
    (void)snprintf(line, sizeof line, "rank %d of %d exited%s while %d other%s waited for it in %s; the other ranks were ended",
                   gone, all.ranks, meetings[gone] == leaves ? " with status 0" : "", waiters, waiters == 1 ? "" : "s",
                   what != nullptr ? what : "a barrier");
    exit_with_line(1, line);
  }
  barrier_by_mpi();
  _exit(1);
}

bool meet(const job& all, meeting mine) {
  const int value = mine;
  gather_by_mpi(all, &value, sizeof value, meetings);
  for (int rank = 0; rank < all.ranks; ++rank) {
    if (is_leaving(meetings[rank]) != is_leaving(mine)) return false;
  }
  return true;
}

// status: of the exit, as far as it is known.
void leave(int status, meeting how) {
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
  if (!meet(its, how)) end_left(its);
  tell_keeper_end();
  if (asked.before_end != nullptr) asked.before_end(its);
  if (asked.at_end != nullptr && its.rank == 0) asked.at_end(its);
  {
    const turn its_turn;
    is_mpi_over = true;
  }
  loaded_mpi->end(0);
}

void leave_at_exit(int status, void*) { leave(status, leaves); }

void leave_at_unload() { leave(noted_status, is_status_noted ? leaves : leaves_unseen); }

void note_status(int status, void*) {
  is_status_noted = true;
  noted_status = status;
}

void note_status_of_main(void*) { note_exit_status(); }

}  // namespace

void note_exit_status() {
  if (leaving == nullptr || notes_status) return;
  notes_status = on_exit(note_status, nullptr) == 0;
}

void meet_all(const job& all) {
  if (!meet(all, in_barrier)) end_left(all);
}

void end_mpi_at_exit(const job& all, const job_request& request) {
  its = all;
  asked = request;
  leaving = &its;
  process = getpid();
  (void)on_exit(leave_at_exit, nullptr);
  loaded_mpi->call_at_unload(leave_at_unload);
  (void)__cxa_thread_atexit_impl(note_status_of_main, nullptr, &__dso_handle);
}

}  // namespace weft::net
