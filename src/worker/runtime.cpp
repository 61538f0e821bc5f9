#include "worker/runtime.hpp"

#include "queue/spinlock.hpp"
#include "worker/hooks.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

void begin_call(runtime* rt) { rt->calls.fetch_add(1, base::relaxed); }

void end_call(runtime* rt) {
  // [A46] release: done with the runtime; pairs with [A47]
  rt->calls.fetch_sub(1, base::release);
}

worker* serving_worker(runtime* rt, unsigned index) {
  if (index >= most_workers) return nullptr;
  worker* w = worker_in_slot(rt, index);
  return w != nullptr && w->is_serving.load(base::relaxed) ? w : nullptr;
}

bool pin_to(runtime* rt, unsigned index) {
  const queue::guard hold(rt->workers_lock);
  worker* w = serving_worker(rt, index);
  if (w == nullptr) return false;
  w->pinned_units.fetch_add(1, base::relaxed);
  return true;
}

void unpin_from(runtime* rt, unsigned index) { rt->workers[index].load(base::relaxed)->pinned_units.fetch_sub(1, base::relaxed); }

unsigned cpu_of(const runtime* rt, unsigned index) {
  if (rt->placed_cpu_count != 0) return rt->placed_cpus[index % rt->placed_cpu_count];
  if (rt->machine->source == os::topology_source::synthetic) return index % rt->machine->cpu_count;
  return rt->cpus[index % rt->cpu_count];
}

unsigned bound_cpu_of(const runtime* rt, unsigned index) {
  if (rt->placed_cpu_count == 0) return rt->cpus[index % rt->cpu_count];
  const unsigned cpu = cpu_of(rt, index);
  return rt->machine->source == os::topology_source::synthetic ? rt->cpus[cpu % rt->cpu_count] : cpu;
}

}  // namespace weft::sched
