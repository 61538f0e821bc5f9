// See turns.hpp.
#include "seeded/turns.hpp"

#include <errno.h>

#include <cstring>
#include <new>

#include "os/alone.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "os/vm.hpp"
#include "run/enter.hpp"
#include "run/entering.hpp"
#include "run/left_behind.hpp"
#include "run/next.hpp"
#include "run/park.hpp"
#include "worker/clock.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

namespace {

static_assert(most_schedule_workers == most_workers);

constexpr std::uint64_t point_ns = 1'000;  // what a point takes, by the units' clock
constexpr std::uint64_t nap_ns = 1'000'000;
constexpr std::size_t root_bytes = std::size_t{256} * 1024;

turn_taking* turns_of(const worker* w) { return w->rt->turns; }

// ---- from one virtual worker to another ----

// What belongs to an OS thread and is each worker's own: kept in the frame of the worker that waits
// for its turn.
class belongings {
 public:
  explicit belongings(const worker* w) : error_(errno), fp_(arch::save_fp_control()) {
    if (w->carried == nullptr) return;
    std::memcpy(carried_, w->carried, w->rt->carried_bytes);
    std::memset(w->carried, 0, w->rt->carried_bytes);
  }
  void unpack(const worker* w) const {
    if (w->carried != nullptr) std::memcpy(w->carried, carried_, w->rt->carried_bytes);
    arch::load_fp_control(fp_);
    errno = error_;
  }

 private:
  int error_;
  arch::fp_control fp_;
  alignas(16) unsigned char carried_[most_carried_bytes];
};

void stand_for(worker* w) {
  turns_of(w)->holder.store(w, base::relaxed);
  local::set_worker(w);
  local::set_hot(w);
}

// First thing of one that has its turn: a worker that left for good has nothing on its root stack
// any more.
void note_leaver(turn_taking* all) {
  worker* left = all->leaver;
  all->leaver = nullptr;
  // [A78] release: done with its root stack; pairs with [A79]
  if (left != nullptr) left->has_left.store(true, base::release);
}

// Pre: `from` has its turn. Returns when it has it again.
void switch_turn(turn_taking* all, worker* from, fiber::sanitizer::side side, worker* to) {
  const belongings kept(from);
  from->turn_side = side;
  stand_for(to);
  fiber::switch_to(&from->turn.sp, to->turn, to->turn_side, to);
  note_leaver(all);
  kept.unpack(from);
}

void go_to(worker* w, worker* to) {
  if (w->rt->counts_errors) the_hooks.blame_errors(w, w->current);
  switch_turn(turns_of(w), w, side_of(w), to);
}

void take_part(worker* w, bool does) {
  // [A80] release: publishes where it goes on; pairs with [A81]
  w->has_turns.store(does, base::release);
}

bool can_go_on(const worker* w) {
  // [A81] acquire: sees where it goes on; pairs with [A80]
  return w->has_turns.load(base::acquire) && w->is_asleep.load(base::relaxed) == 0;
}

// All but w that can go on, from the one after it in a circle: their number.
std::uint32_t find_others(turn_taking* all, const worker* w) {
  const unsigned slots = all->rt->worker_slots.load(base::relaxed);
  std::uint32_t count = 1;
  all->candidates[0] = static_cast<std::uint16_t>(w->index);
  for (unsigned step = 1; step < slots; ++step) {
    const unsigned index = (w->index + step) % slots;
    const worker* other = worker_in_slot(all->rt, index);
    if (other != nullptr && can_go_on(other)) all->candidates[count++] = static_cast<std::uint16_t>(index);
  }
  return count - 1;
}

worker* candidate(const turn_taking* all, std::uint32_t which) {
  return all->rt->workers[all->candidates[which]].load(base::relaxed);
}

// Some other worker that can go on, or null.
worker* choose_other(turn_taking* all, const worker* w) {
  const std::uint32_t others = find_others(all, w);
  if (others == 0) return nullptr;
  return candidate(all, 1 + all->plan.choose(choice_kind::rest, others, all->candidates + 1));
}

// Also the usual choice, which is to go on, must not keep the others waiting for ever.
bool is_unfair(turn_taking* all, std::uint32_t others) {
  constexpr std::uint32_t most_in_a_row = 10'000;
  all->turns_in_a_row = others == 0 ? 0 : all->turns_in_a_row + 1;
  return all->turns_in_a_row > most_in_a_row;
}

void pass_point_of(worker* w) {
  turn_taking* all = turns_of(w);
  const std::uint32_t others = find_others(all, w);
  if (is_unfair(all, others)) return pass_turn(w);
  all->now_ns += point_ns;
  all->has_polled_alone = false;
  const std::uint32_t chosen = all->plan.choose(choice_kind::turn, 1 + others, all->candidates);
  if (chosen == 0) return;
  all->turns_in_a_row = 0;
  go_to(w, candidate(all, chosen));
}

void pass_yield_point_of(worker* w) {
  turn_taking* all = turns_of(w);
  all->now_ns += point_ns;
  all->plan.put_last(w->index);
  const std::uint32_t others = find_others(all, w);
  all->candidates[1 + others] = static_cast<std::uint16_t>(w->index);
  const std::uint32_t chosen = 1 + all->plan.choose(choice_kind::yield, 1 + others, all->candidates + 1);
  if (worker* next = candidate(all, chosen); next != w) go_to(w, next);
}

// ---- when all sleep ----

bool is_deadline_due(const turn_taking* all) { return all->rt->alarms.next_ns() <= all->now_ns; }

// Nothing else can happen before the first deadline: there is no other OS thread.
bool jump_to_deadline(turn_taking* all) {
  const std::uint64_t next = all->rt->alarms.next_ns();
  if (next == UINT64_MAX || !os::is_alone()) return false;
  all->now_ns = next;
  return true;
}

// A source in which a worker could sleep is polled once more when there is no other OS thread.
bool can_stand_still(turn_taking* all) {
  if (has_sources(all->rt)) return false;
  const bool is_sure = all->has_polled_alone || !has_source_to_keep(all->rt);
  all->has_polled_alone = os::is_alone();
  return is_sure;
}

// Only what lies outside can go on, and time does meanwhile. Returns to look again.
void wait_for_outside(worker* w) {
  turn_taking* all = turns_of(w);
  // [A83] acquire: sees which worker was woken before it was rung; pairs with [A84]
  const std::uint32_t rung = all->bell.load(base::acquire);
  if (w->is_asleep.load(base::relaxed) == 0 || find_others(all, w) != 0) return;
  const std::uint64_t deadline = all->rt->alarms.next_ns();
  if (deadline == UINT64_MAX && can_stand_still(all)) the_hooks.turns_stand_still(all->rt, &all->bell, rung);
  const std::uint64_t begin = os::now_ns();
  const std::uint64_t left = deadline - all->now_ns;
  os::futex_wait_until(&all->bell, rung, begin + (left < nap_ns ? left : nap_ns));
  all->now_ns += os::now_ns() - begin;
}

void enter_virtual(void* transfer, void* entry) {
  fiber::started();
  note_leaver(turns_of(static_cast<worker*>(transfer)));
  reinterpret_cast<void* (*)(void*)>(entry)(transfer);
}

}  // namespace

