// A worker without work: it looks for mail, searches, spins, announces that it sleeps, looks once
// more, and sleeps. Between its announcement and its last look lies a heavy fence, so that a worker
// that makes work available needs a light one (protocol I, docs/protocols/I.md).
#include "run/idle.hpp"

#include "arch/cpu.hpp"
#include "os/clock.hpp"
#include "os/fence.hpp"
#include "os/futex.hpp"
#include "run/choose.hpp"
#include "run/enter.hpp"
#include "run/fork.hpp"
#include "run/hosting.hpp"
#include "run/idle_memory.hpp"
#include "run/kept_units.hpp"
#include "run/next.hpp"
#include "run/stack_class.hpp"
#include "run/steal.hpp"
#include "run/waiting_units.hpp"
#include "run/wake.hpp"
#include "worker/clock.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

bool must_leave(const worker* w) {
  return w->rt->is_stopping.load(base::relaxed) || w->must_end.load(base::relaxed) || is_claimed(w);
}

bool shares_cpu(const worker* w) { return w->rt->worker_count.load(base::relaxed) > w->rt->cpu_count; }

bool has_own_work(worker* w) { return has_waiting(w) || has_new_scheduler(w) || sources_want_poll(w); }

bool has_reason_to_stay(worker* w) { return must_leave(w) || has_own_work(w) || sees_prey(w); }

// Sleeps until taken out or `until`. The caller has announced itself.
void sleep(worker* w, std::uint64_t until) {
  while (w->is_asleep.load(base::relaxed) == 1 && sleep_once(w, until)) {
  }
  take_out_of_sleep(w);
}

// One sleeper keeps the clock for all. Before a heavy fence and the look at the deadlines.
void try_to_take_clock(worker* w) {
  worker* expected = nullptr;
  if (w->rt->clock_keeper.load(base::relaxed) != nullptr) return;
  w->rt->clock_keeper.compare_exchange_strong(expected, w, base::relaxed, base::relaxed);
}

// Of a sleeper, after the fence [I5].
std::uint64_t deadline_to_keep(const worker* w) {
  return w->rt->clock_keeper.load(base::relaxed) == w ? w->rt->alarms.next_ns() : UINT64_MAX;
}

// A source that no worker keeps is polled so often, by the keeper of the clock.
constexpr std::uint64_t look_at_unkept_sources_ns = 1'000'000;

bool must_look_at_sources(const worker* w) { return w->rt->clock_keeper.load(base::relaxed) == w && has_source_to_keep(w->rt); }

// Whether w should sleep in a source, and does not: another worker was inside it, and is no more,
// or comes out soon.
bool lacks_source(const worker* w) { return w->kept_source.load(base::relaxed) == nullptr && has_source_to_keep(w->rt); }

// A called worker takes part in the search after all.
void count_as_searcher(worker* w) {
  if (w->is_asleep.load(base::relaxed) != is_called) return;
  w->rt->searchers.fetch_add(1, base::relaxed);
  w->is_asleep.store(0, base::relaxed);
}

// Awake. A searcher that finds work wakes another worker, which becomes the keeper. A called worker
// wakes none, so it becomes a searcher where a deadline or a source waits for a keeper.
void give_back(worker* w) {
  runtime* rt = w->rt;
  if (give_source_back(w)) count_as_searcher(w);
  if (rt->clock_keeper.load(base::relaxed) != w) return;
  rt->clock_keeper.store(nullptr, base::relaxed);
  // [I15] light fence: no keeper before the look at the deadlines; pairs with [I5]
  base::light_fence();
  if (rt->alarms.next_ns() != UINT64_MAX) count_as_searcher(w);
}

void count_sleep(worker* w) { w->sleeps.store(w->sleeps.load(base::relaxed) + 1, base::relaxed); }

std::uint64_t earlier(std::uint64_t one, std::uint64_t other) { return one < other ? one : other; }

