// See steal.hpp. A thief asks a victim, which answers when it enters its lock; a victim that stays
// away from its lock is raided: its lock is taken by force (protocol D, docs/protocols/D.md). A
// thief whose thefts are not worth their price stands back for a while.
#include "run/steal.hpp"

#include "arch/cpu.hpp"
#include "os/clock.hpp"
#include "os/thread.hpp"
#include "run/choose.hpp"
#include "run/enter.hpp"
#include "run/fork.hpp"
#include "run/kept_units.hpp"
#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/victims.hpp"
#include "worker/clock.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// Value of worker::reply besides 0, nothing, and a chain of units.
constexpr std::uintptr_t pending = 1;

constexpr std::uint32_t most_at_once = 16;

// A question that an owner has not answered after this long is turned into a raid.
constexpr std::uint64_t patience_ns = 20'000;

// Stealing costs about two cache lines a unit. If what was stolen ran in less than this a unit, the
// thief stands back for a while, twice as long each time. Forks should run for as long as it took
// to get them, most of which is a fence in their owner; when they did not, the next theft takes
// twice as many with one fence. The oldest fork of a divide-and-conquer program is half of its
// work, and enough; in an irregular tree (UTS T3) most forks are a leaf.
constexpr std::uint64_t worth_ns = 400;
constexpr std::uint64_t first_pause_ns = 5'000;
constexpr std::uint64_t longest_pause_ns = 500'000;
constexpr std::uint32_t most_forks_at_once = 16;
// A public fork costs its forker and its taker some lines of memory each.
constexpr std::uint64_t public_worth_ns = 1'200;
// A searcher asks for public forks, first this long after the last time and then more and more
// rarely, since that takes a line from each forker. It takes no private ones, with a fence in their
// owner, for so long.
constexpr std::uint64_t ask_first_ns = 2'000;
constexpr std::uint64_t ask_last_ns = 16'000;
constexpr std::uint64_t ask_only_ns = 5'000;
// After a fork that it took has ended, its taker waits for the forker's next one.
constexpr std::uint64_t next_fork_ns = 1'500;

// Inside the victim's lock: about half of what may be stolen, oldest first, chained by next.
unit* take_half(worker* victim, std::uint32_t* taken) {
  std::uint32_t wanted = (victim->ready.stealable() + 1) / 2;
  if (wanted > most_at_once) wanted = most_at_once;
  unit* chain = nullptr;
  std::uint32_t count = 0;
  while (count < wanted) {
    unit* one = victim->ready.pop_oldest();
    if (one == nullptr) break;
    one->next = chain;
    chain = one;
    ++count;
  }
  *taken = count;
  return chain;
}

std::uint32_t length(const unit* chain) {
  std::uint32_t count = 0;
  for (; chain != nullptr; chain = static_cast<const unit*>(chain->next)) ++count;
  return count;
}

// Waits for the reply of an owner that has accepted the question.
unit* read_reply(worker* w) {
  for (int round = 0;; ++round) {
    // [D11] acquire: sees the units; pairs with [D12]
    const std::uintptr_t said = w->reply.load(base::acquire);
    if (said != pending) return reinterpret_cast<unit*>(said);
    if (round < 1000) {
      arch::pause();
    } else {
      os::yield_cpu();
    }
  }
}

// Whether the owner answered before patience ended.
bool was_answered(const worker* w) {
  const std::uint64_t start = os::now_ns();
  do {
    for (int round = 0; round < 64; ++round) {
      if (w->reply.load(base::relaxed) != pending) return true;
      arch::pause();
    }
  } while (os::now_ns() - start < patience_ns);
  return false;
}

unit* raid(worker* w, worker* victim) {
  using result = queue::biased_lock<worker>::raid_result;
  switch (victim->lock.raid(w)) {
    case result::owner_busy: return nullptr;
    case result::answered: return read_reply(w);
    case result::inside: break;
  }
  std::uint32_t taken = 0;
  unit* chain = take_half(victim, &taken);
  victim->lock.end_raid();
  return chain;
}

void stand_back(worker* w, std::uint64_t now) {
  w->steal_pause_ns = w->steal_pause_ns == 0 ? first_pause_ns : w->steal_pause_ns * 2;
  if (w->steal_pause_ns > longest_pause_ns) w->steal_pause_ns = longest_pause_ns;
  w->steal_after_ns = now + w->steal_pause_ns;
}

