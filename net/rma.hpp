// One-sided access to the memory of another rank: nine operations, behind a table, so that a file a
// transport implements them. The rank whose memory it is takes no part. Called in ranks, from the
// OS thread that called net::start; where a transport allows more, its file says so.
//
// A *window* is one part of every rank's memory; a byte in it is named by rank and offset.
// Promises, on which protocols may build, and which every transport keeps
// (tests/unit/net/conformance.hpp):
// - get and put begin a copy. It ends at the latest in the flush of its window and rank, and copies
//   that one flush ends may happen in any order. get and put of bytes that another rank writes
//   meanwhile give any mixture, but a put of one aligned word of 8 bytes is seen whole. It may be
//   stored more than once: an owner that changes a word right after the put may lose the change.
// - fetch_add and compare_swap change a word of 8 aligned bytes at once, and return when they have.
// - They are ordered among themselves (each acquires and releases): what a rank wrote into its own
//   memory, or put and flushed, before its operation on a word, is what another rank reads or gets
//   after an operation that found the new value. So is what it did before a put of one word, for
//   the owner, and the ranks of its node, that load the new value after the owner's progress.
// - A word is changed by one transport only: the atomics of a network and of the CPU need not see
//   each other. Its owner may load it.
// - A transport that fails ends the job with one line.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "net/job.hpp"

namespace weft::net {

// Where a transport is a network, fetch_add and compare_swap change words of the parts `shared` and
// `words` alone. More networks reach the latter without the target's help.
enum class part : std::uint8_t { region, shared, words };

struct window {
  const job* all = nullptr;
  std::byte* ranks = nullptr;  // rank r's bytes, where this rank has them, at ranks + r * bytes
  std::size_t bytes = 0;       // of each rank
  void* handle = nullptr;      // the transport's
};

struct rma {
  const char* name;

  // Collective: every rank opens its windows in the same order. The job outlives its windows.
  // Errors: invalid (the job has no such part).
  status (*region_create)(const job& all, part which, window* out);

  // Between own memory and a rank's, also this rank's own. The own bytes may be reused when put
  // returns; those of a get have arrived after the flush.
  void (*get)(const window& from, int rank, std::size_t offset, void* into, std::size_t bytes);
  void (*put)(const window& into, int rank, std::size_t offset, const void* from, std::size_t bytes);

  // Both return what the word held before.
  std::uint64_t (*fetch_add)(const window& in, int rank, std::size_t offset, std::uint64_t by);
  std::uint64_t (*compare_swap)(const window& in, int rank, std::size_t offset, std::uint64_t expected, std::uint64_t desired);

  // Returns once all gets and puts between this rank and that one have ended.
  void (*flush)(const window& of, int rank);

  // Lets operations of other ranks go on, where a transport needs the target's help.
  void (*progress)(const window& of);

  // The byte as a pointer that this rank may load from, and, unless another transport changes it,
  // use as its own; null: there is none.
  void* (*alias)(const window& of, int rank, std::size_t offset);

  // From another OS thread of the rank, its *assistant*: as progress, unless the rank is in an
  // operation, which makes progress itself. Null: operations of other ranks need no help.
  void (*assist)(const window& of) = nullptr;

  // Sends this rank's puts into that one's memory so far, and does not wait for their end. Until
  // then or a flush they may stay here. Null: a put leaves at once.
  void (*send_puts)(const window& of, int rank) = nullptr;
};

// Of ranks on one node, over their common memory: rma/shm.cpp. From any OS thread.
extern const rma shm;

}  // namespace weft::net

// A program for tests may define it: what it returns takes the place of a job's transport.
extern "C" __attribute__((weak)) const weft::net::rma* weft_net_wrap_transport(const weft::net::rma* inner);
