// See source.hpp. One worker at a time is inside the poll of a source; a source that is removed
// stays in memory until the runtime ends, because a worker may be reading its record (protocol A).
#include "place/source.hpp"

#include <cstdlib>
#include <new>

#include "base/assert.hpp"
#include "os/heap.hpp"
#include "os/thread.hpp"
#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/resume.hpp"
#include "run/wait.hpp"
#include "run/wake.hpp"
#include "unit/waiter.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

static constexpr char no_such_worker[] = "there is no worker %u, or it is being removed";

namespace {

constinit base::atomic<int> waits_for_outside{0};  // without a runtime, too

bool may_poll(const worker* w, const source* one) { return one->only == any_worker || one->only == static_cast<int>(w->index); }

void poll(const worker* w, source* one) {
  if (!may_poll(w, one)) return;
  if (!try_enter(one)) {
    if (one->wants_poll.load(base::relaxed)) os::yield_cpu();  // to the worker that is inside; w does not sleep before it is out
    return;
  }
  one->poller.store(w, base::relaxed);
  // [A66] acquire: sees what was there when it was notified; pairs with [A67]
  if (one->wants_poll.load(base::relaxed)) static_cast<void>(one->wants_poll.exchange(false, base::acquire));
  const bool has_found = !one->is_removed.load(base::relaxed) && one->calls.poll(one->state) != 0;
  // There may be more, in a poll that takes some at a time. A read-modify-write: what a notifier
  // published meanwhile stays published. Under a schedule no other worker came in vain meanwhile.
  if (has_found && w->rt->turns == nullptr) static_cast<void>(one->wants_poll.exchange(true, base::relaxed));
  one->poller.store(nullptr, base::relaxed);
  leave(one);
}

// Whether the caller is inside the source's poll or wait.
bool is_own_poll(const source* one) {
  const worker* w = local::current_worker();
  return w != nullptr && one->poller.load(base::relaxed) == w;
}

// Of those that signal handlers have woken, in the order of their waking.
void take_over_from_handlers(worker* w) {
  base::list_link* newest = w->rt->woken_in_handlers.take_all();
  base::list_link* first = nullptr;
  while (newest != nullptr) {
    base::list_link* const earlier = newest->next;
    newest->next = first;
    first = newest;
    newest = earlier;
  }
  while (first != nullptr) {
    auto* const one = static_cast<waiter*>(first);
    first = one->next;  // the record goes with its ULT
    one->next = nullptr;
    one->who != nullptr ? make_ready(w, one->who, push_reason::woken) : static_cast<void>(wake(one));
  }
}

}  // namespace

bool expected_from_outside::any() { return waits_for_outside.load(base::relaxed) != 0; }

void expected_from_outside::count(int change) { waits_for_outside.fetch_add(change, base::relaxed); }

void wake_from_handler(waiter* one) {
  runtime* const rt = local::current_runtime();
  begin_call(rt);  // once it is woken it may end, and the runtime after it
  rt->woken_in_handlers.push(one);
  wake_somebody(rt);
  end_call(rt);
}

namespace {

// Null: no memory.
source* make_source(const source_calls& calls, void* state, bool brings_work, int only) {
  void* memory = os::allocate(sizeof(source));
  if (memory == nullptr) return nullptr;
  auto* made = new (memory) source;
  made->calls = calls;
  made->state = state;
  made->brings_work = brings_work;
  made->only = only;
  return made;
}

void unpin(runtime* rt, int only) {
  if (only != any_worker) unpin_from(rt, static_cast<unsigned>(only));
}

// What is said of them is done in run/idle.cpp.
void tell_too_many_to_keep(const runtime* rt) {
  const unsigned sources = rt->sources_to_keep.load(base::relaxed);
  const unsigned workers = rt->worker_count.load(base::relaxed);
  if (sources <= workers) return;
  base::report(
      "warning: %u sources in which an idle worker sleeps, for %u workers: those without a worker are polled every "
      "millisecond; wait for all news in one source, or add workers",
      sources, workers);
}

status put_into_table(runtime* rt, source* made, source** out) {
  const queue::guard hold(rt->pools_lock);
  for (unsigned slot = 0; slot < most_sources; ++slot) {
    if (rt->sources[slot].load(base::relaxed) != nullptr) continue;
    // [A17] release: publishes the source; pairs with [A18] [A19] [I23]
    rt->sources[slot].store(made, base::release);
    if (made->brings_work) rt->sources_of_work.fetch_add(1, base::relaxed);
    if (made->calls.wait != nullptr) rt->sources_to_keep.fetch_add(1, base::relaxed);
    if (slot >= rt->source_slots.load(base::relaxed)) rt->source_slots.store(slot + 1, base::relaxed);
    *out = made;
    return status::ok;
  }
  return because(status::again, nullptr, "there are 64 sources already, and no more are possible");
}

}  // namespace

