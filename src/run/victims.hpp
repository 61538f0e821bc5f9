// In which order a worker robs the others: near ones first, those at equal distance in an order of
// its own.
#pragma once

namespace weft::sched {

struct worker;

// Owner only. Brings w->victims up to date with the workers that there are.
void order_victims(worker* w);

}  // namespace weft::sched
