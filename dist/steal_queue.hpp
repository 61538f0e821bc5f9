// Protocol R, the public part of a rank's queue of continuations: docs/protocols/R.md.
//
// The rank's newest continuations are private: plain memory that no other rank reads. The oldest
// are public: one atomic word {epoch, begin, end} says which indexes other ranks may claim, and a
// ring of descriptors says what they are. The word and the descriptors are opaque numbers here, so
// that the explorer runs this very header; what they mean is said in layout.hpp.
//
// The owner publishes behind end and takes back from end. A thief of the node claims begin by one
// compare-exchange, copies what the descriptor names, and then counts itself in copied. The owner
// must not write over what was claimed until all_copied(). The epoch changes with every publication
// and every new occupancy, so that a claim with a stale descriptor fails. Claimants that cannot use
// this CPU's atomics, such as a network's, need a word of their own beside this one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/align.hpp"
#include "base/atomic.hpp"

namespace weft::dist {

// What a thief needs of a continuation.
struct descriptor {
  static constexpr unsigned count = 6;
  std::uint64_t words[count];
};

template <std::uint32_t Capacity>  // how many continuations are public at a time
class basic_steal_queue {
 public:
  static constexpr unsigned index_bits = 18;
  static constexpr std::uint32_t most_indexes = 1u << index_bits;
  static constexpr std::uint32_t capacity = Capacity;

  struct claimed {
    descriptor what;
    std::uint32_t index;
    bool is_last;  // nothing public is left
  };

  // ---- the owner ----

  // A new occupancy, whose first continuation will have this index. Nothing is public and nothing
  // is being copied.
  void occupy(std::uint32_t first) {
    first_ = first;
    copied_.store(0, base::relaxed);
    const std::uint64_t now = word_.load(base::relaxed);
    word_.store(packed(epoch_of(now) + 1, first, first), base::relaxed);
  }

  [[nodiscard]] std::uint32_t end() const { return end_of(word_.load(base::relaxed)); }
  // How many more may be public now.
  [[nodiscard]] std::uint32_t room() const {
    // [R1] acquire: thieves have read the descriptors that are written over next; pairs with [R3]
    const std::uint64_t now = word_.load(base::acquire);
    return capacity - (end_of(now) - begin_of(now));
  }

  // Makes the continuation behind end public in the next publish(). Only as many as room() said.
  void describe(std::uint32_t index, const descriptor& what) {
    cell& into = ring_[index % capacity];
    for (unsigned i = 0; i < descriptor::count; ++i) into.words[i].store(what.words[i], base::relaxed);
  }
  void publish(std::uint32_t count) {
    // [R4] release: publishes frames, descriptors and the count of copies; pairs with [R2]
    word_.fetch_add(static_cast<std::uint64_t>(count) + (std::uint64_t{1} << epoch_at), base::release);
  }

  // Makes the newer half of what is public private again; newest is the newest public one. False: a
  // thief has claimed it.
  bool take_back(std::uint32_t newest, std::uint32_t* new_end) {
    std::uint64_t now = word_.load(base::relaxed);
    for (;;) {
      const std::uint32_t begin = begin_of(now);
      if (begin > newest) return false;
      const std::uint32_t kept = begin + (newest - begin) / 2;
      if (!word_.compare_exchange_weak(now, packed(epoch_of(now), begin, kept), base::relaxed)) continue;
      *new_end = kept;
      return true;
    }
  }

  // Whether thieves are done with what they claimed in this occupancy.
  [[nodiscard]] bool all_copied() const {
    const std::uint32_t claims = begin_of(word_.load(base::relaxed)) - first_;
    // [R5] acquire: the copies end before the owner writes over what was copied; pairs with [R6]
    return copied_.load(base::acquire) == claims;
  }

  // ---- thieves ----

  bool claim(claimed* out) {
    // [R2] acquire: frames, descriptors and the count of copies as of this word; pairs with [R4]
    std::uint64_t now = word_.load(base::acquire);
    const std::uint32_t begin = begin_of(now);
    const std::uint32_t end = end_of(now);
    if (begin >= end) return false;
    const cell& from = ring_[begin % capacity];
    for (unsigned i = 0; i < descriptor::count; ++i) out->what.words[i] = from.words[i].load(base::relaxed);
    // [R3] release: the descriptor was read; pairs with [R1]
    if (!word_.compare_exchange_strong(now, packed(epoch_of(now), begin + 1, end), base::release)) return false;
    out->index = begin;
    out->is_last = begin + 1 == end;
    return true;
  }
  void count_copy() {
    // [R6] release: the copy before its count; pairs with [R5]
    copied_.fetch_add(1, base::release);
  }

  // A glance that may be stale.
  [[nodiscard]] bool seems_empty() const {
    const std::uint64_t now = word_.load(base::relaxed);
    return begin_of(now) >= end_of(now);
  }

 private:
  static constexpr unsigned epoch_at = 2 * index_bits;
  static constexpr std::uint64_t index_mask = most_indexes - 1;
  static std::uint64_t epoch_of(std::uint64_t word) { return word >> epoch_at; }
  static std::uint32_t begin_of(std::uint64_t word) { return static_cast<std::uint32_t>((word >> index_bits) & index_mask); }
  static std::uint32_t end_of(std::uint64_t word) { return static_cast<std::uint32_t>(word & index_mask); }
  static std::uint64_t packed(std::uint64_t epoch, std::uint32_t begin, std::uint32_t end) {
    return epoch << epoch_at | static_cast<std::uint64_t>(begin) << index_bits | end;
  }

  struct alignas(base::cache_line) cell {
    base::atomic<std::uint64_t> words[descriptor::count];
  };

  alignas(base::cache_line) base::atomic<std::uint64_t> word_;    // the owner and thieves
  std::uint32_t first_ = 0;                                       // the owner alone; it changes when word_ does
  alignas(base::cache_line) base::atomic<std::uint32_t> copied_;  // thieves add, the owner waits
  cell ring_[capacity];                                           // the owner writes, thieves read
};

using steal_queue = basic_steal_queue<32>;

}  // namespace weft::dist
