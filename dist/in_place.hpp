// Protocol R, joins that wait in place: docs/protocols/R.md.
//
// A forker that must not leave its rank, or finds no memory for its frames, waits on its rank's
// stack. The rank then runs nothing else. Where a thread always lies on the stack of a rank that
// runs it or its descendants, such a wait ends. Under WEFT_DIST_CHECK=all threads also lie where
// only an idle rank takes them up, so that all ranks may wait for each other's. The last rank to
// begin such a wait finds out.
#pragma once

#include "arch/cpu.hpp"
#include "base/atomic.hpp"
#include "dist/join_record.hpp"
#include "net/job.hpp"

namespace weft::dist {

// In rank 0's shared part.
class in_place_waits {
 public:
  // The rank waits in place for the child of this record. True: so do all others, for ever.
  [[nodiscard]] bool begin(int rank, int ranks, const join_record* record) {
    lock();
    of_[rank] = record;
    const bool is_deadlock = wait_for_ever(ranks);
    unlock();
    return is_deadlock;
  }
  // Before the record is given back.
  void end(int rank) {
    lock();
    of_[rank] = nullptr;
    unlock();
  }

 private:
  [[nodiscard]] bool wait_for_ever(int ranks) const {
    for (int rank = 0; rank < ranks; ++rank) {
      if (of_[rank] == nullptr || of_[rank]->has_ended()) return false;
    }
    return true;
  }

  void lock() {
    std::uint32_t expected = 0;
    // [R16] acquire: the waits of others, and the ends of children before them; pairs with [R17]
    while (!is_locked_.compare_exchange_strong(expected, 1, base::acquire, base::relaxed)) {
      expected = 0;
      arch::pause();
    }
  }
  void unlock() {
    // [R17] release: this rank's wait, and the children that it has ended before; pairs with [R16]
    is_locked_.store(0, base::release);
  }

  base::atomic<std::uint32_t> is_locked_{0};
  const join_record* of_[net::most_ranks] = {};  // null: the rank does not wait in place
};

}  // namespace weft::dist
