// Protocol R, a join that crosses ranks: docs/protocols/R.md.
//
// A record belongs to a continuation that became public. Once a thief has the continuation, the
// child ends on one rank and the forker joins on another, and the record is where they meet. It
// lies in the memory that the ranks of a node share. Its owner made it; the forker that joins gives
// it back through the owner's return_list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/align.hpp"
#include "base/atomic.hpp"

namespace weft::dist {

// Blocks that other ranks give back to their owner. A block begins with a word for the link.
class return_list {
 public:
  // Any rank. block: the address that all ranks of the node know it by.
  void give(std::uint64_t block, base::atomic<std::uint64_t>& link) {
    std::uint64_t first = first_.load(base::relaxed);
    do {
      link.store(first, base::relaxed);
      // [R10] release: the giver is done with the block; pairs with [R11]
    } while (!first_.compare_exchange_weak(first, block, base::release));
  }
  // The owner. The newest of a chain over the links; 0: none.
  std::uint64_t take_all() {
    if (first_.load(base::relaxed) == 0) return 0;
    // [R11] acquire: as the giver left it; pairs with [R10]
    return first_.exchange(0, base::acquire);
  }

 private:
  base::atomic<std::uint64_t> first_;
};

// A word that its owner loads, and that another rank changes by a put, or, on the owner's node, by
// a store: so the owner learns what the other has done, without an answer.
class put_word {
 public:
  void clear() { value_.store(0, base::relaxed); }
  // The owner, where no other rank will change it.
  void set_own(std::uint64_t value) { value_.store(value, base::relaxed); }
  void set(std::uint64_t value) {
    // [R20] release: what the rank has done before; pairs with [R19]
    value_.store(value, base::release);
  }
  [[nodiscard]] std::uint64_t value() const {
    // [R19] acquire: what the rank that put the value has done before; pairs with [R20], and
    // with the put of a transport
    return value_.load(base::acquire);
  }

 private:
  base::atomic<std::uint64_t> value_;
};

// Whether the root has ended, and on which rank.
class root_word {
 public:
  void clear() { rank_and_one_.store(0, base::relaxed); }
  void set(int rank) {
    // [R12] release: the result; pairs with [R13]
    rank_and_one_.store(static_cast<std::uint64_t>(rank) + 1, base::release);
  }
  // -1: it has not ended.
  [[nodiscard]] int rank() const {
    // [R13] acquire: the result; pairs with [R12]
    return static_cast<int>(rank_and_one_.load(base::acquire)) - 1;
  }

 private:
  base::atomic<std::uint64_t> rank_and_one_;
};

struct alignas(base::cache_line) join_record {
  static constexpr std::size_t cargo_bytes = 48;
  // Any other state: the address of the forker's evacuated frames.
  static constexpr std::uint64_t running = 0, ended = 1, discarded = 2;

  base::atomic<std::uint64_t> link;   // in a pool or a return_list
  base::atomic<std::uint64_t> state;  // the child's end and the forker's wait
  unsigned char cargo[cargo_bytes];   // the child's, then the forker's

  void reset() { state.store(running, base::relaxed); }

  // In a job of several nodes the forker or the child may leave the node before the other side has
  // come: its side then goes to a far record (far.hpp), and so does the other, once it finds that.
  // The last to come gives this record back. Both return what the state was: running, ended, or the
  // record to which the other side has moved.
  std::uint64_t move_forker(std::uint64_t to) {
    std::uint64_t expected = running;
    // [R21] release: publishes the far record, or, where the other side has come, sees what it
    // left; pairs with [R7] [R22]
    state.compare_exchange_strong(expected, to, base::release, base::acquire);
    return expected;
  }
  std::uint64_t move_child(std::uint64_t to) {
    // [R22] acq_rel: as move_forker; pairs with [R21] [R23] [R24]
    return state.exchange(to, base::acq_rel);
  }
  // Neither running nor ended: that record.
  [[nodiscard]] join_record* moved_to() const {
    // [R23] acquire: the far record; pairs with [R22]
    return reinterpret_cast<join_record*>(state.load(base::acquire));
  }

  // The child's end. Returns the forker's evacuated frames if it waits: the caller must resume it;
  // `discarded` if it never will: the caller gives the record back; 0 otherwise.
  std::uint64_t end(const void* from) {
    std::memcpy(cargo, from, cargo_bytes);
    // [R7] acq_rel: publishes the cargo, and takes over the frames of a forker that waits; pairs
    // with [R8] [R9] [R21] [R24]
    return state.exchange(ended, base::acq_rel);
  }

  // The forker's side. Acquire: the child's cargo.
  [[nodiscard]] bool has_ended() const {
    // [R8] acquire: the cargo; pairs with [R7]
    return state.load(base::acquire) == ended;
  }
  // The forker's frames lie at `frames` from now on. False: the child ended before, and the forker
  // goes on.
  bool wait(std::uint64_t frames) {
    std::uint64_t expected = running;
    // [R9] release: publishes the evacuated frames, or, where the child has ended, sees the cargo;
    // pairs with [R7]
    return state.compare_exchange_strong(expected, frames, base::release, base::acquire);
  }
  // The forker will never join. What the state was: running: the child's side gives the record
  // back; ended: the forker does; else the far record to which the child's side has moved.
  std::uint64_t discard() {
    std::uint64_t expected = running;
    // [R24] release: the forker is done with the record, and has counted the fork; where the
    // child's side has come, sees what it left; pairs with [R7] [R22]
    state.compare_exchange_strong(expected, discarded, base::release, base::acquire);
    return expected;
  }
};

}  // namespace weft::dist
