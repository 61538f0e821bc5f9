// One-sided access to the memory of another rank: eight operations, behind a table, so that a file
// a transport implements them. The rank whose memory it is takes no part. Called in ranks, from any
// OS thread; where a transport allows less, its file says so.
//
// A *window* is one part of every rank's memory (its region, or its part of the shared memory); a
// word in it is named by rank and offset. Promises, on which protocols may build:
// - get and put of bytes that another rank writes meanwhile give any mixture; words of 8 aligned
//   bytes
//   that are accessed by fetch_add and compare_swap alone are changed at once.
// - fetch_add and compare_swap are ordered among themselves (each acquires and releases): what a
//   rank
//   wrote into its own memory, or put and flushed, before its operation on a word, is what another
//   rank reads or gets after an operation that found the new value.
// - A word is changed by one transport only: the atomics of a network and of the CPU need not see
//   each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "net/job.hpp"

namespace weft::net {

enum class part : std::uint8_t { region, shared };

struct window {
  const job* all = nullptr;
  std::byte* ranks = nullptr;  // rank r's bytes, as this rank sees them, at ranks + r * bytes
  std::size_t bytes = 0;       // of each rank
};

struct rma {
  const char* name;

  // Collective: every rank opens its windows in the same order. The job outlives its windows.
  // Errors: invalid (the job has no such part).
  status (*region_create)(const job& all, part which, window* out);

  // Copies between own memory and another rank's. A get has ended when it returns. A put, whose
  // bytes may be reused when it returns, has ended after flush.
  void (*get)(const window& from, int rank, std::size_t offset, void* into, std::size_t bytes);
  void (*put)(const window& into, int rank, std::size_t offset, const void* from, std::size_t bytes);

  // On a word of 8 aligned bytes. Both return what the word held before.
  std::uint64_t (*fetch_add)(const window& in, int rank, std::size_t offset, std::uint64_t by);
  std::uint64_t (*compare_swap)(const window& in, int rank, std::size_t offset, std::uint64_t expected, std::uint64_t desired);

  // Returns once all puts of this rank into that rank's memory have ended.
  void (*flush)(const window& into, int rank);

  // Lets operations of other ranks go on, where a transport needs the target's help.
  void (*progress)(const window& of);

  // The byte as a pointer that loads, stores and atomics of the CPU may use; null: there is none.
  void* (*alias)(const window& of, int rank, std::size_t offset);
};

// Of ranks on one node, over their common memory: rma/shm.cpp.
extern const rma shm;

}  // namespace weft::net