// The victim takes its only waiting unit itself within some microseconds, faster than another
// worker could get it: as where units wake each other in turn, and one is ready at a time.
bool passes_one_around(const worker* victim) {
  constexpr int looks = 12, pauses = 4;  // each look takes a line from the victim
  for (int look = 0; look < looks; ++look) {
    const std::uint32_t waiting = victim->ready.stealable();
    if (waiting != 1) return waiting == 0;
    for (int pause = 0; pause < pauses; ++pause) arch::pause();
  }
  return false;
}

unit* take_from(worker* w, worker* victim, bool* is_passed_around) {
  if (!victim->mail.is_empty()) return victim->mail.take_all();
  if (victim->ready.stealable() == 0) return nullptr;
  if (passes_one_around(victim)) {
    *is_passed_around = true;
    return nullptr;
  }
  w->reply.store(pending, base::relaxed);
  if (!victim->lock.ask(w)) return nullptr;
  return was_answered(w) ? read_reply(w) : raid(w, victim);
}

void adapt_batch(worker* w, bool was_worth_it) {
  if (was_worth_it && w->forks_at_once > 1) w->forks_at_once /= 2;
  if (!was_worth_it && w->forks_at_once < most_forks_at_once) w->forks_at_once *= 2;
}

// Was the last theft worth it?
void judge_last(worker* w, std::uint64_t now) {
  if (w->stolen_batch == 0) return;
  const bool was_worth_it = now - w->stolen_at_ns >= w->stolen_worth_ns;
  w->stolen_batch = 0;
  if (was_worth_it) {
    w->steal_pause_ns = 0;
  } else {
    stand_back(w, now);
  }
  if (w->has_stolen_forks) adapt_batch(w, was_worth_it);
}

// Under WEFT_MIGRATE a worker keeps what was sent to it: see kept_units.hpp.
bool has_units_to_take(const worker* victim) {
  return (victim->ready.stealable() != 0 || !victim->mail.is_empty()) && !victim->rt->settings.migrate;
}

bool has_something(const worker* victim) { return has_units_to_take(victim) || has_forks_to_take(victim); }

bool steals(const worker* w) {
  const runtime* const rt = w->rt;
  if (rt->settings.locality != WEFT_LOCALITY_STEAL && !rt->steals_by_now.load(base::relaxed)) return false;
  return w->is_serving.load(base::relaxed);
}

}  // namespace

namespace {

// The worker at `index` if it holds something that w may take. One that is ending is robbed, too:
// what it runs may take long.
worker* victim_at(const worker* w, unsigned index) {
  worker* victim = worker_in_slot(w->rt, index);
  if (victim == nullptr || victim == w) return nullptr;
  return has_something(victim) ? victim : nullptr;
}

// While w stands back: whether a worker keeps forks waiting in a long call, or those that have
// units to steal have finished none since it last looked. What it stole before was not worth it,
// but now a worker is in a long one.
bool is_somebody_stuck(worker* w, std::uint64_t now) {
  if (now - w->looked_at_ns < look_while_standing_back_ns) return false;
  bool has_prey = false;
  std::uint64_t finished = 0;
  const unsigned slots = w->rt->worker_slots.load(base::relaxed);
  for (unsigned index = 0; index < slots; ++index) {
    const worker* victim = victim_at(w, index);
    if (victim == nullptr) continue;
    if (forks_stand_still(victim)) return true;
    if (!has_units_to_take(victim)) continue;
    has_prey = true;
    finished += victim->finished.load(base::relaxed);
  }
  const bool is_stuck = has_prey && finished == w->finished_then;
  w->looked_at_ns = now;
  w->finished_then = finished;
  return is_stuck;
}

// Between domains no other worker takes from w's queue: what it takes, it must run.
std::uint32_t most_forks(const worker* w) { return has_domains(w->rt) ? 1 : w->forks_at_once; }

// By a fence in their owner. When the owner was faster, its forks are too small.
unit* take_private_forks(worker* w, worker* victim) {
  const fork_theft theft = steal_forks(w, victim, most_forks(w));
  if (theft.chain == nullptr && theft.was_possible) stand_back(w, os::now_ns());
  return theft.chain;
}

bool sees_somebody(const worker* w, bool (*has_prey)(const worker* victim)) {
  const unsigned slots = w->rt->worker_slots.load(base::relaxed);
  for (unsigned index = 0; index < slots; ++index) {
    if (const worker* victim = victim_at(w, index); victim != nullptr && has_prey(victim)) return true;
  }
  return false;
}

// Of a count that the owner alone writes.
void add(base::atomic<std::uint64_t>& count, std::uint64_t more) { count.store(count.load(base::relaxed) + more, base::relaxed); }

unit* bring_home(worker* w, unit* chain) {
  w->stolen_batch = length(chain);
  w->stolen_at_ns = os::now_ns();
  w->stolen_worth_ns = worth_ns * w->stolen_batch;
  w->has_stolen_forks = false;
  add(w->stolen, w->stolen_batch);
  add(w->thefts, 1);
  for (unit* one = chain; w->rt->is_observed && one != nullptr; one = static_cast<unit*>(one->next)) {
    note(w->rt, WEFT_ON_STEAL, one);
  }
  take_in(w, chain);
  return find_own(w);
}

unit* bring_forks_home(worker* w, unit* chain, std::uint64_t should_run_ns) {
  unit* one = bring_home(w, chain);
  add(w->forks_taken, w->stolen_batch);
  w->stolen_worth_ns = should_run_ns;
  w->has_stolen_forks = true;
  w->has_run_taken_fork = true;
  return one;
}

unit* take_public_forks_from(worker* w, worker* victim) {
  if (!has_public_forks(victim) || victim->forks.lock.seems_held()) return nullptr;
  unit* chain = take_public_forks(w, victim, most_forks(w));
  return chain != nullptr ? bring_forks_home(w, chain, public_worth_ns) : nullptr;
}

}  // namespace

