// See deadlock.hpp. What a report says is in stillness_report.cpp.
#include "see/deadlock.hpp"

#include <unistd.h>

#include "os/alone.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/tasks.hpp"
#include "os/thread.hpp"
#include "run/end.hpp"
#include "run/idle.hpp"
#include "run/next.hpp"
#include "see/blame.hpp"
#include "see/circle_search.hpp"
#include "see/circles.hpp"
#include "see/stillness_report.hpp"
#include "see/trace_dump.hpp"
#include "see/tracing.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/stillness.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr std::uint64_t first_pause_ns = 200 * ns_per_ms;
constexpr std::uint64_t longest_pause_ns = 30'000 * ns_per_ms;
constexpr std::uint64_t between_readings_ns = 10 * ns_per_ms;
constexpr std::uint64_t between_steps_ns = 250 * ns_per_ms;  // of the search for circles

std::uint64_t earlier(std::uint64_t one, std::uint64_t other) { return one < other ? one : other; }

// Lookers that would look at the same time as another come later: awake, they would be in each
// other's way for ever.
constexpr std::uint64_t stagger_ns = 50 * ns_per_ms;
constexpr int most_tries = 3;

// TSan has an OS thread of its own, which sleeps and wakes for ever.
constexpr unsigned instrumentation_threads = config::thread_sanitizer ? 1 : 0;

// The word on which the looker sleeps: it looks no further once that has changed, or once its
// attempt has succeeded.
struct sleep_word {
  base::atomic<std::uint32_t>* word;
  std::uint32_t value;
  bool (*attempt)(void* argument) = nullptr;
  void* argument = nullptr;
  mutable bool has_succeeded = false;
  worker* sleeper = nullptr;  // whose word it is

  // False: the time has come.
  bool sleep_once_until(std::uint64_t until) const {
    return sleeper != nullptr ? sched::sleep_once(sleeper, until) : os::futex_wait_until(word, value, until);
  }
  bool holds() const { return word->load(base::relaxed) == value; }
  // Between two readings.
  bool still_waits() const {
    if (attempt != nullptr && !has_succeeded) has_succeeded = attempt(argument);
    return holds() && !has_succeeded;
  }
};

// ---- the workers' side ----

struct outside_query {
  int id;
  wait_kind blocked;
  std::uint64_t waits;
  std::uint64_t tried_ns;
};

outside_query outside_with(int id) {
  outside_query query{id, wait_kind::none, 0, 0};
  local::walk_outside(
      [](void* state, outside* one) {
        auto* wanted = static_cast<outside_query*>(state);
        if (one->id != wanted->id) return;
        wanted->blocked = one->is_blocked.load(base::relaxed);
        wanted->waits = one->waits.load(base::relaxed);
        wanted->tried_ns = one->tried_ns.load(base::relaxed);
      },
      &query);
  return query;
}

bool do_all_sleep(runtime* rt) {
  const unsigned count = rt->worker_count.load(base::relaxed);
  if (sleeping_workers(rt) == count) return true;
  unsigned still = 0;
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* w = serving_worker(rt, index);
    if (w == nullptr) continue;
    const bool sleeps = w->is_asleep.load(base::relaxed) == 1;
    if (sleeps || outside_with(w->os_thread_id.load(base::relaxed)).blocked == wait_kind::endless) ++still;
  }
  return still == count;
}

// Or are held up.
bool all_workers_sleep(runtime* rt) {
  return rt->alarms.next_ns() == UINT64_MAX && !rt->is_stopping.load(base::relaxed) && !has_sources(rt) && do_all_sleep(rt);
}

bool is_main_blocked(runtime* rt) {
  const unit* main = main_of(rt);
  if (main == nullptr) return false;
  const unit_state state = main->state.load(base::relaxed);
  return state == unit_state::blocked || state == unit_state::suspended;
}

const worker* worker_on(runtime* rt, int os_thread_id) {
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* w = serving_worker(rt, index);
    if (w != nullptr && w->os_thread_id.load(base::relaxed) == os_thread_id) return w;
  }
  return nullptr;
}

// All that moves when anything does: workers that ran out of work, OS threads that began to wait.
std::uint64_t sum_of_moves(runtime* rt) {
  std::uint64_t sum = 0;
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* w = serving_worker(rt, index);
    if (w != nullptr) sum += w->times_idle.load(base::relaxed);
  }
  local::walk_outside(
      [](void* state, outside* one) { *static_cast<std::uint64_t*>(state) += one->waits.load(base::relaxed) + 1; }, &sum);
  return sum;
}

