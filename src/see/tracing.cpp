// See tracing.hpp.
#include "see/tracing.hpp"

#include <weft/hot.h>

#include <cstring>

#include "base/align.hpp"
#include "queue/spinlock.hpp"
#include "run/end.hpp"
#include "run/fork.hpp"
#include "run/wait.hpp"
#include "see/report.hpp"
#include "see/traced.hpp"
#include "unit/waiter.hpp"
#include "worker/extras.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/seam.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

using trace::leave;
using trace::reason;
using trace::record;
using trace::record_kind;

namespace {

constexpr unsigned outside_ring = trace::most_rings - 1;

void put(tracing* to, const worker* w, const record& one) {
  if (w != nullptr) return trace::put(to->recorded, w->index, one);
  const queue::guard hold(to->outside_lock);
  trace::put(to->recorded, outside_ring, one);
}

std::uint64_t id_of_running(const worker* w) { return w != nullptr && w->current != nullptr ? id_of(w->current) : 0; }

std::uint16_t place_of(const worker* w) { return w != nullptr ? static_cast<std::uint16_t>(w->index) : trace::outside; }

void put_name(tracing* to, const worker* w, unit* one) {
  const details* extra = details_if_any(one);
  const auto function = shown_function(one);
  const void* const made_at = is_builders_start(function_of(one)) ? nullptr : one->maker();
  const char* name = extra != nullptr ? extra->name : nullptr;
  if (one->has(is_adopted) && (name == nullptr || name[0] == '\0')) name = adopted_name;
  put(to, w, name_record(id_of(one), function, name, made_at, false, to->recorded->time.stamp()));
}

// ---- turns ----

void open_turn(tracing* to, const worker* w, unit* one) {
  traced* mark = traced_of(w->rt, one);
  const change_of change(mark);
  mark->begin = to->recorded->time.stamp();
  mark->at = static_cast<std::uint16_t>(w->index);
  mark->is_open = true;
  mark->is_ready = false;
  to->running[w->index] = one;
}

// what: it waits for now.
void close_turn(tracing* to, const worker* w, unit* one, leave how, const char* what = nullptr) {
  traced* mark = traced_of(w->rt, one);
  if (!mark->is_open) return;
  const std::uint64_t now = to->recorded->time.stamp();
  const record made = turn_record(id_of(one), *mark, now, how);
  {
    const change_of change(mark);
    mark->is_open = mark->is_stolen = false;
    mark->why = reason::none;
    mark->since = 0;
    mark->what = what;
    mark->left = now;
  }
  to->running[w->index] = nullptr;
  put(to, w, made);  // last: the writer of a trace of dying takes open turns for not recorded
}

// ---- events ----

void created(tracing* to, const worker* w, unit* one) {
  traced* mark = traced_of(to->rt, one);
  static_cast<void>(id_of(one));
  const change_of change(mark);
  mark->is_new = true;
  if (mark->why == reason::forked) return;  // all is known since the fork
  mark->why = reason::created;
  mark->since = to->recorded->time.stamp();
  mark->by = id_of_running(w);
  mark->on = place_of(w);
}

void became_ready(tracing* to, const worker* w, unit* one, reason why) {
  traced* mark = traced_of(to->rt, one);
  const change_of change(mark);
  const bool is_again = mark->is_ready;
  mark->is_ready = true;
  if (mark->is_new) {
    mark->is_new = false;
    return;
  }
  mark->why = is_again ? reason::migrated : why;
  mark->since = to->recorded->time.stamp();
  mark->by = id_of_running(w);
  mark->on = place_of(w);
}

void ran(tracing* to, const worker* w, unit* one) {
  if (unit* before = to->running[w->index]; before != nullptr && before != one) close_turn(to, w, before, leave::aside);
  open_turn(to, w, one);
}

void parked(tracing* to, const worker* w, unit* one) {
  const waiter* record = one->waiting;
  close_turn(to, w, one, leave::parked, record != nullptr ? record->what : nullptr);
}

void yielded(tracing* to, const worker* w, unit* one) {
  close_turn(to, w, one, leave::yielded);
  became_ready(to, w, one, reason::yielded);
}

void ended(tracing* to, const worker* w, unit* one) {
  close_turn(to, w, one, leave::ended);
  put_name(to, w, one);
  leave_state(traced_of(to->rt, one));
}

void stolen(tracing* to, unit* one) {
  traced* mark = traced_of(to->rt, one);
  const change_of change(mark);
  mark->is_stolen = true;
}

void joined(tracing* to, const worker* w, unit* one) {
  record made{};
  made.kind = record_kind::join;
  made.begin = made.end = to->recorded->time.stamp();
  made.thread = id_of(one);
  made.other = id_of_running(w);
  made.on = place_of(w);
  put(to, w, made);
}

}  // namespace

