#include "run/victims.hpp"

#include "os/topology.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

unsigned distance_to(const worker* w, unsigned index) {
  return os::distance(*w->rt->machine, cpu_of(w->rt, w->index), cpu_of(w->rt, index));
}

void shuffle(worker* w) {
  for (unsigned left = w->victim_count; left > 1; --left) {
    const unsigned other = w->random.below(left);
    const std::uint16_t moved = w->victims[left - 1];
    w->victims[left - 1] = w->victims[other];
    w->victims[other] = moved;
  }
}

// Stable, and short lists: insertion.
void sort_by_distance(worker* w) {
  for (unsigned at = 1; at < w->victim_count; ++at) {
    const std::uint16_t moved = w->victims[at];
    const unsigned distance = distance_to(w, moved);
    unsigned hole = at;
    for (; hole > 0 && distance_to(w, w->victims[hole - 1]) > distance; --hole) w->victims[hole] = w->victims[hole - 1];
    w->victims[hole] = moved;
  }
}

void note_ends(worker* w) {
  unsigned at = 0;
  for (unsigned distance = 0; distance <= os::level_count; ++distance) {
    while (at < w->victim_count && distance_to(w, w->victims[at]) <= distance) ++at;
    w->victim_ends[distance] = static_cast<std::uint16_t>(at);
  }
}

}  // namespace

void order_victims(worker* w) {
  const unsigned slots = w->rt->worker_slots.load(base::relaxed);
  if (w->victim_slots == slots) return;
  w->victim_slots = slots;
  w->victim_count = 0;
  for (unsigned index = 0; index < slots; ++index) {
    if (index != w->index) w->victims[w->victim_count++] = static_cast<std::uint16_t>(index);
  }
  shuffle(w);
  sort_by_distance(w);
  note_ends(w);
}

}  // namespace weft::sched
