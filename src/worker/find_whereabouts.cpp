#include "worker/find_whereabouts.hpp"

#include "worker/glance.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

whereabouts find_whereabouts(const worker* w) {
  whereabouts found;
  found.in = glance(w->current);
  found.turns_left = glance(w->turns_left);
  found.finished = w->finished.load(base::relaxed);
  found.times_idle = w->times_idle.load(base::relaxed);
  return found;
}

}  // namespace weft::sched
