// An exception that a rank keeps for others, in its shared part. What crosses ranks is the address
// of an entry: the exception itself stays on the heap of the rank on which it was thrown.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "dist/words/join_record.hpp"

namespace weft::dist {

struct kept_exception {
  enum : std::uint32_t { free, held, dropped };

  // By the rank that is the last to read it: the owner, which has taken the exception, or another
  // rank.
  void drop(bool is_own) {
    // [R14] release: the texts were read; pairs with [R15]
    state.store(is_own ? free : dropped, base::release);
  }
  // The owner. True: another rank has dropped it, and the entry is free.
  bool collect() {
    // [R15] acquire: the texts may be written over; pairs with [R14]
    if (state.load(base::acquire) != dropped && dropped_far.value() == 0) return false;
    dropped_far.clear();
    state.store(free, base::relaxed);
    return true;
  }

  base::atomic<std::uint32_t> state;
  put_word dropped_far;  // not 0: a rank of another node has dropped it
  void* exception;       // the owner's
  char type[112];
  char what[256];
};

inline constexpr unsigned most_exceptions = 1024;

}  // namespace weft::dist
