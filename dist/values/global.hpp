// The global heap: memory of all ranks that every thread in a root reaches, wherever it runs. Its
// addresses (weft/global.h) are numbers, the same on all ranks, and no addresses of a process.
//
// Each rank's heap is the end of its shared part, so ranks of its node load and store it; ranks of
// other nodes, and all atomics in a job of several nodes, use the transport's window over that
// part.
//
//   heap | heap_words | arrays, from below ... | objects, from above |
//
// An array has a part in each heap, at the same offset in all, because every rank makes the same
// arrays in the same order.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/global.h>

#include "dist/rank/rank.hpp"
#include "dist/words/global_words.hpp"
#include "net/network.hpp"

namespace weft::dist {

struct global_heap {
  static constexpr unsigned most_arrays = 1024;
  static constexpr unsigned id_at = 48;                // of an address: the array, or the rank
  static constexpr std::uint64_t of_object = 1 << 15;  // in the id: a rank's object
  static constexpr std::uint64_t offset_mask = (std::uint64_t{1} << id_at) - 1;

  struct array {
    std::size_t offset;  // of the part in each heap
    std::size_t block;   // bytes of a part; 0: there is no such array
    std::size_t bytes;   // of the whole
  };

  const net::rma* by = nullptr;
  net::window window;     // over the shared parts
  std::size_t at = 0;     // of the heap in a shared part
  std::size_t bytes = 0;  // of a rank's heap
  std::size_t arrays_end = 0;
  array arrays[most_arrays] = {};  // the first is not used

  [[nodiscard]] object_memory objects_of(int rank) const { return {*by, window, rank, at}; }
};
extern global_heap shared_heap;

// Where an address lies: in a rank's shared part, and for how many bytes the rank has what follows.
struct global_place {
  int rank;
  std::size_t offset, run;
};
// what: of the call, for the line that ends the job where the bytes are no part of the heap.
global_place place_of(weft_global at, std::size_t bytes, const char* what);
// Null: the place is on another node.
inline std::byte* near_bytes(const global_place& at) {
  return net::is_near(all.job, at.rank) ? reinterpret_cast<std::byte*>(part_of(at.rank)) + at.offset : nullptr;
}

// at: of the heap in a shared part.
void start_global(std::size_t at, std::size_t bytes);

// Helps the operations of other ranks where the caller only loads and stores.
void poll_while_near();
// Ends the job with a line in any other OS thread than the one that runs main; a network is used by
// that alone.
void require_main_thread(const char* what);
void require_thread_for_network(const char* what);

// As weft_global_make, under the name of a call. Errors: those of weft_global_make.
weft_status make_object(const char* call, int rank, std::size_t bytes, weft_global* out);

// Changes rank 0's count of discarded forks that have not ended.
void count_discarded(std::uint64_t by);
[[nodiscard]] bool has_discarded();

}  // namespace weft::dist