namespace {

// Virtual workers that do not have their turn answer no question.
unit* take_from_still(worker* w, worker* victim) {
  if (!victim->mail.is_empty()) return victim->mail.take_all();
  if (victim->ready.stealable() == 0) return nullptr;
  w->reply.store(pending, base::relaxed);
  return victim->lock.ask(w) ? raid(w, victim) : nullptr;
}

worker* victim_of_choice(worker* w) {
  order_victims(w);
  std::uint32_t count = 0;
  for (unsigned step = 0; step < w->victim_count; ++step) count += victim_at(w, w->victims[step]) != nullptr;
  if (count == 0) return nullptr;
  std::uint32_t chosen = the_hooks.choose_victim(w, count);
  for (unsigned step = 0; step < w->victim_count; ++step) {
    worker* victim = victim_at(w, w->victims[step]);
    if (victim != nullptr && chosen-- == 0) return victim;
  }
  return nullptr;
}

// As steal, under a schedule: no clock, no patience.
unit* steal_by_choice(worker* w) {
  worker* victim = victim_of_choice(w);
  if (victim == nullptr) return nullptr;
  unit* chain = has_domains(w->rt) || w->rt->settings.migrate ? nullptr : take_from_still(w, victim);
  if (chain != nullptr) return bring_home(w, chain);
  chain = take_private_forks(w, victim);
  if (chain == nullptr) return nullptr;
  add(w->forks_taken, length(chain));
  return bring_home(w, chain);
}

// Whether w waits until forks become public. It does not where workers share CPUs, nor where it
// takes none.
bool may_ask_for_forks(const worker* w) {
  const runtime* const rt = w->rt;
  if (rt->turns != nullptr || rt->settings.wait_policy == WEFT_WAIT_PASSIVE) return false;
  if (rt->worker_count.load(base::relaxed) > rt->cpu_count) return false;
  return has_domains(rt) || steals(w);
}

// The next fork of each worker makes it public. False: it is not yet time to ask again.
bool ask_for_forks(worker* w, std::uint64_t now) {
  if (now < w->ask_after_ns) return false;
  w->ask_every_ns = w->ask_every_ns == 0 ? ask_first_ns : w->ask_every_ns * 2;
  if (w->ask_every_ns > ask_last_ns) w->ask_every_ns = ask_last_ns;
  w->ask_after_ns = now + w->ask_every_ns;
  want_to_hear_of_forks(w->rt);
  return true;
}

// Public forks, or units where those may be taken.
unit* take_what_is_offered(worker* w, bool may_take_units) {
  bool is_passed_around = false;
  unit* const one = take_from_first(w, [&](worker* victim) -> unit* {
    if (may_take_units && has_units_to_take(victim)) {
      if (unit* chain = take_from(w, victim, &is_passed_around); chain != nullptr) return bring_home(w, chain);
    }
    return take_public_forks_from(w, victim);
  });
  if (one == nullptr && is_passed_around) stand_back(w, os::now_ns());
  return one;
}

// A forker that goes on forking makes its forks public when it is asked; one that stays in a call
// does not.
unit* take_what_is_kept(worker* w, bool has_asked, std::uint64_t began_ns) {
  return take_from_first(w, [&](worker* victim) -> unit* {
    if (!has_forks_to_take(victim) || (has_asked && !forks_stand_still(victim))) return nullptr;
    unit* const chain = take_private_forks(w, victim);
    return chain != nullptr ? bring_forks_home(w, chain, os::now_ns() - began_ns) : nullptr;
  });
}

unit* take_forks(worker* w, bool may_take_units, std::uint64_t now) {
  order_victims(w);
  if (unit* one = take_what_is_offered(w, may_take_units); one != nullptr) return one;
  const bool asks = may_ask_for_forks(w);
  if (asks && (!ask_for_forks(w, now) || now - w->searching_since_ns < ask_only_ns)) return nullptr;
  return take_what_is_kept(w, asks, now);
}

}  // namespace

