// A job: the processes (ranks) of one program on one node, their common memory, and their end.
// It knows neither tasks nor stacks. Called by libraries that run a program on several ranks, from
// the process's first OS thread before main, while the process has no other OS thread.
//
// `weft launch -n P PROGRAM` runs PROGRAM with WEFT_LAUNCH_RANKS=P. There net::start turns the
// process into the *launcher*: it makes the shared memory, forks P ranks, and never returns; it
// waits for the ranks, tells a death, and exits as the program would. In each rank net::start
// returns. Without the variable the process is rank 0 of 1, without a launcher.
//
// Promises:
// - What fork(2) keeps equal is equal in all ranks, with address space layout randomisation on:
//   the addresses of code, libraries and thread-local storage, and the stack protector's canary.
// - When a rank dies, the others and the processes that ranks have started are killed, and one line
//   on stderr names rank, signal and what it held. When the launcher dies, the ranks are killed. No
//   file has a name, so none stays.
// - Every failure of a start is one line on stderr that names the rank and the cure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace weft::net {

inline constexpr int most_ranks = 1024;

struct control;  // of the job, in shared memory: control.hpp
struct network;  // what reaches ranks of other nodes: network.hpp

struct job {
  int rank = 0;
  int ranks = 1;
  bool is_alone = false;        // without a launcher
  std::byte* region = nullptr;  // this rank's bytes; at the same address in all ranks
  std::size_t region_bytes = 0;
  std::byte* aliases = nullptr;  // the region of rank r, as every rank sees it: aliases + r * region_bytes
  std::byte* shared = nullptr;   // the part of rank r: shared + r * shared_bytes
  std::size_t shared_bytes = 0;
  std::byte* words = nullptr;  // the words of rank r, where this rank has them: words + r * words_bytes
  std::size_t words_bytes = 0;
  std::uint64_t alike = 0;  // of the request
  control* common = nullptr;
  // For ranks of other nodes, and for all words; their memory is not at the addresses above.
  const struct network* network = nullptr;
  const int* nodes = nullptr;  // of each rank: its node's number; null: all ranks are on one node
};

// Whether this rank has that rank's memory at the addresses in `all`.
inline bool is_near(const job& all, int rank) { return all.nodes == nullptr || all.nodes[rank] == all.nodes[all.rank]; }

// What lets operations on a rank's memory go on while the rank computes. any: what the start finds
// out. polling: the rank, now and then; assistant: another OS thread of the rank.
enum class progress_by : std::uint8_t { any, network, polling, assistant };

// What a job needs. Sizes are rounded up to pages; job has the rounded ones.
struct job_request {
  std::size_t region_bytes = 0;         // lies at the same address in all ranks, with each rank's own bytes
  std::size_t region_bytes_a_rank = 0;  // so much more of it for each rank of the job
  std::uintptr_t region_at = 0;         // the wanted address of the region, a whole page; 0: any
  std::size_t shared_bytes = 0;         // of each rank's part of the shared memory, zeroed
  std::size_t words_bytes = 0;          // of each rank's words, which the network's atomics change; zeroed
  std::uint64_t alike = 0;              // a number that must be equal in all ranks
  progress_by progress = progress_by::any;
  bool may_assist = true;  // an OS thread of the rank would be an assistant
  // What a user can do to make the sizes smaller, as the end of a sentence ("set WEFT_X lower").
  const char* smaller = nullptr;
  // Called in the launcher after a rank's death, once no rank runs any more: writes what the rank
  // held, from its part of the shared memory, as the end of "while it held ". Empty: nothing.
  void (*describe)(const job& all, int rank, char* text, std::size_t bytes) = nullptr;
  // Called in the launcher after all ranks ended well: prints the table of ranks. Where an MPI has
  // started the ranks, rank 0 calls it before its end, and before that all ranks call before_end.
  void (*at_end)(const job& all) = nullptr;
  void (*before_end)(const job& all) = nullptr;
  // Called in the launcher after all ranks ended, in whatever way: writes what they have left in
  // the shared memory. status: the job's exit status.
  void (*at_last)(const job& all, int status) = nullptr;
};

// Before start: whether another launcher than start itself has made this process a rank.
bool is_started_by_other();

// Once a process. Returns in each rank. A failure has been told in one line; the process should
// then exit; the other ranks of an MPI are ended. Errors: invalid (a variable's value, an address
// that is taken), nomem, unsupported.
status start(const job_request& request, job* out);

// Instead of start: ends this process, which cannot become a rank, with the exit status 1. A line
// has told why. The other ranks, which would wait for it, are ended, too, as after a start that
// failed.
[[noreturn]] void end_start();

// Returns in each rank once all ranks have called it. What a rank wrote before it is seen by all
// ranks after it. A rank that dies or exits ends the job, so no rank waits for ever.
void barrier(const job& all);

// Collective, between barriers of its own: `into` has the bytes of every rank, in their order.
void gather(const job& all, const void* mine, std::size_t bytes, void* into);

// Ends the job with the exit status 1. This rank tells why in one line, unless another rank has
// told why it fails. Exit handlers do not run.
[[noreturn]] void fail(const job& all, const char* format, ...) __attribute__((format(printf, 2, 3), cold));

// From begin_together to end_together a rank needs all others: when one of them exits meanwhile,
// that ends the job, with a line. `what` is a literal, for that line: "weft::dist::root". May nest:
// begin_together returns what end_together takes, and the line names the outermost.
[[nodiscard]] const char* begin_together(const job& all, const char* what);
void end_together(const job& all, const char* outer);

}  // namespace weft::net
