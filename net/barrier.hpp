// The barrier of a job's ranks, on two words of shared memory (protocol J). Waiters spin briefly,
// then sleep on a futex that works between processes. Called once by each rank for each round.
//
// Promises: a rank leaves round n only after all have entered it; what each wrote before is then
// visible. The words are ready for the next round before any rank leaves.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::net {

struct barrier_words {
  alignas(64) base::atomic<std::uint32_t> arrived{0};  // in this round
  base::atomic<std::uint32_t> round{0};
};

// True: this rank was the last, and must wake the others. False: wait until has_passed(*entered).
inline bool arrive(barrier_words* words, std::uint32_t ranks, std::uint32_t* entered) {
  // relaxed: the round cannot end before this rank arrives, so the word stands still.
  *entered = words->round.load(base::relaxed);
  // [J1] acq_rel: the last to arrive sees what all others wrote before; pairs with [J1]
  if (words->arrived.fetch_add(1, base::acq_rel) + 1 != ranks) return false;
  // relaxed: no rank arrives again before it has seen the new round.
  words->arrived.store(0, base::relaxed);
  // [J2] release: what all ranks wrote before, and the count's new start; pairs with [J3]
  words->round.store(*entered + 1, base::release);
  return true;
}

inline bool has_passed(const barrier_words& words, std::uint32_t round) {
  // [J3] acquire: what all ranks wrote before; pairs with [J2]
  return words.round.load(base::acquire) != round;
}

}  // namespace weft::net
