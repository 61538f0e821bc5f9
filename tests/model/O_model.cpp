// Protocol O over src/life/hosts.cpp, region_guard.cpp and blocking.cpp: a worker is run by one OS
// thread at a time, however the end of a region, the region guard, and spare OS threads meet; a
// region that begins wakes the guard; a worker that is claimed comes back. Units are pinned, or on
// an OS thread of the program's, so that they stay where they are.
// Built with src/run/wake.cpp
#include <cerrno>

#include "core_world.hpp"

namespace {

int error_of[core_world::most_threads];

}  // namespace

#undef errno
#define errno error_of[explorer::current_thread()]

#include "life/blocking.cpp"
#include "life/hosts.cpp"
#include "life/region_guard.cpp"
#include "run/idle.hpp"

namespace weft::os {

alignas(sched::hosts) unsigned char hosts_memory[sizeof(sched::hosts)];

void* reserve(std::size_t bytes, std::size_t) { return bytes == sizeof(sched::hosts) ? hosts_memory : nullptr; }
void release(void*, std::size_t) {}
bool may_start = false;
base::atomic<std::uint32_t> is_started{0};
// The guard's, which the model runs itself, and one spare OS thread where the model has it.
status start_thread(os_thread*, void* (*)(void*), void*, std::size_t stack_bytes) {
  if (stack_bytes == sched::region_guard_stack_bytes) return status::ok;
  if (!may_start || is_started.load(base::relaxed) != 0) return status::again;
  is_started.store(1, base::release);
  return status::ok;
}
void name_this_thread(const char*) {}
void join_thread(os_thread) {}

}  // namespace weft::os

namespace weft::sched {

blocking_call calls[core_world::most_threads];
blocking_call* this_blocking_call() { return &calls[explorer::current_thread()]; }

// What parking notes, in place: all of it is the worker's.
unit* leave_in_place(worker* w, unit*) {
  w->current = nullptr;
  ++w->turns_left;
  return nullptr;
}
luggage::luggage(const runtime*, const unit*, void*, const arch::fp_control&) : carries_(false) {}
void luggage::unpack(worker*, const unit*) const {}
void own_parked(unit*) {}
void slots::run_as_spare(runtime*, hosts*) {}
status sleep_until(std::uint64_t) { return status::ok; }

}  // namespace weft::sched

