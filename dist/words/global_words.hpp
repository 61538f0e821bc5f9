// Protocol G: docs/protocols/G.md. What the global heap of a rank holds besides the program's
// bytes, and the steps on it, over the operations of a transport (net/rma.hpp). What the bytes mean
// is said elsewhere (global.hpp), so that a model runs this very header over a transport of its
// own.
//
// - Memory of *objects* is taken and given by any rank: a stack of free blocks for each size, and
//   below them what no block was made of yet.
// - A *cell* is a value that is set once, behind the word that says so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/align.hpp"
#include "base/atomic.hpp"
#include "dist/words/join_record.hpp"
#include "net/rma.hpp"

namespace weft::dist {

// At the beginning of a rank's heap. The operations of one transport change all of it.
template <unsigned Classes>
struct basic_heap_words {
  static constexpr unsigned classes = Classes;
  static constexpr unsigned link_bits = 40;
  static constexpr std::uint64_t number_mask = (std::uint64_t{1} << link_bits) - 1;

  alignas(base::cache_line) base::atomic<std::uint64_t> room;  // bytes that neither arrays nor objects have
  base::atomic<std::uint64_t> discarded;                       // of rank 0: discarded forks that have not ended
  // { tag : 24, number : 40 }: the newest free block of a size; number 0: none. A block's first
  // word is the number of the next.
  alignas(base::cache_line) base::atomic<std::uint64_t> free[classes];
};
using heap_words = basic_heap_words<26>;

// A rank's memory for objects.
template <class Words>
class basic_object_memory {
 public:
  static constexpr std::size_t smallest = 64;  // bytes of a block of the first class; the next has twice as many
  static constexpr std::size_t bytes_of(unsigned which) { return smallest << which; }

  // at: where the heap begins in the window.
  basic_object_memory(const net::rma& by, const net::window& window, int rank, std::size_t at)
      : by_(by), window_(window), rank_(rank), at_(at) {}

  // Where a block lies in the heap; 0: no memory. above: the end of the arrays, the same in all
  // heaps.
  std::uint64_t take(unsigned which, std::size_t above) const {
    std::uint64_t seen = load(head_of(which));
    while (number_of(seen) != 0) {
      std::uint64_t next = 0;  // of a block that another rank has taken meanwhile: any bytes, and the swap fails
      by_.get(window_, rank_, at_ + offset_of(seen), &next, sizeof next);
      by_.flush(window_, rank_);
      const std::uint64_t found = by_.compare_swap(window_, rank_, head_of(which), seen, after(seen, next));
      if (found == seen) return offset_of(seen);
      seen = found;
    }
    return take_new(bytes_of(which), above);
  }

  void give(unsigned which, std::uint64_t offset) const {
    std::uint64_t seen = load(head_of(which));
    for (;;) {
      const std::uint64_t next = number_of(seen);
      by_.put(window_, rank_, at_ + offset, &next, sizeof next);
      by_.flush(window_, rank_);
      const std::uint64_t found = by_.compare_swap(window_, rank_, head_of(which), seen, after(seen, offset / smallest));
      if (found == seen) return;
      seen = found;
    }
  }

 private:
  static std::uint64_t number_of(std::uint64_t head) { return head & Words::number_mask; }
  static std::uint64_t offset_of(std::uint64_t head) { return number_of(head) * smallest; }
  // With the next tag: no head has the same value soon.
  static std::uint64_t after(std::uint64_t head, std::uint64_t number) {
    const std::uint64_t tag = (head >> Words::link_bits) + 1;
    return tag << Words::link_bits | (number & Words::number_mask);
  }
  [[nodiscard]] std::size_t head_of(unsigned which) const { return at_ + offsetof(Words, free) + which * sizeof(std::uint64_t); }
  [[nodiscard]] std::uint64_t load(std::size_t offset) const { return (by_.fetch_add)(window_, rank_, offset, 0); }

  [[nodiscard]] std::uint64_t take_new(std::size_t bytes, std::size_t above) const {
    const std::size_t room = at_ + offsetof(Words, room);
    std::uint64_t seen = load(room);
    while (seen >= bytes) {
      const std::uint64_t found = by_.compare_swap(window_, rank_, room, seen, seen - bytes);
      if (found == seen) return above + seen - bytes;
      seen = found;
    }
    return 0;
  }

  const net::rma& by_;
  const net::window& window_;
  int rank_;
  std::size_t at_;
};
using object_memory = basic_object_memory<heap_words>;

// A cell in the memory of another node; where a rank shares the memory, it uses the word itself.
struct far_cell {
  const net::rma& by;
  const net::window& window;
  int rank;
  std::size_t offset;  // of the word; the value follows

  void set(const void* value, std::size_t bytes) const {
    const std::uint64_t yes = 1;
    by.put(window, rank, offset + sizeof(put_word), value, bytes);
    by.flush(window, rank);  // before the word says so
    by.put(window, rank, offset, &yes, sizeof yes);
    by.flush(window, rank);
  }
  [[nodiscard]] bool is_set() const {
    std::uint64_t word = 0;
    by.get(window, rank, offset, &word, sizeof word);
    by.flush(window, rank);
    return word != 0;
  }
  // Of a cell that is set: not in one get with the word, whose bytes may arrive in any order.
  void read(void* into, std::size_t bytes) const {
    by.get(window, rank, offset + sizeof(put_word), into, bytes);
    by.flush(window, rank);
  }
};

}  // namespace weft::dist