// Announces, looks once more, sleeps. The side that makes work available does it before it looks
// for sleepers; the sleeper announces itself before it looks for work: with the fences between, one
// of the two sees the other.
void go_to_sleep(worker* w) {
  runtime* rt = w->rt;
  w->is_asleep.store(1, base::relaxed);
  rt->sleepers.fetch_add(1, base::relaxed);
  rt->searchers.fetch_sub(1, base::relaxed);
  want_to_hear_of_forks(rt);
  try_to_take_clock(w);
  try_to_keep_source(w);
  // [I5] heavy fence: announcement and keeper before the last look, also at the clock and at
  // sources; pairs with [I4] [I6] [I7] [I9] [I15] [I19] [I22] [K2]
  os::heavy_fence();
  // Without a keeper the one that gave the clock back meanwhile may have looked for deadlines too
  // early.
  const bool waits_for_source = lacks_source(w);
  if (has_reason_to_stay(w) || rt->clock_keeper.load(base::relaxed) == nullptr || waits_for_source) {
    if (!take_out_of_sleep(w)) sleep(w, 0);
    if (waits_for_source) os::yield_cpu();
    return give_back(w);
  }
  if (w->has_run_sized) trim_stacks(w);
  std::uint64_t until = earlier(deadline_to_keep(w), time_for_idle_memory(w));
  if (must_look_at_sources(w)) until = earlier(until, os::now_ns() + look_at_unkept_sources_ns);
  if (sleeping_workers(rt) == rt->worker_count.load(base::relaxed) && rt->alarms.next_ns() == UINT64_MAX) {
    the_hooks.all_workers_idle(w, until);
  } else if (rt->settings.migrate) {
    until = earlier(until, os::now_ns() + look_at_kept_units_ns);
  }
  count_sleep(w);
  sleep(w, until);
  give_back(w);
}

// As go_to_sleep, of a virtual worker.
void go_to_sleep_in_turn(worker* w) {
  w->is_asleep.store(1, base::relaxed);
  w->rt->sleepers.fetch_add(1, base::relaxed);
  w->rt->searchers.fetch_sub(1, base::relaxed);
  // [I13] heavy fence: as [I5], for those outside; pairs with [I6] [I7] [I9]
  os::heavy_fence();
  const bool stays = has_reason_to_stay(w);
  if (!stays) {
    count_sleep(w);
    the_hooks.sleep_in_turn(w);
  }
  take_out_of_sleep(w);
  if (stays) the_hooks.pass_turn(w);  // what it saw may be another's to take
}

// Between questions to others that were not worth it: a sleep that others may shorten, but not by
// work for any worker. It looks up now and then, under the one announcement: another fence each
// time would cost the others more than what it stands back from.
void pause_searching(worker* w) {
  w->is_asleep.store(asleep_for_a_pause, base::relaxed);
  // [I8] heavy fence: as [I5]; pairs with [I7] [I9]
  os::heavy_fence();
  while (!has_own_work(w) && !must_leave(w)) {
    const std::uint64_t look_at = os::now_ns() + look_while_standing_back_ns;
    os::futex_wait_until(&w->is_asleep, asleep_for_a_pause,
                         earlier(w->rt->alarms.next_ns(), earlier(w->steal_after_ns, look_at)));
    if (w->is_asleep.load(base::relaxed) != asleep_for_a_pause || has_stood_back(w)) break;
  }
  w->is_asleep.store(0, base::relaxed);
}

// A worker whose work came by mail the last time, as when units on two workers wake each other,
// expects that again: for about as long as such an answer takes it looks at its own lines only,
// before it disturbs others by its search.
bool mail_comes_at_once(const worker* w) {
  constexpr int rounds = 64;
  const runtime* rt = w->rt;
  if (!w->expects_mail || rt->turns != nullptr || rt->settings.wait_policy == WEFT_WAIT_PASSIVE) return false;
  if (rt->worker_count.load(base::relaxed) > rt->cpu_count) return false;
  for (int round = 0; round < rounds; ++round) {
    if (has_mail(w)) return true;
    arch::pause();
  }
  return false;
}

unit* search(worker* w) {
  w->expects_mail = has_mail(w);
  if (unit* own = find_own(w); own != nullptr) return own;
  return steal(w);
}

void spin(worker* w) {
  constexpr int rounds = 32;
  for (int round = 0; round < rounds; ++round) {
    arch::pause();
    if (sees_public_forks(w) || has_own_work(w)) break;
  }
  if (shares_cpu(w)) os::yield_cpu();
}

// How long w spins before it sleeps.
std::uint64_t spin_ns(const worker* w) {
  const std::uint64_t set = w->rt->settings.spin_ns;
  return w->spin_ns > set && !shares_cpu(w) ? w->spin_ns : set;
}

