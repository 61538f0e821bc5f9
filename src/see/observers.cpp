// Which observers are told of what happens to units: the trace, counters of errors, and the event
// sink, which may be set and taken away while units run.
#include "see/observers.hpp"

#include <cstdlib>
#include <new>

#include "base/assert.hpp"
#include "mem/stack.hpp"
#include "os/heap.hpp"
#include "see/blame.hpp"
#include "see/tracing.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

using event_hearer = void (*)(void* state, weft_event_kind kind, weft_thread* thread);

namespace {

// A caller that is still inside a replaced record only reads what never changes. Null: no memory.
listener* replaced_or_new(runtime* rt, event_hearer hear, void* state) {
  for (listener** link = &rt->replaced_sinks; *link != nullptr; link = &(*link)->replaced) {
    listener* const known = *link;
    if (known->hear != hear || known->state != state) continue;
    *link = known->replaced;
    return known;
  }
  void* const memory = os::allocate(sizeof(listener));
  return memory != nullptr ? new (memory) listener{hear, state, nullptr} : nullptr;
}

}  // namespace

status set_listener(runtime* rt, event_hearer hear, void* state) {
  const queue::guard hold(rt->pools_lock);
  listener* const made = hear != nullptr ? replaced_or_new(rt, hear, state) : nullptr;
  if (hear != nullptr && made == nullptr) return status::nomem;
  listener* const old = rt->sink.load(base::relaxed);
  // [A93] release: publishes the record; pairs with [A94]
  rt->sink.store(made, base::release);
  rt->tells_events.store(made != nullptr || rt->settings.trace != nullptr || rt->counts_errors, base::relaxed);
  if (old == nullptr) return status::ok;
  old->replaced = rt->replaced_sinks;
  rt->replaced_sinks = old;
  return status::ok;
}

namespace {

// The unit that ran on w until this event; null: none did. One that ends or yields may have left
// already.
unit* runner_until(const worker* w, weft_event_kind kind, unit* one) {
  return kind == WEFT_ON_END || kind == WEFT_ON_YIELD ? one : w->current;
}

}  // namespace

void tell_observers(const runtime* rt, weft_event_kind kind, unit* one) {
  worker* w = local::current_worker();
  if (rt->counts_errors && w != nullptr) blame_errors(w, runner_until(w, kind, one));
  if (rt->tracer != nullptr) trace_event(rt, w, kind, one);
  // [A94] acquire: sees the record; pairs with [A93]
  const listener* const to = rt->sink.load(base::acquire);
  if (to == nullptr) return;
  if (config::checked && w != nullptr && w->is_in_sink)
    base::panic("the event sink causes an event itself (%d)", static_cast<int>(kind));
  const without_identity callback(w);
  if (w != nullptr) w->is_in_sink = true;
  to->hear(to->state, kind, reinterpret_cast<weft_thread*>(one));
  if (w != nullptr) w->is_in_sink = false;
}

void tell_stack(const runtime* rt, worker* w, const mem::stack* stack) {
  const mem::stack_sink& to = rt->stack_sink;
  if (to.tell == nullptr) return;
  const without_identity callback(w);
  to.tell(to.state, stack->low, stack->usable_bytes());
}

void free_listeners(runtime* rt) {
  static_cast<void>(set_listener(rt, nullptr, nullptr));
  while (listener* one = rt->replaced_sinks) {
    rt->replaced_sinks = one->replaced;
    std::free(one);
  }
}

}  // namespace weft::sched
