// See idle_memory.hpp. When a step is due is a hint in each depot, and until when the keeper of the
// clock sleeps is one in the runtime: a keeper that learns too late of what is due gives it back
// when it, or another worker, sleeps the next time.
#include "run/idle_memory.hpp"

#include "run/wake.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// visit(depot) for each.
template <class Visit>
void for_each_depot(runtime* rt, Visit visit) {
  visit(&rt->stack_depot);
  for (mem::stack_depot& each : rt->sized_stacks) visit(&each);
  visit(&rt->unit_depot);
  for (mem::slab_depot& each : rt->copied_depots) visit(&each);
}

std::uint64_t earliest_due_ns(runtime* rt) {
  std::uint64_t earliest = UINT64_MAX;
  for_each_depot(rt, [&](const auto* depot) {
    if (depot->decay_due_ns() < earliest) earliest = depot->decay_due_ns();
  });
  return earliest;
}

}  // namespace

bool gives_idle_memory_back(const worker* w, std::uint64_t now_ns) {
  bool any_went = false;
  for_each_depot(w->rt, [&](auto* depot) {
    if (depot->decay_due_ns() <= now_ns && depot->decay(now_ns)) any_went = true;
  });
  return any_went;
}

std::uint64_t time_for_idle_memory(const worker* w) {
  runtime* const rt = w->rt;
  const std::uint64_t due_ns = earliest_due_ns(rt);
  if (rt->clock_keeper.load(base::relaxed) == w) {
    rt->keeper_looks_at_memory_ns.store(due_ns, base::relaxed);
    return due_ns;
  }
  if (due_ns < rt->keeper_looks_at_memory_ns.load(base::relaxed)) wake_clock_keeper(rt);
  return UINT64_MAX;
}

}  // namespace weft::sched
