#include "sched/idle.hpp"

#include "arch/cpu.hpp"
#include "os/clock.hpp"
#include "os/fence.hpp"
#include "os/futex.hpp"
#include "sched/deadlock.hpp"
#include "sched/dispatch.hpp"
#include "sched/fork.hpp"
#include "sched/hand.hpp"
#include "sched/lookout.hpp"
#include "sched/runtime.hpp"
#include "sched/serving.hpp"
#include "sched/source.hpp"
#include "sched/stack_class.hpp"
#include "sched/steal.hpp"
#include "sched/turns.hpp"
#include "sched/waiter.hpp"
#include "sched/watchdog.hpp"
#include "sched/worker.hpp"

namespace weft::sched {

namespace {

// Values of is_asleep: 0 awake, 1 asleep and counted as a sleeper, 2 as below, 3 in idle.hpp.
constexpr std::uint32_t asleep_for_a_pause = 2;

bool must_leave(const worker* w) { return w->rt->is_stopping.load(base::relaxed) || w->must_end.load(base::relaxed); }

bool has_ready(worker* w) {
  enter(w);
  const bool any = !w->ready.is_empty();
  w->lock.leave();
  return any;
}

bool has_mail(const worker* w) { return !w->mail.is_empty() || !w->pinned_mail.is_empty(); }

// What w itself, and nobody's permission, can take.
bool has_own_work(worker* w) {
  return has_mail(w) || has_ready(w) || pools_have_work(w) || has_new_scheduler(w) || sources_want_poll(w->rt);
}

bool has_reason_to_stay(worker* w) { return must_leave(w) || has_own_work(w) || sees_prey(w); }

void stop_searching(runtime* rt) {
  // What came while this one searched woke nobody: if it was the last searcher, another one must look.
  if (rt->searchers.fetch_sub(1, base::relaxed) == 1) wake_one(rt);
}

// Of those that sleep, takes w out. False: somebody else did. It counts as a searcher before it is awake, because it may stop searching at
// once; uncounted, it would make the count wrong for those who look whom to wake.
bool take_out_of_sleep(worker* w) {
  std::uint32_t expected = 1;
  // [I11] acquire: it is counted; pairs with [I1]
  if (w->is_asleep.load(base::acquire) != expected) return false;
  w->rt->searchers.fetch_add(1, base::relaxed);
  // [I1] acq_rel: the sleeper is counted, by whoever wakes it; pairs with [I1] [I11]
  if (!w->is_asleep.compare_exchange_strong(expected, 0, base::acq_rel, base::acquire)) {
    stop_searching(w->rt);
    return false;
  }
  w->rt->sleepers.fetch_sub(1, base::relaxed);
  return true;
}

// Sleeps until taken out or `until`. The caller has announced itself.
void sleep(worker* w, std::uint64_t until) {
  while (w->is_asleep.load(base::relaxed) == 1) {
    if (until == UINT64_MAX) {
      os::futex_wait(&w->is_asleep, 1);
    } else if (!os::futex_wait_until(&w->is_asleep, 1, until)) {
      break;
    }
  }
  take_out_of_sleep(w);
}

// The deadline that this sleeper must keep: one sleeper keeps the clock for all.
std::uint64_t take_clock(worker* w) {
  runtime* rt = w->rt;
  worker* expected = nullptr;
  rt->clock_keeper.compare_exchange_strong(expected, w, base::relaxed, base::relaxed);
  if (expected != nullptr && expected != w) return UINT64_MAX;
  // [I3] heavy fence: keeper before deadline; pairs with [I4]
  os::heavy_fence();
  return rt->alarms.next_ns();
}

void give_clock_back(worker* w) {
  worker* expected = w;
  w->rt->clock_keeper.compare_exchange_strong(expected, nullptr, base::relaxed, base::relaxed);
}

void count_sleep(worker* w) { w->sleeps.store(w->sleeps.load(base::relaxed) + 1, base::relaxed); }

// Announces, looks once more, sleeps. Whoever makes work available does it before it looks for sleepers; the sleeper announces
// itself before it looks for work: with the fences between, one of the two sees the other.
void go_to_sleep(worker* w) {
  runtime* rt = w->rt;
  w->is_asleep.store(1, base::relaxed);
  rt->sleepers.fetch_add(1, base::relaxed);
  rt->searchers.fetch_sub(1, base::relaxed);
  want_to_hear_of_forks(rt);
  // [I5] heavy fence: announcement before the last look; pairs with [I6] [I7] [I9] [K2]
  os::heavy_fence();
  if (has_reason_to_stay(w)) {
    if (!take_out_of_sleep(w)) sleep(w, 0);
    return;
  }
  if (w->has_run_sized) trim_stacks(w);
  const std::uint64_t until = take_clock(w);
  if (sleeping_workers(rt) == rt->worker_count.load(base::relaxed) && rt->alarms.next_ns() == UINT64_MAX) {
    all_workers_idle(w, until);
  }
  count_sleep(w);
  sleep(w, until);
  give_clock_back(w);
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
    sleep_in_turn(w);
  }
  take_out_of_sleep(w);
  if (stays) pass_turn(w);  // what it saw may be another's to take
}

std::uint64_t earlier(std::uint64_t one, std::uint64_t other) { return one < other ? one : other; }

// Between questions to others that were not worth it: a sleep that others may shorten, but not by work for anybody. It looks up now and
// then, under the one announcement: another fence each time would cost the others more than what it stands back from.
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

// A worker whose work came by mail the last time, as when units on two workers wake each other, expects that again: for about as long
// as such an answer takes it looks at its own lines only, before it disturbs others by its search.
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
  if (unit* given = take_from_hand(w); given != nullptr) return given;
  w->expects_mail = has_mail(w);
  if (unit* own = find_own(w); own != nullptr) return own;
  return steal(w);
}