void begin_to_search(worker* w) {
  w->searching_since_ns = os::now_ns();
  w->ask_after_ns = 0;
  w->ask_every_ns = 0;
}

bool sees_public_forks(const worker* w) {
  const unsigned slots = w->rt->worker_slots.load(base::relaxed);
  for (unsigned index = 0; index < slots; ++index) {
    const worker* other = worker_in_slot(w->rt, index);
    if (other != nullptr && other != w && has_public_forks(other)) return true;
  }
  return false;
}

unit* await_next_fork(worker* w) {
  constexpr int rounds = 8;
  w->has_run_taken_fork = false;
  if (--w->turns_left <= 0) return nullptr;
  const bool has_work = w->ready.stealable() != 0 || !w->mail.is_empty() || !w->pinned_mail.is_empty();
  if (has_work || !may_ask_for_forks(w) || w->must_end.load(base::relaxed)) return nullptr;
  const std::uint64_t since = os::now_ns();
  judge_last(w, since);
  if (since < w->steal_after_ns) return nullptr;
  do {
    for (int round = 0; round < rounds; ++round) {
      if (unit* one = take_what_is_offered(w, false); one != nullptr) return one;
      arch::pause();
    }
  } while (os::now_ns() - since < next_fork_ns);
  return nullptr;
}

namespace {

// Null also where no worker keeps any for long.
[[gnu::noinline]] unit* take_kept_units(worker* w) {
  worker* const victim = look_for_kept_units(w);
  bool is_passed_around = false;
  unit* const chain = victim != nullptr ? take_from(w, victim, &is_passed_around) : nullptr;
  if (is_passed_around) stand_back(w, os::now_ns());
  return chain != nullptr ? bring_home(w, chain) : nullptr;
}

}  // namespace

unit* steal(worker* w) {
  const bool has_far = has_domains(w->rt);
  if (has_far) [[unlikely]] {
    if (unit* one = steal_from_domains(w); one != nullptr) return one;
  } else if (!steals(w)) {
    return nullptr;
  }
  if (w->rt->turns != nullptr) [[unlikely]]
    return steal_by_choice(w);
  if (w->rt->settings.migrate) [[unlikely]] {
    if (unit* one = take_kept_units(w); one != nullptr) return one;
  }
  const std::uint64_t now = os::now_ns();
  judge_last(w, now);
  if (now < w->steal_after_ns && !is_somebody_stuck(w, now)) return nullptr;
  add(w->searches, 1);
  return take_forks(w, !has_far, now);
}

bool has_stood_back(worker* w) {
  const std::uint64_t now = os::now_ns();
  if (now >= w->steal_after_ns || now >= w->rt->alarms.next_ns()) return true;
  if (!is_somebody_stuck(w, now)) return false;
  w->steal_after_ns = now;
  return true;
}

bool sees_prey(worker* w) {
  if (has_domains(w->rt)) [[unlikely]]
    return sees_prey_in_domains(w) || sees_somebody(w, has_forks_to_take);
  return steals(w) && sees_somebody(w, has_something);
}

// Owner, inside its lock, the question removed.
void answer(worker* w, worker* thief) {
  std::uint32_t taken = 0;
  unit* chain = take_half(w, &taken);
  // [D12] release: publishes the units; pairs with [D11]
  thief->reply.store(reinterpret_cast<std::uintptr_t>(chain), base::release);
}

}  // namespace weft::sched