// ---- start and end ----

status start_turns(runtime* rt) {
  if (rt->settings.schedule == nullptr) return status::ok;
  schedule_wish wish;
  if (!read_schedule(rt->settings.schedule, &wish)) return status::invalid;
  void* memory = os::reserve(sizeof(turn_taking), os::page_bytes());
  if (memory == nullptr) return status::nomem;
  auto* all = new (memory) turn_taking{};
  all->rt = rt;
  all->now_ns = os::now_ns();
  if (const status result = all->plan.open(wish, local::count_run(), rt->settings.workers); result != status::ok) {
    os::release(all, sizeof(turn_taking));
    return result;
  }
  rt->turns = all;
  call_limit.store(UINTPTR_MAX, base::relaxed);
  return status::ok;
}

void stop_turns(runtime* rt) {
  if (rt->turns == nullptr) return;
  call_limit.store(0, base::relaxed);
  rt->turns->plan.close();
  os::release(rt->turns, sizeof(turn_taking));
  rt->turns = nullptr;
}

// ---- points ----

namespace {

// Null: callbacks of the core, and OS threads outside, which have no turns.
worker* one_in_turn() {
  worker* w = local::current_worker();
  return w != nullptr && w->current != nullptr && turns_of(w) != nullptr ? w : nullptr;
}

}  // namespace

bool pass_point() {
  if (worker* w = one_in_turn(); w != nullptr) pass_point_of(w);
  return !is_left_behind();
}

void pass_yield_point() {
  if (worker* w = one_in_turn(); w != nullptr) pass_yield_point_of(w);
}

void pass_point_between(worker* w) { pass_point_of(w); }

void pass_turn(worker* w) {
  turn_taking* all = turns_of(w);
  all->plan.put_last(w->index);
  all->now_ns += point_ns;
  all->turns_in_a_row = 0;
  if (worker* other = choose_other(all, w); other != nullptr) go_to(w, other);
}

