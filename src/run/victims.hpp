// In which order a worker robs the others: near ones first, those at equal distance in an order of
// its own, which begins at another one each time.
#pragma once

#include "unit/unit.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// Owner only. Brings w->victims up to date with the workers that there are.
void order_victims(worker* w);

// What `take` makes of the first of w->victims of which it makes a unit. Thieves that search at the
// same time do not all come to the same victim: of those at equal distance each search begins with
// one at random.
template <class Take>
unit* take_from_first(worker* w, Take take) {
  unsigned begin = 0;
  for (const unsigned end : w->victim_ends) {
    const unsigned count = end - begin;
    unsigned at = count > 1 ? begin + w->random.below(count) : begin;
    for (unsigned left = count; left != 0; --left) {
      worker* const victim = worker_in_slot(w->rt, w->victims[at]);
      if (++at == end) at = begin;
      if (victim == nullptr) continue;
      if (unit* const one = take(victim); one != nullptr) return one;
    }
    begin = end;
  }
  return nullptr;
}

}  // namespace weft::sched
