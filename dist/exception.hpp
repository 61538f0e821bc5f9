// Exceptions that ranks keep for each other, in the shared part of the rank on which they were
// thrown. What crosses ranks is the address of an entry: the exception itself stays on the heap of
// its rank. See include/weft/remote_error.hpp, the only caller.
//
// An *open* exception is one that was thrown and whose handler has not ended. It lies on the heap
// of its rank, and the C++ run time of that rank lists it for the OS thread. So a thread with an
// open exception must not move. All threads on a rank's stack share the list, so the rank gives
// none of them away while an exception is open.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "dist/join_record.hpp"

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

// When a root begins, on its OS thread: exceptions that are open then are the caller's, not the
// root's.
void note_open_exceptions();
// On the same OS thread: whether a thread of the root has an exception open.
[[nodiscard]] bool has_open_exception();

inline constexpr unsigned most_exceptions = 1024;

}  // namespace weft::dist