void ring_bell(turn_taking* all) {
  // [A84] release: the worker that was woken is out of its sleep; pairs with [A83]
  all->bell.fetch_add(1, base::release);
  os::futex_wake(&all->bell, 1);
}

void sleep_in_turn(worker* w) {
  turn_taking* all = turns_of(w);
  while (w->is_asleep.load(base::relaxed) == 1) {
    if (worker* other = choose_other(all, w); other != nullptr) {
      go_to(w, other);
    } else {
      if (!jump_to_deadline(all)) wait_for_outside(w);
      if (is_deadline_due(all) || has_sources(w->rt) || has_source_to_keep(w->rt)) return;
    }
  }
}

bool awaits_turn(const worker* w) {
  const turn_taking* all = turns_of(w);
  return all != nullptr && w->has_turns.load(base::relaxed) && all->holder.load(base::relaxed) != w;
}

// ---- choices ----

namespace {

// Thieves take the oldest units, so that any order may come of it; where there are none, the
// queue's own holds.
bool has_thieves(const runtime* rt) {
  if (rt->settings.locality == WEFT_LOCALITY_STRICT && !rt->steals_by_now.load(base::relaxed)) return false;
  return rt->worker_count.load(base::relaxed) > 1;
}

}  // namespace

unit* choose_unit(worker* w) {
  if (!has_thieves(w->rt)) return choose(w);
  --w->turns_left;
  std::uint32_t ready = 0;
  const auto count = [&ready](const unit*) { return ++ready == 0; };
  w->ready.pop_first(count);
  if (ready == 0) return nullptr;
  std::uint32_t chosen = turns_of(w)->plan.choose(choice_kind::unit, ready, nullptr);
  return w->ready.pop_first([&chosen](const unit*) { return chosen-- == 0; });
}

std::uint32_t choose_victim(worker* w, std::uint32_t count) {
  return turns_of(w)->plan.choose(choice_kind::victim, count, nullptr);
}

bool lets_others_run(worker* w) {
  constexpr std::uint8_t most_in_a_row = 16;
  turn_taking* const all = turns_of(w);
  std::uint8_t& in_a_row = all->regions_in_a_row[w->index];
  const bool lets = in_a_row == most_in_a_row || all->plan.choose(choice_kind::region, 2, nullptr) != 0;
  in_a_row = lets ? 0 : static_cast<std::uint8_t>(in_a_row + 1);
  return lets;
}

std::uint64_t turns_now_ns(const runtime* rt) { return rt->turns->now_ns; }

// ---- the life of virtual workers ----

void host_turns(worker* w) {
  const runtime* rt = w->rt;
  const bool is_adopted = w->current != nullptr;
  const auto are_there = [rt] { return rt->worker_count.load(base::relaxed) >= rt->settings.workers; };
  while (!is_adopted && !are_there() && !rt->is_stopping.load(base::relaxed)) os::yield_cpu();
  rt->turns->holder.store(w, base::relaxed);
  take_part(w, true);
}

bool needs_os_thread(const worker* w) { return turns_of(w) == nullptr || w->index == 0; }

status start_virtual(worker* w, void* (*entry)(void* w)) {
  w->root = w->rt->stack_depot.make_mapping(root_bytes);
  if (w->root == nullptr) return status::nomem;
  w->turn = fiber::make(w->root, enter_virtual, reinterpret_cast<void*>(entry));
  w->turn_side = fiber::sanitizer::of(w->root);
  w->has_left.store(false, base::relaxed);
  take_part(w, true);
  return status::ok;
}

void leave_turns(worker* w) {
  turn_taking* all = turns_of(w);
  if (all == nullptr) return;
  take_part(w, false);
  if (w->root == nullptr) {
    while (worker* other = choose_other(all, w)) switch_turn(all, w, w->origin_side, other);
    local::set_worker(nullptr);
    local::set_hot(nullptr);
    return;
  }
  worker* next = choose_other(all, w);
  if (next == nullptr) next = all->rt->workers[0].load(base::relaxed);  // which looks after timers and what lies outside
  stand_for(next);
  all->leaver = w;
  fiber::jump_to(next->turn, next->turn_side, next);
}

void join_virtual(worker* w) {
  // [A79] acquire: sees what it did; pairs with [A78]
  while (!w->has_left.load(base::acquire)) {
    if (worker* self = local::current_worker(); self != nullptr) {
      pass_turn(self);
    } else {
      os::yield_cpu();
    }
  }
  fiber::sanitizer::forget(w->root);
  w->rt->stack_depot.destroy(w->root);
  w->root = nullptr;
}

}  // namespace weft::sched