// ---- one reading of all OS threads ----

struct reading {
  runtime* rt;
  int own_id;
  unsigned awake = 0;      // could still do something
  unsigned in_weft = 0;    // outside, blocked in one of our waits
  unsigned elsewhere = 0;  // blocked in a lock of OS threads
  std::uint64_t signature = 0;
  std::uint64_t since_ns = 0;  // the end of the reading before
};

void add_to_signature(reading* all, std::uint64_t id, std::uint64_t value) {
  // Summed, so that the order does not count.
  all->signature += (id * 0x9e3779b97f4a7c15 ^ value) * 0xbf58476d1ce4e5b9;
}

// In one of our waits, and does not come out of it.
bool stands_in_weft(const reading& all, const os::task& one, const outside_query& query) {
  if (query.blocked != wait_kind::endless) return false;
  if (one.id == all.own_id) return true;
  return query.tried_ns == 0 ? one.is_asleep : query.tried_ns > all.since_ns;
}

void read_one(void* state, const os::task& one) {
  auto* all = static_cast<reading*>(state);
  if (one.is_onlooker || one.has_ended) return;
  const bool is_self = one.id == all->own_id;
  const outside_query query = outside_with(one.id);
  if (query.blocked == wait_kind::spare) return;
  if (stands_in_weft(*all, one, query)) {
    ++all->in_weft;
    return add_to_signature(all, static_cast<unsigned>(one.id), query.waits);
  }
  if (const worker* w = worker_on(all->rt, one.id); w != nullptr) {
    if (w->is_asleep.load(base::relaxed) != 1 || !(one.is_asleep || is_self)) ++all->awake;
    return add_to_signature(all, static_cast<unsigned>(one.id), w->times_idle.load(base::relaxed));
  }
  if (one.waits_for_others && query.blocked == wait_kind::none) {
    ++all->elsewhere;
    add_to_signature(all, static_cast<unsigned>(one.id), one.switches);
  } else {
    ++all->awake;
  }
}

// False: an OS thread could still do something.
bool read_all(runtime* rt, std::uint64_t since_ns, reading* all) {
  *all = {.rt = rt, .own_id = os::thread_id(), .since_ns = since_ns};
  if (!all_workers_sleep(rt)) return false;
  return os::walk_tasks(read_one, all) && all->awake <= instrumentation_threads && all_workers_sleep(rt);
}

enum class verdict { alive, possible, certain };

// False: the looker itself was woken.
bool wait_between_readings(const sleep_word& own) {
  const std::uint64_t until = os::now_ns() + between_readings_ns;
  while (own.holds() && own.sleep_once_until(until)) {
  }
  return own.still_waits();
}

bool does_anyone_wait(runtime* rt, const reading& all) { return is_main_blocked(rt) || all.in_weft != 0 || live_units(rt) != 0; }

// Of a reading that did not change. A caller that waits for the runtime, which the looker holds,
// goes on when the look is over.
verdict judge_still(const reading& all) {
  if (local::is_hold_wanted()) return verdict::alive;
  return all.elsewhere != 0 ? verdict::possible : verdict::certain;
}

verdict judge(runtime* rt, const sleep_word& own) {
  reading before{};
  reading now{};
  bool was_still = read_all(rt, 0, &before);
  std::uint64_t since_ns = os::now_ns();
  if (was_still && !does_anyone_wait(rt, before)) return verdict::alive;
  // More than once, because another one may be awake for a moment, only to find that another looks
  // already.
  for (int tried = 0; tried < most_tries && wait_between_readings(own); ++tried, before = now) {
    const bool is_still = read_all(rt, since_ns, &now);
    since_ns = os::now_ns();
    if (is_still && was_still && now.signature == before.signature) return judge_still(now);
    was_still = is_still;
  }
  return verdict::alive;
}

// ---- when to look ----

void tell_deadlock(runtime* rt, bool certain) {
  report_deadlock(rt, certain);
  if (rt->settings.deadlock == os::deadlock_action::abort) abort_after_report();
  if (rt->turns != nullptr) {
    write_trace_of_dying("deadlock");
    _exit(exit_deadlock);
  }
  write_kept_trace_of(rt, "deadlock");
}

