// The region guard: an OS thread that is no worker, runs only while regions are open, and gives the
// workers of those that last to spare OS threads, which it makes on demand. See hosts.hpp.
#include "arch/context.hpp"
#include "base/assert.hpp"
#include "life/hosts_record.hpp"
#include "life/slots.hpp"
#include "os/clock.hpp"
#include "os/fence.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "run/hosting.hpp"
#include "run/waiting_units.hpp"
#include "worker/blocking_call.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

namespace {

constexpr std::size_t spare_stack_bytes = 256 * 1024;  // as a worker's: it only starts and ends it
constexpr std::uint64_t us = 1000;
constexpr std::uint64_t shortest_tick_ns = 10 * us;
constexpr std::uint64_t longest_tick_ns = 1000 * us;
constexpr std::uint64_t slowest_tick_ns = 4000 * us;  // while all regions are short

// A region that the guard has seen.
struct seen_call {
  std::uint64_t number;
  std::uint64_t at_ns;  // 0: none was open
};

void* spare_main(void* given) {
  auto* const all = static_cast<hosts*>(given);
  os::name_this_thread("weft-spare");
  if (const std::uint64_t slack_ns = all->rt->inherited.timer_slack_ns; slack_ns != 0) os::set_timer_slack(slack_ns);
  slots::run_as_spare(all->rt, all);
  return nullptr;
}

void tell_lack(hosts* all, bool is_by_limit) {
  if (all->has_told) return;
  all->has_told = true;
  const unsigned long long most = all->rt->settings.blocking_threads;
  if (is_by_limit) {
    base::report(
        "warning: all %llu OS threads that WEFT_BLOCKING_THREADS allows are in blocking calls; a worker whose thread makes "
        "another one waits with it",
        most);
  } else {
    base::report(
        "warning: the system refuses an OS thread for a worker whose thread is in a blocking call, so the worker waits with it; "
        "cure: raise the limit (ulimit -u), or lower WEFT_BLOCKING_THREADS (now %llu)",
        most);
  }
}

bool may_start_spare(hosts* all) {
  const queue::guard hold(all->lock);
  if (all->spare_count >= all->rt->settings.blocking_threads) return false;
  ++all->spare_count;
  ++all->starting_count;
  all->guard_counts_on_one = true;
  return true;
}

// Until none lacks one any more, no caller gives its worker away before those that waited for one.
void note_lack(hosts* all, bool is_there) {
  const queue::guard hold(all->lock);
  all->lacks_some = is_there;
}

bool start_spare(hosts* all) {
  if (!may_start_spare(all)) {
    tell_lack(all, true);
    return false;
  }
  os::os_thread made;
  if (os::start_thread(&made, spare_main, all, spare_stack_bytes) == status::ok) return true;
  {
    const queue::guard hold(all->lock);
    --all->spare_count;
    --all->starting_count;
    all->guard_counts_on_one = false;
  }
  tell_lack(all, false);
  return false;
}

// One that starts, and has no worker yet.
bool count_on_one_that_starts(hosts* all) {
  const queue::guard hold(all->lock);
  all->guard_counts_on_one = all->starting_count > all->given_ahead_count;
  return all->guard_counts_on_one;
}

void count_on_none(hosts* all) {
  const queue::guard hold(all->lock);
  all->guard_counts_on_one = false;
}

enum class gift { made, not_needed, none_left };

// Takes the worker over for a spare OS thread, which is made if none waits.
gift give_to_spare(hosts* all, worker* w, blocking_call* call) {
  hosts::spare* const one = take_idle(all);
  if (one == nullptr && !count_on_one_that_starts(all) && !start_spare(all)) return gift::none_left;
  if (!w->lent.take_over(call)) {
    one != nullptr ? put_back(all, one) : count_on_none(all);
    return gift::not_needed;
  }
  note_length(all, call->place, true);
  one != nullptr ? call_out(one, {w, call}) : give_ahead(all, call);
  return gift::made;
}

// To an OS thread that waits to run w again: none is made, and none that is spare is needed.
gift give_back(hosts* all, worker* w, blocking_call* call) {
  if (!w->lent.take_over(call)) return gift::not_needed;
  note_length(all, call->place, true);
  if (give_to_claimer(all, w, call)) return gift::made;
  w->lent.lend(call);  // it was claimed before this region began
  return gift::not_needed;
}

gift give(hosts* all, worker* w, blocking_call* call, bool may_be_spare) {
  if (is_claimed(w)) return give_back(all, w, call);
  return may_be_spare ? give_to_spare(all, w, call) : gift::none_left;
}

struct round {
  bool has_open = false;   // regions that still have their worker
  bool has_new = false;    // regions that the guard had not seen before, beside which units wait
  bool has_given = false;  // a worker to a spare OS thread
};

// Whether the region that w is in has been open for long.
bool is_overdue(const hosts* all, const worker* w, seen_call* seen, std::uint64_t now_ns, round* found) {
  const std::uint64_t number = w->blocking_calls.load(base::relaxed);
  if (seen->at_ns == 0 || seen->number != number) {
    *seen = {number, now_ns};
    found->has_new = found->has_new || w->ready.stealable() != 0 || has_mail(w);
    return all->rt->settings.blocking_ns == 0;
  }
  return now_ns - seen->at_ns >= all->rt->settings.blocking_ns;
}

// Workers whose regions are overdue, in the order in which the guard saw the regions.
struct overdue_workers {
  unsigned count = 0;
  std::uint16_t indices[most_workers];