void spin(worker* w) {
  constexpr int rounds = 32;
  for (int round = 0; round < rounds && !hand::is_filled(w) && !has_own_work(w); ++round) arch::pause();
  if (w->rt->worker_count.load(base::relaxed) > w->rt->cpu_count) os::yield_cpu();
}

// One step of an idle worker that found nothing; spins from *since on.
void wait_a_little(worker* w, std::uint64_t* since) {
  if (w->rt->turns != nullptr) return go_to_sleep_in_turn(w);
  const os::settings& settings = w->rt->settings;
  const std::uint64_t now = os::now_ns();
  if (settings.wait_policy == WEFT_WAIT_ACTIVE) return spin(w);
  if (w->steal_after_ns > now) {
    if (close_hand(w)) return;
    return pause_searching(w);
  }
  if (*since == 0) *since = now;
  if (settings.wait_policy == WEFT_WAIT_HYBRID && now - *since < settings.spin_ns) return spin(w);
  *since = 0;
  if (!close_hand(w)) go_to_sleep(w);
}

// After it was taken out of its sleep.
void rouse(worker* w) {
  w->times_woken.fetch_add(1, base::relaxed);
  if (w->rt->turns != nullptr) return ring_bell(w->rt->turns);
  os::futex_wake(&w->is_asleep, 1);
}

worker* a_sleeper(runtime* rt) {
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned index = 0; index < slots; ++index) {
    worker* w = worker_in_slot(rt, index);
    if (w != nullptr && w->is_asleep.load(base::relaxed) == 1 && take_out_of_sleep(w)) return w;
  }
  return nullptr;
}

}  // namespace

void wake_any(runtime* rt) {
  if (worker* sleeper = a_sleeper(rt); sleeper != nullptr) rouse(sleeper);
  if ((rt->sleepers.load(base::relaxed) & is_look_off) != 0) resume_lookout(rt);
}

void wake_somebody(runtime* rt) {
  wake_one(rt);
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned index = 0; index < slots; ++index) {
    worker* w = worker_in_slot(rt, index);
    if (w != nullptr && w->is_asleep.load(base::relaxed) == asleep_for_a_pause) return wake(w);
  }
}

void wake(worker* w) {
  // [I7] light fence: as [I6], and mail before the look at is_serving; pairs with [A33] [I5] [I8] [I13]
  base::light_fence();
  if (w->is_asleep.load(base::relaxed) == 0) return;
  std::uint32_t pausing = asleep_for_a_pause;
  if (take_out_of_sleep(w) || w->is_asleep.compare_exchange_strong(pausing, 0, base::relaxed, base::relaxed)) {
    rouse(w);
  } else if (w->is_asleep.load(base::relaxed) == awake_and_unwatched) {
    resume_lookout(w->rt);
  }
}

void wake_all(runtime* rt) {
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned index = 0; index < slots; ++index) {
    if (worker* w = worker_in_slot(rt, index); w != nullptr) wake(w);
  }
}

void wake_clock_keeper(runtime* rt) {
  // [I4] light fence: deadline before the look for a keeper; pairs with [I3]
  base::light_fence();
  if (worker* keeper = rt->clock_keeper.load(base::relaxed); keeper != nullptr) return wake(keeper);
  wake_somebody(rt);
}

unit* idle(worker* w) {
  if (mail_comes_at_once(w)) {
    if (unit* one = find_own(w); one != nullptr) return one;
  }
  w->rt->searchers.fetch_add(1, base::relaxed);
  w->times_idle.store(w->times_idle.load(base::relaxed) + 1, base::relaxed);
  std::uint64_t since = 0;
  unit* found = nullptr;
  while (!must_leave(w)) {
    if (!hand::is_open(w) && !hand::is_filled(w)) hold_out_hand(w);
    found = search(w);
    if (found != nullptr) break;
    look_around(w);
    if (has_own_work(w)) {
      if (w->rt->turns != nullptr) pass_turn(w);  // what it sees may be nobody's to take, yet
      continue;
    }
    wait_a_little(w, &since);
  }
  static_cast<void>(close_hand(w));
  wake_fellow_servers(w);
  stop_searching(w->rt);
  rouse_watchdog(w->rt);
  return found;
}

}  // namespace weft::sched