// Looks for circles where no watchdog does. When to go on with that; UINT64_MAX: at the next look.
std::uint64_t look_for_more_circles(runtime* rt) {
  if (rt->dog.load(base::relaxed) != nullptr) return UINT64_MAX;
  if (rt->still.circles == nullptr) rt->still.circles = circle_search::make();
  if (rt->still.circles == nullptr) return UINT64_MAX;
  const circles_seen seen = look_for_circles(rt, rt->still.circles);
  if (seen.has_told) write_kept_trace_of(rt, "deadlock");
  return seen.has_more ? os::now_ns() + between_steps_ns : UINT64_MAX;
}

// True: that was a deadlock, and it was told.
bool look_for_deadlock(runtime* rt, const sleep_word& own) {
  const verdict found = all_workers_sleep(rt) ? judge(rt, own) : verdict::alive;
  if (found == verdict::alive) return false;
  rt->still.is_over = true;
  tell_deadlock(rt, found == verdict::certain);
  return true;
}

// Looks if it is time to. When to look again; UINT64_MAX: there is no need to.
std::uint64_t look(runtime* rt, const sleep_word& own) {
  stillness& still = rt->still;
  const std::uint64_t now = os::now_ns();
  const std::uint64_t moved = sum_of_moves(rt);
  if (moved != still.moved) still = {moved, now, first_pause_ns, false, UINT64_MAX, still.circles};
  if (still.is_over) return UINT64_MAX;
  if (now < still.next_look_ns && now < still.circles_due_ns)
    return earlier(still.next_look_ns, still.circles_due_ns) + stagger_ns;
  if (now >= still.next_look_ns) {
    if (look_for_deadlock(rt, own)) return UINT64_MAX;
    still.pause_ns = still.pause_ns < longest_pause_ns / 2 ? still.pause_ns * 2 : longest_pause_ns;
    still.next_look_ns = os::now_ns() + still.pause_ns;
  }
  still.circles_due_ns = look_for_more_circles(rt);
  return earlier(still.next_look_ns, still.circles_due_ns);
}

std::uint64_t look_if_possible(const sleep_word& own) {
  runtime* rt = nullptr;
  if (!local::try_hold(&rt)) return os::now_ns() + first_pause_ns + stagger_ns;  // another one is looking
  std::uint64_t next = os::now_ns() + longest_pause_ns;                          // without a runtime no look is missed
  if (rt != nullptr) next = rt->settings.deadlock == os::deadlock_action::off ? UINT64_MAX : look(rt, own);
  local::let_go();
  return next;
}

}  // namespace

void all_workers_idle(worker* w, std::uint64_t until) {
  runtime* rt = w->rt;
  if (rt->settings.deadlock == os::deadlock_action::off) return;
  const sleep_word own{.word = &w->is_asleep, .value = 1, .sleeper = w};
  std::uint64_t next = os::now_ns() + first_pause_ns;
  while (next < until && own.holds()) {
    if (own.sleep_once_until(next)) continue;
    if (!all_workers_sleep(rt)) return;  // another one will be the last
    next = look_if_possible(own);
  }
}

void look_at_still_turns(runtime* rt, base::atomic<std::uint32_t>* bell, std::uint32_t rung) {
  if (rt->settings.deadlock == os::deadlock_action::off) return;
  runtime* held = nullptr;
  if (!os::is_alone() || !local::try_hold(&held)) {
    static_cast<void>(look_if_possible({bell, rung}));
    return;
  }
  tell_deadlock(rt, true);
  local::let_go();
}

attempts_look look_between_attempts(std::uint64_t due_ns, bool (*attempt)(void* argument), void* argument) {
  if (due_ns == 0) return {os::now_ns() + first_pause_ns, false};
  base::atomic<std::uint32_t> bell{0};  // nothing rings it
  const sleep_word own{&bell, 0, attempt, argument};
  attempts_look found{look_if_possible(own), false};
  found.has_succeeded = own.has_succeeded;
  return found;
}

void free_looks(runtime* rt) {
  circle_search::free(rt->still.circles);
  rt->still.circles = nullptr;
}

void sleep_and_look(base::atomic<std::uint32_t>* word, std::uint32_t value) {
  const sleep_word own{word, value};
  std::uint64_t next = os::now_ns() + first_pause_ns;
  while (own.holds()) {
    if (!os::futex_wait_until(word, value, next)) next = look_if_possible(own);
  }
}

}  // namespace weft::sched