status add_source(runtime* rt, const source_calls& calls, void* state, source** out, bool brings_work, int only) {
  source* const made = make_source(calls, state, brings_work, only);
  if (made == nullptr) return status::nomem;
  const bool is_there = only == any_worker || pin_to(rt, static_cast<unsigned>(only));
  const status result = is_there ? put_into_table(rt, made, out)
                                 : because(status::invalid, "worker", no_such_worker, static_cast<std::uint64_t>(only));
  if (result != status::ok) {
    if (is_there) unpin(rt, only);
    std::free(made);
  } else if (calls.wait != nullptr) {
    tell_too_many_to_keep(rt);
    wake_somebody(rt);  // to sleep in it
  }
  return result;
}

status remove_source(runtime* rt, source* one) {
  {
    const queue::guard hold(rt->pools_lock);
    bool found = false;
    for (auto& slot : rt->sources) {
      if (slot.load(base::relaxed) != one) continue;
      if (is_own_poll(one)) return status::deadlock;
      slot.store(nullptr, base::relaxed);
      if (one->brings_work) rt->sources_of_work.fetch_sub(1, base::relaxed);
      if (one->calls.wait != nullptr) rt->sources_to_keep.fetch_sub(1, base::relaxed);
      rt->sources_of_work.fetch_sub(one->expected.exchange(0, base::relaxed), base::relaxed);
      found = true;
    }
    if (!found) return status::invalid;
  }
  one->is_removed.store(true, base::relaxed);
  enter_removed(one);
  unpin(rt, one->only);
  // Freed with the runtime: a worker may still hold the pointer that it is about to try.
  const queue::guard hold(rt->pools_lock);
  one->next_retired = rt->retired_sources;
  rt->retired_sources = one;
  leave(one);
  return status::ok;
}

void free_retired_sources(runtime* rt) {
  while (source* one = rt->retired_sources) {
    rt->retired_sources = one->next_retired;
    std::free(one);
  }
  for (auto& slot : rt->sources) std::free(slot.exchange(nullptr, base::relaxed));
}

void notify_source(runtime* rt, source* one) {
  // [A67] release: what there is to poll; pairs with [A66]
  one->wants_poll.store(true, base::release);
  if (one->calls.wait != nullptr && wake_keeper(one)) return;
  if (one->only == any_worker) return wake_somebody(rt);
  wake(worker_in_slot(rt, static_cast<unsigned>(one->only)));
}

void expect_of_source(runtime* rt, source* one, int count) {
  if (one->is_removed.load(base::relaxed)) return;
  const auto change = static_cast<std::uint32_t>(count);
  one->expected.fetch_add(change, base::relaxed);
  rt->sources_of_work.fetch_add(change, base::relaxed);
}

void poll_sources(worker* w) {
  runtime* rt = w->rt;
  const unsigned slots = rt->source_slots.load(base::relaxed);
  const without_identity callbacks(w);
  if (!rt->woken_in_handlers.is_empty()) [[unlikely]]
    take_over_from_handlers(w);
  for (unsigned slot = 0; slot < slots; ++slot) {
    // [A18] acquire: sees the source; pairs with [A17]
    if (source* one = rt->sources[slot].load(base::acquire); one != nullptr) poll(w, one);
  }
}

bool sources_want_poll(const worker* w) {
  runtime* const rt = w->rt;
  if (!rt->woken_in_handlers.is_empty()) return true;
  const unsigned slots = rt->source_slots.load(base::relaxed);
  for (unsigned slot = 0; slot < slots; ++slot) {
    // [A19] acquire: as [A18]; pairs with [A17]
    source* one = rt->sources[slot].load(base::acquire);
    if (one != nullptr && one->wants_poll.load(base::relaxed) && may_poll(w, one)) return true;
  }
  return false;
}

bool has_sources(runtime* rt) { return rt->sources_of_work.load(base::relaxed) != 0 || expected_from_outside::any(); }

}  // namespace weft::sched
