// The word of a worker whose OS thread is in a blocking region (weft_blocking_begin): protocol O,
// docs/protocols/O.md. As long as the word names the call, either side may take the worker: the
// caller, which comes back, or another OS thread, which runs the worker from then on.
//
//      null ----> call       the caller leaves for the kernel
//      call ----> null       the caller has come back in time, or another OS thread has taken the
//                            worker: whichever exchange succeeds
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::sched {

template <class Call>
class lent_word {
 public:
  // ---- the caller ----

  // Also by an OS thread that took it over and has run nothing of the worker.
  // [O1] release: what the caller left in the worker and in the call; pairs with
  // [O2] [O12]
  void lend(Call* call) { word_.store(call, base::release); }

  // False: another OS thread has taken it.
  bool take_back(Call* call) {
    Call* expected = call;
    // [O12] acquire: what an OS thread did that had taken it over and has lent it again; pairs with [O1]
    return word_.compare_exchange_strong(expected, nullptr, base::acquire, base::relaxed);
  }

  // ---- others ----

  // A hint: the call may be over, and its memory may be gone.
  Call* seen() const { return word_.load(base::relaxed); }

  bool take_over(Call* call) {
    Call* expected = call;
    // [O2] acquire: see there; pairs with [O1]
    return word_.compare_exchange_strong(expected, nullptr, base::acquire, base::relaxed);
  }

 private:
  base::atomic<Call*> word_{nullptr};
};

// Where the caller's worker is. Written by the OS thread that has taken it, slept on by the caller
// that comes back.
namespace call_phase {
inline constexpr std::uint32_t in_place = 0;  // with the caller, as far as is said
inline constexpr std::uint32_t taken = 1;     // another OS thread runs it, and is done with the caller's unit
inline constexpr std::uint32_t granted = 2;   // the caller may run it again
inline constexpr std::uint32_t refused = 3;   // it may not: WEFT_DROP
}  // namespace call_phase

}  // namespace weft::sched