namespace {

using namespace core_world::words;
namespace os = weft::os;

struct world {
  unit units[2];
  unit mailed;
  seen_call seen[2] = {};
  int finished = 0;                   // regions of worker 0; plain
  base::atomic<bool> is_back{false};  // the caller
  base::atomic<bool> other_is_back{true};
  base::atomic<bool> other_has_begun{false};
  base::atomic<bool> is_over{false};  // the guard starts no OS thread any more
};
alignas(world) unsigned char world_memory[sizeof(world)];
world& here() { return *reinterpret_cast<world*>(world_memory); }

hosts* make(unsigned workers = 1) {
  core_world::make(workers);
  new (world_memory) world;
  for (blocking_call& each : calls) new (&each) blocking_call;
  the.rt->settings.blocking_ns = 0;
  the.rt->settings.blocking_threads = 2;
  os::may_start = false;
  os::is_started.store(0, base::relaxed);
  hosts* const all = hosts_of(the.rt);
  all->spare_count = 1;
  all->has_told = true;
  here().other_is_back.store(workers == 1, base::relaxed);
  return all;
}

enum class caller { pinned, of_program };

// The worker's own OS thread, in a unit that calls something.
void call_once(caller kind, unsigned index = 0, bool lasts = false) {
  worker* const w = the.workers[index];
  unit* const self = &here().units[index];
  if (kind == caller::pinned) self->set(stays_put);
  local::set_worker(w);
  w->current = self;
  ++w->turns_left;
  check(begin_blocking(index == 0 ? nullptr : &here()) == status::ok, "a region");
  check(local::current_worker() == nullptr, "outside");
  while (lasts && !here().is_over.load(base::relaxed)) weft::arch::pause();
  check(end_blocking() == status::ok, "it ends");
  check(local::current_worker() == w && w->current == self, "the worker is back");
  ++w->turns_left;
  if (index == 0) ++here().finished;
  local::set_worker(nullptr);
}

// A spare OS thread that is given a worker. Null: it is not.
worker* take_given(hosts* all, bool is_new) {
  const assignment given = wait_as_spare(all, {}, is_new);
  if (given.w == nullptr) return nullptr;
  host self;
  keep_host(given.w, &given.call->own);
  set_host(given.w, self);
  local::set_worker(given.w);
  check(take_over(given.w, given.call) == nullptr, "no unit is said to run next");
  ++given.w->turns_left;
  return given.w;
}

void grant_once_claimed(hosts* all, worker* w) {
  while (!is_claimed(w)) weft::arch::pause();
  local::set_worker(nullptr);
  grant_next(all, w);
}

// Runs a worker that it is given until that is claimed.
void be_spare(hosts* all, bool is_new = false) {
  worker* const w = take_given(all, is_new);
  if (w == nullptr) return;
  grant_once_claimed(all, w);
  const weft::queue::guard hold(all->lock);
  --all->spare_count;
}

// ---- a region, the guard, a spare OS thread -----------------------------------------------------

void given_or_kept() {
  hosts* const all = make();
  threads(thread{"caller",
                 [] {
                   call_once(caller::of_program);
                   stop_spares(the.rt);
                 }},
          thread{"guard", [all] { look_at_all(all, here().seen); }}, thread{"spare", [all] { be_spare(all); }});
  check(here().finished == 1 && the.workers[0]->turns_left >= 2, "once");
}

void call_and_say(caller kind) {
  call_once(kind);
  here().is_back.store(true, base::relaxed);
}

void guard_once(hosts* all) {
  look_at_all(all, here().seen);
  here().is_over.store(true, base::release);
  while (!here().is_back.load(base::relaxed) || !here().other_is_back.load(base::relaxed)) weft::arch::pause();
  stop_spares(the.rt);
}

// None may be started.
void be_new_spare(hosts* all) {
  while (os::is_started.load(base::acquire) == 0 && !here().is_over.load(base::acquire)) weft::arch::pause();
  if (os::is_started.load(base::acquire) != 0) be_spare(all, true);
}

// The guard starts an OS thread, and does not wait until that is there.
void given_to_a_new_one() {
  hosts* const all = make();
  all->spare_count = 0;
  os::may_start = true;
  threads(thread{"caller", [] { call_and_say(caller::pinned); }}, thread{"guard", [all] { guard_once(all); }},
          thread{"new", [all] { be_new_spare(all); }});
  check(here().finished == 1, "once");
}

// An older one may come to wait first: then the new one waits.
void given_beside_an_older_one() {
  hosts* const all = make();
  os::may_start = true;
  threads(thread{"caller", [] { call_and_say(caller::of_program); }}, thread{"guard", [all] { guard_once(all); }},
          thread{"older", [all] { be_spare(all); }}, thread{"new", [all] { be_new_spare(all); }});
  check(here().finished == 1, "once");
}

// Another worker's region at a known place takes what waits; it does not take the one on which the
// guard counts.
void given_beside_another_region() {
  hosts* const all = make(2);
  all->spare_count = 0;
  os::may_start = true;
  note_length(all, &here(), true);
  the.workers[1]->mail.push(&here().mailed);
  threads(thread{"caller",
                 [] {
                   call_once(caller::pinned, 0, true);
                   here().is_back.store(true, base::relaxed);
                 }},
          thread{"guard", [all] { guard_once(all); }}, thread{"new", [all] { be_new_spare(all); }},
          thread{"other", [] {
                   call_once(caller::pinned, 1);
                   here().other_is_back.store(true, base::relaxed);
                 }});
  check(here().finished == 1, "once");
}

// The place is known, and a unit waits: no guard is needed.
void given_at_once() {
  hosts* const all = make();
  note_length(all, nullptr, true);
  the.workers[0]->mail.push(&here().mailed);
  threads(thread{"caller",
                 [] {
                   call_once(caller::pinned);
                   stop_spares(the.rt);
                 }},
          thread{"spare", [all] { be_spare(all); }});
  check(here().finished == 1, "once");
}

// A worker for which no OS thread is left has the next one, also before a region at a known place.
void lacks_before_a_known_place() {
  hosts* const all = make(2);
  the.rt->settings.blocking_threads = 1;
  worker* const lacks = the.workers[0];
  worker* const comes_later = the.workers[1];
  hosts::spare waits[2];
  const auto look = [&] { look_at_all(all, here().seen); };
  const auto give_and_look = [&] {
    calls[0].w = lacks;
    lacks->lent.lend(&calls[0]);
    look();
    check(lacks->lack_place.load(base::relaxed) == 1, "the first of those that lack one");
    put_back(all, &waits[0]);
    check(!give_away(all, comes_later, &calls[1]), "not before it");
    look();
    check(waits[0].given.w == lacks && lacks->lack_place.load(base::relaxed) == 0, "it has the next one");
    look();
    put_back(all, &waits[1]);
    check(give_away(all, comes_later, &calls[1]), "no worker lacks one any more");
  };
  threads(thread{"guard", give_and_look});
}

// A region that the guard sees for the first time is not overdue, however long ago the one before
// was seen.
void seen_for_the_first_time() {
  hosts* const all = make();
  worker* const w = the.workers[0];
  the.rt->settings.blocking_ns = 1;
  hosts::spare waits;
  const auto look = [&] {
    put_back(all, &waits);
    here().seen[0] = {1, 1};
    w->blocking_calls.store(2, base::relaxed);
    w->lent.lend(&calls[0]);
    look_at_all(all, here().seen);
    check(here().seen[0].number == 2 && w->lent.take_back(&calls[0]), "the caller keeps its worker");
  };
  threads(thread{"guard", look});
}

// Several callers have claimed a worker: it goes to them in turn.
void claimed_in_turn() {
  hosts* const all = make();
  worker* const w = the.workers[0];
  const auto claim_and_grant = [&] {
    for (blocking_call& each : calls) {
      each.insists = true;
      check(queue_up(all, w, &each), "in the queue");
    }
    for (blocking_call& each : calls) {
      check(each.phase.load(base::relaxed) != weft::sched::call_phase::granted, "not before its turn");
      grant_next(all, w);
      check(each.phase.load(base::relaxed) == weft::sched::call_phase::granted, "in its turn");
    }
    check(!is_claimed(w), "no claim is left");
  };
  threads(thread{"host", claim_and_grant});
}

// WEFT_DROP while another caller waits for a worker whose thread is in a region.
void claims_are_refused() {
  hosts* const all = make();
  worker* const w = the.workers[0];
  blocking_call& claims = calls[core_world::most_threads - 1];
  claims.w = w;
  w->first_claim = &claims;
  w->claims.store(1, base::relaxed);
  w->detours.store(1, base::relaxed);
  base::atomic<bool> is_in_region{false};
  threads(thread{"region",
                 [&] {
                   local::set_worker(w);
                   w->current = &here().units[0];
                   check(begin_blocking(nullptr) == status::ok, "a region");
                   is_in_region.store(true, base::relaxed);
                   blocking_call* const call = this_blocking_call();
                   w->lent.take_back(call) ? become_worker_again(w, call) : come_back(call);
                   check(local::current_worker() == w && w->lent.seen() == nullptr, "the worker is back");
                   ++w->turns_left;
                   if (!is_claimed(w)) return;
                   check(w->first_claim != nullptr, "claims that are counted are queued");
                   grant_next(all, w);
                 }},
          thread{"claim",
                 [&] {
                   const bool is_granted = weft::sched::await_grant(&claims);
                   if (is_granted) check(w->turns_left == 1, "after the region");
                   explorer::outcome(is_granted ? 1 : 0);
                 }},
          thread{"finalizer", [&] {
                   the.rt->drops.store(true, base::relaxed);
                   while (!is_in_region.load(base::relaxed)) weft::arch::pause();
                   refuse_claims(the.rt);
                 }});
  check(w->claims.load(base::relaxed) == 0 && w->detours.load(base::relaxed) == 0, "counted once");
}

// The only spare OS thread runs a unit that may be in a region when the caller comes back. Then the
// caller's own OS thread runs the worker, and gives it back afterwards.
void come_back_to_claim(hosts* all) {
  worker* const w = the.workers[0];
  call_once(caller::pinned);
  local::set_worker(w);
  here().is_back.store(true, base::relaxed);
  const bool has_followed = this_blocking_call()->follows != nullptr;
  if (has_followed) grant_once_claimed(all, w);
  explorer::outcome(has_followed ? 1 : 0);
}

void be_spare_in_region(hosts* all, bool lasts) {
  worker* const w = take_given(all, false);
  if (w == nullptr) return;
  unit* const self = &here().units[1];
  self->set(stays_put);
  w->current = self;
  check(begin_blocking(&here()) == status::ok, "a region of the other unit");
  here().other_has_begun.store(true, base::release);  // the guard looks once more, and sees the region
  while (lasts && !here().is_back.load(base::relaxed)) weft::arch::pause();
  check(end_blocking() == status::ok, "it ends");
  check(local::current_worker() == w && w->current == self, "the worker is the other unit's again");
  ++w->turns_left;
  if (!here().is_back.load(base::relaxed)) grant_once_claimed(all, w);
  const weft::queue::guard hold(all->lock);
  --all->spare_count;
}

void guard_until_back(hosts* all) {
  const auto is_back = [] { return here().is_back.load(base::relaxed); };
  look_at_all(all, here().seen);
  while (!here().other_has_begun.load(base::acquire) && !is_back()) weft::arch::pause();
  while (!is_claimed(the.workers[0]) && !is_back()) weft::arch::pause();
  look_at_all(all, here().seen);
  while (!is_back()) weft::arch::pause();
  stop_spares(the.rt);
}

template <bool lasts>
void given_to_the_claimer() {
  hosts* const all = make();
  the.rt->settings.blocking_threads = 1;
  threads(thread{"caller", [all] { come_back_to_claim(all); }}, thread{"guard", [all] { guard_until_back(all); }},
          thread{"spare", [all] { be_spare_in_region(all, lasts); }});
}

// The claims that the guard has seen are gone when it holds the worker of a region.
void lent_again() {
  hosts* const all = make();
  worker* const w = the.workers[0];
  const auto give = [&] {
    w->lent.lend(&calls[0]);
    check(give_back(all, w, &calls[0]) == gift::not_needed, "none has claimed it");
    check(w->lent.take_back(&calls[0]), "the caller has it back");
  };
  threads(thread{"guard", give});
}

// The spare OS thread has waited long enough just when the guard calls it.
void two_regions() {
  hosts* const all = make();
  threads(thread{"caller",
                 [] {
                   call_once(caller::pinned);
                   call_once(caller::pinned);
                   stop_spares(the.rt);
                 }},
          thread{"guard",
                 [all] {
                   look_at_all(all, here().seen);
                   look_at_all(all, here().seen);
                 }},
          thread{"spare", [all] { be_spare(all); }});
  check(here().finished == 2, "twice");
}

// ---- the guard dozes ----------------------------------------------------------------------------

void woken_by_a_region() {
  hosts* const all = make();
  threads(thread{"caller",
                 [all] {
                   worker* const w = the.workers[0];
                   w->lent.lend(&calls[0]);
                   wake_region_guard(all);
                 }},
          thread{"guard", [all] { doze(all); }});
}

// ---- the first regions --------------------------------------------------------------------------

void made_once() {
  core_world::make(1);
  hosts* seen[2] = {};
  const auto make_and_look = [&](int index) {
    seen[index] = hosts_of(the.rt);
    check(seen[index]->rt == the.rt, "laid out");
  };
  threads(thread{"a", [&] { make_and_look(0); }}, thread{"b", [&] { make_and_look(1); }});
  check(seen[0] == seen[1], "the same");
}

constexpr explorer::bounds quick{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 400'000};
constexpr explorer::bounds deep{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 20'000'000};
constexpr explorer::bounds quick_new{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 60'000};
constexpr explorer::bounds quick_four{.preemptions = 1, .weak = 1, .impatience = 1, .executions = 40'000};
constexpr explorer::bounds deep_four{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 10'000'000};
// Whose turn it is decides here, inside the lock.
constexpr explorer::bounds quick_turns{.preemptions = 1, .weak = 0, .executions = 80'000};
constexpr explorer::bounds deep_turns{.preemptions = 2, .weak = 0, .executions = 10'000'000};

const model kept{"O given or kept", {.at_least = 100, .quick = quick, .deep = deep}, given_or_kept};
const model to_new{"O given to a new one", {.at_least = 100, .quick = quick_new, .deep = deep}, given_to_a_new_one};
const model beside_older{
    "O given beside an older one", {.at_least = 100, .quick = quick_four, .deep = deep_four}, given_beside_an_older_one};
const model beside_another{
    "O given beside another region", {.at_least = 100, .quick = quick_turns, .deep = deep_turns}, given_beside_another_region};
const model at_once{"O given at once", {.at_least = 10, .quick = quick, .deep = deep}, given_at_once};
const model lacking{"O lacks before a known place", {.at_least = 1, .quick = quick, .deep = deep}, lacks_before_a_known_place};
const model in_turn{"O claimed in turn", {.at_least = 1, .quick = quick, .deep = deep}, claimed_in_turn};
const model refused{
    "O claims are refused", {.at_least = 10, .quick = quick, .deep = deep, .outcomes = "0 1"}, claims_are_refused};
const model to_claimer{"O given to the claimer",
                       {.at_least = 100, .quick = quick_new, .deep = deep_four, .outcomes = "0 1"},
                       given_to_the_claimer<false>};
const model to_claimer_at_last{"O given to the claimer alone",
                               {.at_least = 10, .quick = quick_new, .deep = deep_four, .outcomes = "0 1"},
                               given_to_the_claimer<true>};
const model first_seen{"O seen for the first time", {.at_least = 1, .quick = quick, .deep = deep}, seen_for_the_first_time};
const model again{"O lent again", {.at_least = 1, .quick = quick, .deep = deep}, lent_again};
const model twice{"O two regions", {.at_least = 50, .quick = quick, .deep = deep}, two_regions};
const model dozing{"O woken by a region", {.at_least = 3, .quick = quick, .deep = deep}, woken_by_a_region};
const model made{"O made once", {.at_least = 3, .quick = quick, .deep = deep}, made_once};

}  // namespace
