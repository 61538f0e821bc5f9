// Protocol R, the public part of a rank's queue of continuations: docs/protocols/R.md.
//
// The rank's newest continuations are private: plain memory that no other rank reads. The oldest
// are public: one atomic word {epoch, begin, end} says which indexes other ranks may claim, and a
// ring of descriptors says what they are. The word and the descriptors are opaque numbers here, so
// that the explorer runs this very header; what they mean is said in layout.hpp.
//
// The owner publishes behind end and takes back from end. A thief of the node claims begin by one
// compare-exchange, copies what the descriptor names, and then stores the descriptor's ticket
// beside it. The owner must not write over what was claimed until all_copied(). The epoch changes
// with every publication and every new occupancy, so that a claim with a stale descriptor fails.
// Claimants that cannot use this CPU's atomics, such as a network's, need a word of their own
// beside this one.
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
    bool is_last;         // nothing public is left
    std::uint64_t which;  // the ticket of its description
  };

  // ---- the owner ----

  // A new occupancy, whose first continuation will have this index. Nothing is public and nothing
  // is being copied.
  void occupy(std::uint32_t first) {
    first_ = first;
    const std::uint64_t now = word_.load(base::relaxed);
    word_.store(packed(epoch_of(now) + 1, first, first), base::relaxed);
  }

  [[nodiscard]] std::uint32_t end() const { return end_of(word_.load(base::relaxed)); }
  // How many of so many more may be public now.
  [[nodiscard]] std::uint32_t room(std::uint32_t wanted) const {
    const std::uint64_t now = word_.load(base::relaxed);
    const std::uint32_t end = end_of(now);
    const std::uint32_t cells = capacity - (end - begin_of(now));
    const std::uint32_t most = wanted < cells ? wanted : cells;
    std::uint32_t count = 0;
    while (count < most && is_cell_free(end + count)) ++count;
    return count;
  }

  // Makes the continuation behind end public in the next publish(). Only as many as room() said.
  void describe(std::uint32_t index, const descriptor& what) {
    ring_[index % capacity].of.write(what, ++descriptions_ << index_bits | index);
  }
  void publish(std::uint32_t count) {
    const std::uint64_t added = static_cast<std::uint64_t>(count) + (std::uint64_t{1} << epoch_at);
    // [R1] acquire: thieves have read the descriptor at the front that is written over next; pairs
    // with [R3]
    const std::uint64_t now = word_.load(base::acquire);
    if (begin_of(now) == end_of(now)) {
      copy_to_front(end_of(now));
      // No thief changes a word of which nothing can be claimed.
      // [R4] release: publishes frames and descriptors; pairs with [R2]
      word_.store(now + added, base::release);
    } else {
      // [R18] release: as [R4]; pairs with [R2]
      word_.fetch_add(added, base::release);
    }
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
    const std::uint32_t begin = begin_of(word_.load(base::relaxed));
    for (std::uint32_t index = begin - first_ > capacity ? begin - capacity : first_; index != begin; ++index) {
      if (!is_copied(index)) return false;
    }
    return true;
  }

  // Nothing is public. The next index to be published is this one, one more than before, because
  // the continuation there became public elsewhere, or one less, because it is private again.
  void skip(std::uint32_t index) {
    const std::uint64_t now = word_.load(base::relaxed);
    if (index > end_of(now)) {
      // A description that was taken back is no claim whose copy goes on.
      cell& its = ring_[end_of(now) % capacity];
      const std::uint64_t ticket = its.of.ticket.load(base::relaxed);
      if ((ticket & index_mask) == end_of(now)) its.copied.store(ticket, base::relaxed);
    }
    word_.store(packed(epoch_of(now) + 1, index, index), base::relaxed);  // no thief changes it meanwhile
  }

  // What the next publication will write, if it is of this index.
  [[nodiscard]] const void* line_of_word() const { return &word_; }
  [[nodiscard]] const void* line_of(std::uint32_t index) const { return &ring_[index % capacity]; }

  // ---- thieves ----

  // fetch(descriptor): before the claim, to fetch what will be copied. The descriptor may be stale
  // then.
  template <class Fetch>
  bool claim(claimed* out, Fetch fetch) {
    // [R2] acquire: frames and descriptors as of this word; pairs with [R4] [R18]
    std::uint64_t now = word_.load(base::acquire);
    const std::uint32_t begin = begin_of(now);
    const std::uint32_t end = end_of(now);
    if (begin >= end) return false;
    out->which = front_.ticket.load(base::relaxed);
    if ((out->which & index_mask) == begin) {
      front_.read(&out->what);
    } else {
      const cell& from = ring_[begin % capacity];
      out->which = from.of.ticket.load(base::relaxed);
      from.of.read(&out->what);
    }
    fetch(out->what);
    // [R3] release: the descriptor was read; pairs with [R1]
    if (!word_.compare_exchange_strong(now, packed(epoch_of(now), begin + 1, end), base::release)) return false;
    out->index = begin;
    out->is_last = begin + 1 == end;
    return true;
  }
  // What was claimed has been copied.
  void end_copy(const claimed& one) {
    // [R6] release: the copy before its end; pairs with [R5]
    ring_[one.index % capacity].copied.store(one.which, base::release);
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

  struct description {
    base::atomic<std::uint64_t> words[descriptor::count];
    base::atomic<std::uint64_t> ticket;  // which description this is, and of which index

    void write(const descriptor& what, std::uint64_t which) {
      for (unsigned i = 0; i < descriptor::count; ++i) words[i].store(what.words[i], base::relaxed);
      ticket.store(which, base::relaxed);
    }
    void read(descriptor* out) const {
      for (unsigned i = 0; i < descriptor::count; ++i) out->words[i] = words[i].load(base::relaxed);
    }
  };
  struct alignas(base::cache_line) cell {
    description of;
    base::atomic<std::uint64_t> copied;  // the ticket of the last claim whose copy has ended
  };

  void copy_to_front(std::uint32_t index) {
    const description& from = ring_[index % capacity].of;
    descriptor what;
    from.read(&what);
    front_.write(what, from.ticket.load(base::relaxed));
  }

  // Whether the copy of an index has ended that was claimed in this occupancy. Where the cell has
  // another description since, room() has found so before.
  [[nodiscard]] bool is_copied(std::uint32_t index) const {
    const cell& its = ring_[index % capacity];
    const std::uint64_t ticket = its.of.ticket.load(base::relaxed);
    // [R5] acquire: the copy ends before the owner writes over what was copied; pairs with [R6]
    return (ticket & index_mask) != index || its.copied.load(base::acquire) == ticket;
  }
  // Whether the claim of the index that had the cell before, if there was one, needs it no more.
  [[nodiscard]] bool is_cell_free(std::uint32_t index) const { return index - first_ < capacity || is_copied(index - capacity); }

  alignas(base::cache_line) base::atomic<std::uint64_t> word_;  // the owner and thieves
  description front_;                                           // in the line of word_: what was published first
  alignas(base::cache_line) std::uint32_t first_ = 0;           // the owner alone; it changes when word_ does
  std::uint64_t descriptions_ = 0;                              // the owner alone
  cell ring_[capacity];                                         // the owner writes, thieves read and end their copies
};

using steal_queue = basic_steal_queue<32>;

}  // namespace weft::dist