std::size_t traced_bytes(const runtime* rt) {
  static_assert(sizeof(traced) <= most_traced_bytes);
  return rt->settings.trace != nullptr ? sizeof(traced) : 0;
}

void trace_event(const runtime* rt, worker* w, weft_event_kind kind, unit* one) {
  tracing* to = rt->tracer;
  if (!to->recorded->is_on.load(base::relaxed)) return;  // the writer of a trace of dying finds the turns that are open
  switch (kind) {
    case WEFT_ON_CREATE: return created(to, w, one);
    case WEFT_ON_READY: return became_ready(to, w, one, reason::woken);
    case WEFT_ON_RUN: return ran(to, w, one);
    case WEFT_ON_YIELD: return yielded(to, w, one);
    case WEFT_ON_PARK: return parked(to, w, one);
    case WEFT_ON_END: return ended(to, w, one);
    case WEFT_ON_JOIN: return joined(to, w, one);
    case WEFT_ON_STEAL: return stolen(to, one);
  }
}

void trace_resumed(worker* w, unit* self) {
  tracing* to = w->rt->tracer;
  if (to != nullptr && to->recorded->is_on.load(base::relaxed)) ran(to, w, self);
}

void trace_note(const runtime* rt, const char* name, std::uint64_t value) {
  tracing* to = rt->tracer;
  if (to == nullptr || !to->recorded->is_on.load(base::relaxed)) return;
  const worker* w = local::current_worker();
  record made{};
  made.kind = record_kind::note;
  made.begin = made.end = to->recorded->time.stamp();
  made.thread = id_of_running(w);
  made.other = value;
  made.about = name;
  made.on = place_of(w);
  put(to, w, made);
}

// ---- forks ----

void trace_fork(const worker* w, weft_forked* forked) {
  forked->taker = reinterpret_cast<void*>(w->rt->tracer->recorded->time.stamp());
}

void trace_fork_as_unit(const runtime* rt, unit* one, const weft_forked* forked, const worker* on) {
  unit* forker = base::load_relaxed(on->current);
  traced* mark = traced_of(rt, one);
  const change_of change(mark);
  mark->why = reason::forked;
  mark->since = reinterpret_cast<std::uintptr_t>(forked->taker);
  mark->by = forker != nullptr ? id_of(forker) : 0;
  mark->on = static_cast<std::uint16_t>(on->index);
}

void run_traced(const runtime* rt, void (*run)(void* work), weft_forked* forked) {
  tracing* to = rt->tracer;
  record made{};
  made.kind = record_kind::fork;
  made.thread = id_of(local::current_unit());
  made.since = reinterpret_cast<std::uintptr_t>(forked->taker);
  made.about = reinterpret_cast<const void*>(run);
  made.begin = to->recorded->time.stamp();
  run(forked->work);
  made.end = to->recorded->time.stamp();
  const worker* w = local::current_worker();
  made.on = place_of(w);
  put(to, w, made);
}

}  // namespace weft::sched
