// Protocol R, joins that wait in place: docs/protocols/R.md.
//
// A forker that must not leave its rank, or finds no memory for its frames, waits on its rank's
// stack. The rank then runs nothing else. Where a thread always lies on the stack of a rank that
// runs it or its descendants, such a wait ends. Under WEFT_DIST_CHECK=all threads also lie where
// only an idle rank takes them up, so that all ranks may wait for each other's. The last rank to
// begin such a wait finds out.
#pragma once

#include "arch/cpu.hpp"
#include "base/test_and_set_lock.hpp"
#include "dist/words/join_record.hpp"
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
    lock_.unlock();
    return is_deadlock;
  }
  // Before the record is given back.
  void end(int rank) {
    lock();
    of_[rank] = nullptr;
    lock_.unlock();
  }

 private:
  [[nodiscard]] bool wait_for_ever(int ranks) const {
    for (int rank = 0; rank < ranks; ++rank) {
      if (of_[rank] == nullptr || of_[rank]->has_ended()) return false;
    }
    return true;
  }

  // A holder sees the waits of others, and the ends of children before them.
  void lock() {
    lock_.lock([](unsigned) { arch::pause(); });
  }

  base::test_and_set_lock lock_;
  const join_record* of_[net::most_ranks] = {};  // null: the rank does not wait in place
};

}  // namespace weft::dist