// At the end of an idleness in which w has slept, or that a fork did not end. If a fork ended it
// soon, the next one may be as short: then w spins for longer, since falling asleep takes a fence
// in all others, and waking up takes a call of the kernel.
void adapt_spin(worker* w) {
  constexpr std::uint64_t longer = 10, soon = 25;  // times what was set
  const std::uint64_t set = w->rt->settings.spin_ns;
  const bool was_short = w->has_run_taken_fork && os::now_ns() - w->searching_since_ns < soon * set;
  w->spin_ns = was_short ? longer * set : 0;
}

// Whether w stands back for no longer than it would spin.
bool stands_back_awake(const worker* w, std::uint64_t now) {
  const os::settings& settings = w->rt->settings;
  return settings.wait_policy == WEFT_WAIT_HYBRID && w->steal_after_ns - now <= settings.spin_ns && !shares_cpu(w);
}

// As pause_searching, without an announcement: it sees itself what others would wake it for.
void stand_back_awake(worker* w) {
  constexpr int pauses = 4;
  while (!has_own_work(w) && !must_leave(w) && !has_stood_back(w)) {
    for (int pause = 0; pause < pauses; ++pause) arch::pause();
  }
}

// One step of an idle worker that found nothing; spins from *since on.
void wait_a_little(worker* w, std::uint64_t* since) {
  if (w->rt->turns != nullptr) return go_to_sleep_in_turn(w);
  const os::settings& settings = w->rt->settings;
  const std::uint64_t now = os::now_ns();
  if (settings.wait_policy == WEFT_WAIT_ACTIVE) return spin(w);
  if (w->steal_after_ns > now) return stands_back_awake(w, now) ? stand_back_awake(w) : pause_searching(w);
  if (*since == 0) *since = now;
  if (settings.wait_policy == WEFT_WAIT_HYBRID && now - *since < spin_ns(w)) return spin(w);
  *since = 0;
  if (gives_idle_memory_back(w, now)) return;
  go_to_sleep(w);
}

// After a sleep. Null: it counts as a searcher.
unit* take_what_it_was_called_for(worker* w) {
  if (w->is_asleep.load(base::relaxed) != is_called) return nullptr;
  if (!must_leave(w)) {
    w->expects_mail = has_mail(w);
    if (unit* own = find_own(w); own != nullptr) {
      w->is_asleep.store(0, base::relaxed);
      return own;
    }
  }
  count_as_searcher(w);
  return nullptr;
}

void stop_idling(worker* w) {
  w->is_idle.store(false, base::relaxed);
  wake_fellow_servers(w);
  if (w->rt->watchdog_dozes.load(base::relaxed)) [[unlikely]]
    the_hooks.end_doze(w->rt);
}

}  // namespace

bool sleep_once(worker* w, std::uint64_t until) {
  constexpr std::uint64_t coarsest_clock_ns = 1'000'000;  // of a wait that rounds its time down
  if (w->kept_source.load(base::relaxed) != nullptr) {
    sleep_in_source(w, until);
    if (until != UINT64_MAX && os::now_ns() + coarsest_clock_ns >= until) return false;
    take_out_of_sleep(w);  // for its news, unless it was woken
    return true;
  }
  if (until != UINT64_MAX) return os::futex_wait_until(&w->is_asleep, 1, until);
  os::futex_wait(&w->is_asleep, 1);
  return true;
}

unit* idle(worker* w) {
  w->is_idle.store(true, base::relaxed);
  if (mail_comes_at_once(w)) {
    if (unit* one = find_own(w); one != nullptr) {
      w->is_idle.store(false, base::relaxed);
      return one;
    }
  }
  w->rt->searchers.fetch_add(1, base::relaxed);
  w->times_idle.store(w->times_idle.load(base::relaxed) + 1, base::relaxed);
  begin_to_search(w);
  const std::uint64_t slept = w->sleeps.load(base::relaxed);  // before
  std::uint64_t since = 0;
  unit* found = nullptr;
  while (!must_leave(w)) {
    found = search(w);
    if (found != nullptr) break;
    look_around(w);
    if (has_own_work(w)) {
      if (w->rt->turns != nullptr) the_hooks.pass_turn(w);  // no worker may take what it sees, yet
      continue;
    }
    wait_a_little(w, &since);
    if (unit* own = take_what_it_was_called_for(w); own != nullptr) {
      w->spin_ns = 0;
      stop_idling(w);
      return own;
    }
  }
  if (!w->has_run_taken_fork || w->sleeps.load(base::relaxed) != slept) adapt_spin(w);
  stop_idling(w);
  stop_searching(w->rt);
  return found;
}

}  // namespace weft::sched