  void add(const seen_call* seen, unsigned index) {
    unsigned at = count++;
    for (; at != 0 && seen[indices[at - 1]].at_ns > seen[index].at_ns; --at) indices[at] = indices[at - 1];
    indices[at] = static_cast<std::uint16_t>(index);
  }
};

void set_place(worker* w, std::uint32_t place) {
  if (w->lack_place.load(base::relaxed) != place) w->lack_place.store(place, base::relaxed);
}

round find_overdue(const hosts* all, seen_call* seen, overdue_workers* out) {
  round found;
  const std::uint64_t now_ns = os::now_ns();
  for (unsigned index = 0; index < all->rt->worker_slots.load(base::relaxed); ++index) {
    worker* const w = worker_in_slot(all->rt, index);
    if (w == nullptr || w->lent.seen() == nullptr) {
      seen[index].at_ns = 0;
      if (w != nullptr) set_place(w, 0);
      continue;
    }
    found.has_open = true;
    if (is_overdue(all, w, &seen[index], now_ns, &found)) {
      out->add(seen, index);
    } else {
      set_place(w, 0);
    }
  }
  return found;
}

// Once none is left, those that follow queue.
round look_at_all(hosts* all, seen_call* seen) {
  overdue_workers overdue;
  round found = find_overdue(all, seen, &overdue);
  std::uint32_t lacking = 0;
  for (unsigned each = 0; each < overdue.count; ++each) {
    worker* const w = worker_in_slot(all->rt, overdue.indices[each]);
    blocking_call* const call = w->lent.seen();
    if (call == nullptr) continue;
    const gift what = give(all, w, call, lacking == 0);
    found.has_given = found.has_given || what == gift::made;
    set_place(w, what == gift::none_left ? ++lacking : 0);
  }
  if (all->lacks_some != (lacking != 0)) note_lack(all, lacking != 0);
  return found;
}

bool is_any_open(const hosts* all) {
  for (unsigned index = 0; index < all->rt->worker_slots.load(base::relaxed); ++index) {
    const worker* const w = worker_in_slot(all->rt, index);
    if (w != nullptr && w->lent.seen() != nullptr) return true;
  }
  return false;
}

// Until a region begins.
void doze(hosts* all) {
  all->is_awake.store(0, base::relaxed);
  // [O5] heavy fence: the announcement before the last look at the lent words; pairs with [O6]
  os::heavy_fence();
  if (is_any_open(all) || all->must_stop.load(base::relaxed)) return all->is_awake.store(1, base::relaxed);
  while (all->is_awake.load(base::relaxed) == 0) os::futex_wait(&all->is_awake, 0);
}

std::uint64_t tick_of(const hosts* all) {
  const std::uint64_t wanted = all->rt->settings.blocking_ns;
  return wanted < shortest_tick_ns ? shortest_tick_ns : wanted > longest_tick_ns ? longest_tick_ns : wanted;
}

}  // namespace

// Ticks, at first as fast as the time that is set asks for, and more slowly while all regions that
// it sees are short. After a slow tick that sees a new region beside which units wait, the next one
// is fast: it finds whether that region lasts.
void* guard_regions(void* given) {
  os::name_this_thread("weft-regions");
  auto* const all = static_cast<hosts*>(given);
  constexpr unsigned ticks_of_a_speed = 32;
  constexpr unsigned ticks_before_dozing = 64;
  // It comes from the first region's OS thread, and spare OS threads come from it.
  os::take_inheritance(all->rt->inherited);
  arch::load_fp_control(all->rt->inherited_fp);
  os::set_timer_slack(1);
  seen_call seen[most_workers] = {};
  unsigned quiet = 0;
  unsigned without = 0;
  std::uint64_t tick_ns = tick_of(all);
  bool is_fast = false;
  while (!all->must_stop.load(base::relaxed)) {
    os::sleep_until(os::now_ns() + (is_fast ? tick_of(all) : tick_ns));
    const round found = look_at_all(all, seen);
    quiet = found.has_given && !is_fast ? 0 : quiet + 1;
    is_fast = found.has_new && !is_fast;
    without = found.has_open ? 0 : without + 1;
    if (quiet == 0) tick_ns = tick_of(all);
    if (quiet % ticks_of_a_speed == 0 && quiet != 0 && tick_ns < slowest_tick_ns) tick_ns *= 2;
    if (without < ticks_before_dozing) continue;
    doze(all);
    quiet = without = 0;
    tick_ns = tick_of(all);
  }
  return nullptr;
}

}  // namespace weft::sched
