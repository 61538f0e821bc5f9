// See watchdog.hpp. All of it runs on the watchdog's own OS thread but start, stop, end_doze and
// the question for a last dump, which comes from a signal handler.
#include "see/watchdog.hpp"

#include <unistd.h>

#include <new>

#include "base/assert.hpp"
#include "base/atomic.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/system_call.hpp"
#include "os/thread.hpp"
#include "os/thread_state.hpp"
#include "os/vm.hpp"
#include "see/circle_search.hpp"
#include "see/circles.hpp"
#include "see/deadlock.hpp"
#include "see/dump_signal.hpp"
#include "see/kernel_sleep.hpp"
#include "see/late_source.hpp"
#include "see/report.hpp"
#include "see/standing.hpp"
#include "see/trace_dump.hpp"
#include "worker/glance.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/stillness.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr std::size_t os_stack_bytes = 1024 * 1024;  // names of C++ functions are made readable on it

// Looks so often in the time that it is set to: an episode is noticed at most a quarter late.
constexpr std::uint64_t looks = 4;

struct episode {
  whereabouts where;
  std::uint64_t since_ns = 0;
  std::uint64_t cpu_ms_then = 0;
  bool is_confirmed = false;  // seen twice
  bool is_told = false;
  bool is_wefts = false;  // Weft itself waits: nothing is to be told
  bool was_in_region = false;
  std::uint64_t regions = 0;  // that the worker's threads had begun at the last look
};

// ---- what it says -------------------------------------------------------------------------------

void tell_futex(text& out, const worker* w, const os::thread_state& state) {
  const int owner = os::owner_of_pthread_mutex(state.first_argument);
  const worker* const owner_worker = owner != 0 ? worker_with(w->rt, owner) : nullptr;
  out << "weft: watchdog:   it waits for a lock";
  if (owner_worker == nullptr) {
    out << ", condition or end of OS threads (std::mutex, std::condition_variable, pthread_join)\n";
  } else {
    out << " of OS threads (std::mutex, pthread_mutex_t) at ", out.address(reinterpret_cast<const void*>(state.first_argument));
    if (owner_worker == w) {
      out << " that this very worker holds: a thread took it and let others run meanwhile. Neither can go on\n";
    } else {
      out << ", held by worker " << owner_worker->index << "\n";
    }
  }
  tell_cure_of_waits(out, "weft: watchdog:   ");
}

void tell_sleep(const worker* w, const os::thread_state& state, const calling_code& code) {
  const int os_thread = w->os_thread_id.load(base::relaxed);
  text out(STDERR_FILENO);
  out << "weft: watchdog:   OS thread " << static_cast<unsigned>(os_thread) << " sleeps in the kernel";
  tell_calling_code(tell_kernel_place(out, os_thread, state), code, names::readable) << "\n";
  if (os::is_futex(state.call)) return tell_futex(out, w, state);
  tell_cure_of_call(out, "weft: watchdog:   ", state.call, waiting_behind(w));
}

void tell_run(const worker* w, std::uint64_t cpu_ms) {
  base::report("watchdog:   OS thread %d computes (%llu ms of CPU time): a long loop, or one that waits for a variable to change",
               w->os_thread_id.load(base::relaxed), static_cast<unsigned long long>(cpu_ms));
  base::report(
      "watchdog:   cure: weft_yield() now and then; wait with a weft_event or a weft_cond instead of looking at a variable");
}

void tell(const worker* w, const episode& now, std::uint64_t for_ns, const os::thread_state& state, const calling_code& code) {
  unit_view view;
  const bool is_seen = look_at(now.where.in, &view);
  if (find_whereabouts(w) != now.where) return;  // it went on, and `view` may be anything
  {
    text out(STDERR_FILENO);
    out << "weft: watchdog: worker " << w->index << " has been in ";
    if (is_seen) {
      identity(out, view, names::readable);
    } else {
      out << "a thread";
    }
    out << " for " << for_ns / ns_per_ms << " ms; ";
    out.count(waiting_behind(w), "ready thread waits", "ready threads wait") << " for this worker\n";
  }
  if (state.letter == 'R') return tell_run(w, state.cpu_ms - now.cpu_ms_then);
  tell_sleep(w, state, code);
}

// A running thread is judged by its CPU time, since the machine may have other things to do. The
// clock of it starts at the second look.
bool has_computed(const episode& now, std::uint64_t limit_ns, const os::thread_state& state) {
  return state.letter == 'R' && state.cpu_ms - now.cpu_ms_then >= limit_ns * (looks - 1) / looks / ns_per_ms;
}

bool deserves_telling(const worker* w, const episode& now, std::uint64_t limit_ns, const os::thread_state& state) {
  if (state.letter == 'T' || state.letter == 't') return false;  // a debugger stopped it
  if (state.letter != 'R') return true;
  return waiting_behind(w) != 0 && has_computed(now, limit_ns, state);
}

}  // namespace

// Zeros at first, in memory that is not touched for workers that are not there.
struct notes {
  episode episodes[most_workers];
  standing standings[most_workers];
  late_source sources[most_workers];
};

struct watchdog {
  runtime* rt;
  os::os_thread os_thread;
  std::uint64_t last_ns = 0;
  std::uint64_t standing_due_ns = 0;
  bool is_crowd_told = false;
  circle_search* circles = nullptr;
  std::uint64_t circles_due_ns = 0;
  bool has_more_circles = false;  // to look at soon
  std::uint64_t times_idle = 0;   // of all workers, as of the last look
  std::uint64_t last_round = 0;   // once it is over, what was there then has been searched
  notes* of_workers;
};

namespace {

// Far more seldom than a worker can stand still untold.
constexpr std::uint64_t usual_period_ns = longest_standing_ns / 2;
constexpr std::uint64_t longest_doze_ns = 60'000 * ns_per_ms;

// What goes with each report of a stall.
void dump_if_wanted(const runtime* rt) {
  if ((rt->settings.dump_on & os::at_stall) != 0) static_cast<void>(dump(STDERR_FILENO));
  if (rt->settings.keeps_trace) write_kept_trace("stall");
}

bool is_in_region(const worker* w) { return w->lent.seen() != nullptr; }

// For a moment a worker that is taken from a thread in a region looks as if it were still in that
// thread: whether that may be so now, which is said once an episode.
bool may_be_in_region(const worker* w, episode* known) {
  const std::uint64_t regions = w->blocking_calls.load(base::relaxed);
  const bool is_first = known->regions != regions && !known->was_in_region;
  known->regions = regions;
  known->was_in_region = known->was_in_region || is_first;
  return is_first;
}

// True: it has been in one unit for longer than the limit.
bool check_on(const worker* w, episode* known, const standing& still, std::uint64_t limit_ns, std::uint64_t now_ns) {
  const whereabouts found = find_whereabouts(w);
  if (found.in == nullptr || found != known->where || is_in_region(w)) {
    *known = {.where = found, .since_ns = now_ns, .regions = w->blocking_calls.load(base::relaxed)};
    return false;
  }
  const std::uint64_t for_ns = now_ns - known->since_ns;
  known->is_told = known->is_told || (still.is_reported && still.where == found);
  if (known->is_told || known->is_wefts) return true;
  os::thread_state state;
  if (!known->is_confirmed) {
    if (os::read_thread_state(w->os_thread_id.load(base::relaxed), &state)) known->cpu_ms_then = state.cpu_ms;
    known->is_confirmed = true;
    return false;
  }
  if (for_ns < limit_ns || !os::read_thread_state(w->os_thread_id.load(base::relaxed), &state)) return false;
  if (!deserves_telling(w, *known, limit_ns, state)) return has_computed(*known, limit_ns, state);
  calling_code code;
  if (state.letter != 'R') {
    if (state.place == os::kernel_place::none || may_be_in_region(w, known)) return false;  // awake again, or perhaps allowed
    code = find_calling_code(w, found.in, state);
    if (code.has_returned) return false;
  }
  known->is_wefts = code.is_wefts;
  if (code.is_wefts) return true;
  known->is_told = true;
  tell(w, *known, for_ns, state, code);
  dump_if_wanted(w->rt);
  return true;
}

// All workers have been in one unit each for longer than the limit, and not all were told of.
void tell_crowd(const watchdog* dog, std::uint64_t now_ns) {
  const runtime* rt = dog->rt;
  text out(STDERR_FILENO);
  out << "weft: watchdog: no worker has taken another thread for ";
  out << rt->settings.watchdog_ns / ns_per_ms << " ms: each computes in one\n";
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* w = worker_in_slot(rt, index);
    unit_view view;
    if (w == nullptr || !look_at(dog->of_workers->episodes[index].where.in, &view)) continue;
    out << "weft: watchdog:   worker " << index << ": ";
    identity(out, view, names::readable) << ", for ";
    out << (now_ns - dog->of_workers->episodes[index].since_ns) / ns_per_ms << " ms\n";
  }
  out << "weft: watchdog:   cure, if they wait for variables that others of them are to change: wait with a "
         "weft_event or a weft_cond, or call weft_yield() in the loop\n";
}

bool is_stuck(watchdog* dog, const worker* w, unsigned index, std::uint64_t now_ns) {
  return check_on(w, &dog->of_workers->episodes[index], dog->of_workers->standings[index], dog->rt->settings.watchdog_ns, now_ns);
}

void check_on_all(watchdog* dog, bool stood_still, std::uint64_t now_ns) {
  const runtime* rt = dog->rt;
  unsigned stuck = 0, told = 0;
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* w = worker_in_slot(rt, index);
    if (stood_still || w == nullptr) dog->of_workers->episodes[index] = {};
    if (w == nullptr || !is_stuck(dog, w, index, now_ns)) continue;
    ++stuck;
    if (dog->of_workers->episodes[index].is_told) ++told;
  }
  const unsigned workers = rt->worker_count.load(base::relaxed);
  const bool is_crowd = workers > 1 && stuck == workers;
  if (is_crowd && !dog->is_crowd_told && told != workers) {
    tell_crowd(dog, now_ns);
    dump_if_wanted(rt);
  }
  dog->is_crowd_told = is_crowd;
}

// False: it does not wait, or will end that by itself.
bool read_wait(const worker* w, kernel_wait* wait) {
  const int id = w->os_thread_id.load(base::relaxed);
  os::thread_state state;
  if (!os::read_thread_state(id, &state) || state.letter != 'S') return false;
  if (!state.waits_for_others && !is_told_of_call(state.call)) return false;
  *wait = {state.first_argument, state.third_argument & UINT32_MAX, 0, state.waits_for_others ? -1 : state.call};
  return os::read_waits(id, &wait->waits);
}

void look_for_standstills(watchdog* dog, bool stood_still, std::uint64_t now_ns) {
  const runtime* rt = dog->rt;
  if (rt->settings.deadlock == os::deadlock_action::off || now_ns < dog->standing_due_ns) return;
  dog->standing_due_ns = now_ns + usual_period_ns / 2;  // half a period late is on time
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* w = worker_in_slot(rt, index);
    standing* known = &dog->of_workers->standings[index];
    if (w == nullptr || stood_still) *known = {};
    if (w == nullptr || glance(w->current) == nullptr || is_in_region(w)) continue;
    kernel_wait wait{};
    const bool waits = read_wait(w, &wait);
    const episode& told = dog->of_workers->episodes[index];
    const bool is_told = told.is_told && told.where == known->where;
    if (look_at_standing(w, known, waits ? &wait : nullptr, {now_ns, nullptr, is_told})) dump_if_wanted(rt);
  }
}

void check_on_sources(watchdog* dog, bool stood_still, std::uint64_t now_ns) {
  const runtime* rt = dog->rt;
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* w = worker_in_slot(rt, index);
    late_source* known = &dog->of_workers->sources[index];
    if (w == nullptr || stood_still) *known = {};
    if (w != nullptr && look_at_kept_source(w, known, rt->settings.watchdog_ns, now_ns)) dump_if_wanted(rt);
  }
}

std::uint64_t times_idle_of_all(const runtime* rt) {
  std::uint64_t sum = 0;
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* w = worker_in_slot(rt, index);
    if (w != nullptr) sum += w->times_idle.load(base::relaxed);
  }
  return sum;
}

bool wants_circles(const watchdog* dog) {
  return dog->rt->settings.deadlock != os::deadlock_action::off && !glance(dog->rt->still.is_over) && dog->circles != nullptr;
}

void search_circles(watchdog* dog, std::uint64_t now_ns) {
  if (!wants_circles(dog) || now_ns < dog->circles_due_ns) return;
  dog->circles_due_ns = now_ns + usual_period_ns / 2;
  const std::uint64_t times_idle = times_idle_of_all(dog->rt);
  if (times_idle != dog->times_idle) dog->last_round = dog->circles->rounds() + 2;  // the one under way does not count
  dog->times_idle = times_idle;
  const circles_seen seen = look_for_circles(dog->rt, dog->circles);
  if (seen.has_told && dog->rt->settings.keeps_trace) write_kept_trace("deadlock");
  dog->has_more_circles = seen.has_more;
}

// Whether all that waits has waited since before a round of the search that is over.
bool has_searched_all(const watchdog* dog) {
  return !wants_circles(dog) ||
         (!dog->has_more_circles && dog->circles->rounds() >= dog->last_round && times_idle_of_all(dog->rt) == dog->times_idle);
}

bool all_sleep(const runtime* rt) { return sleeping_workers(rt) == rt->worker_count.load(base::relaxed); }

// What the bell's lowest bits ask for; the others count how often it rang. All of it is one word,
// so that the watchdog sees what it is called for as soon as it sees the bell.
constexpr std::uint32_t must_stop = 1;
constexpr std::uint32_t must_dump = 2;
constexpr std::uint32_t ring = 4;

bool is_called(std::uint32_t bell) { return (bell & (must_stop | must_dump)) != 0; }

// Until a worker finds something to do. A wake-up that is missed makes it look late, after
// longest_doze_ns at the latest.
void doze(watchdog* dog) {
  const std::uint32_t seen = dog->rt->watchdog_bell.load(base::relaxed);
  dog->rt->watchdog_dozes.store(true, base::relaxed);
  if (all_sleep(dog->rt) && !is_called(seen)) os::futex_wait_until(&dog->rt->watchdog_bell, seen, os::now_ns() + longest_doze_ns);
  dog->rt->watchdog_dozes.store(false, base::relaxed);
}

void pause(watchdog* dog, std::uint64_t period_ns) {
  const std::uint64_t until = os::now_ns() + period_ns;
  for (;;) {
    const std::uint32_t seen = dog->rt->watchdog_bell.load(base::relaxed);
    if (is_called(seen)) return;
    if (!os::futex_wait_until(&dog->rt->watchdog_bell, seen, until) && os::now_ns() >= until) return;
  }
}

std::uint64_t period_of(const os::settings& settings) {
  const std::uint64_t wanted = settings.watchdog_ns / looks;
  return wanted != 0 && wanted < usual_period_ns ? wanted : usual_period_ns;
}

void* watch(void* argument) {
  os::name_this_thread("weft-watchdog");
  auto* dog = static_cast<watchdog*>(argument);
  const runtime* rt = dog->rt;
  const std::uint64_t period_ns = period_of(rt->settings);
  const std::uint64_t limit_ns = rt->settings.watchdog_ns;
  constexpr unsigned looks_before_dozing = 4;
  unsigned quiet_looks = 0;
  dog->last_ns = os::now_ns();
  if (rt->settings.deadlock != os::deadlock_action::off) dog->circles = circle_search::make();
  for (;;) {
    pause(dog, period_ns);
    quiet_looks = all_sleep(rt) ? quiet_looks + 1 : 0;
    if (limit_ns == 0 && quiet_looks > looks_before_dozing && has_searched_all(dog)) doze(dog);
    const std::uint32_t bell = dog->rt->watchdog_bell.fetch_and(~must_dump, base::relaxed);
    if ((bell & must_dump) != 0) dump_and_die();  // which returns before the signal has reached its OS thread
    if ((bell & must_stop) != 0) return nullptr;
    const std::uint64_t now_ns = os::now_ns();
    // The whole process stood still (a debugger, a suspended machine), or this OS thread dozed:
    // no thread is to blame.
    const bool stood_still = now_ns - dog->last_ns > (limit_ns != 0 ? limit_ns : 2 * usual_period_ns);
    if (limit_ns != 0) {
      check_on_all(dog, stood_still, now_ns);
      check_on_sources(dog, stood_still, now_ns);
    }
    look_for_standstills(dog, stood_still, now_ns);
    search_circles(dog, now_ns);
    dog->last_ns = os::now_ns();  // a dump takes its time
  }
}

bool is_needed(const runtime* rt) {
  if (rt->turns != nullptr) return false;  // a worker that waits for its turn does not keep another
  if (rt->settings.watchdog_ns != 0) return true;
  const bool has_second_os_thread =
      rt->worker_count.load(base::relaxed) > 1 || !rt->has_adopted_caller || rt->spare_hosts.load(base::relaxed) != nullptr;
  return has_second_os_thread && rt->settings.deadlock != os::deadlock_action::off;
}

}  // namespace

void start_watchdog(runtime* rt) {
  if (!is_needed(rt) || rt->has_tried_watchdog.exchange(true, base::relaxed)) return;
  constexpr std::size_t bytes = sizeof(watchdog) + sizeof(notes);
  static_assert(sizeof(watchdog) % alignof(notes) == 0);
  void* memory = os::reserve(bytes, os::page_bytes());
  if (memory != nullptr) {
    auto* dog = new (memory) watchdog{};
    dog->rt = rt;
    dog->of_workers = reinterpret_cast<notes*>(dog + 1);
    if (os::start_thread(&dog->os_thread, watch, dog, os_stack_bytes) == status::ok) {
      rt->dog.store(dog, base::relaxed);
      return;
    }
    os::release(memory, bytes);
  }
  if (rt->settings.watchdog_ns == 0) return;
  base::report("warning: no memory or no OS thread for the watchdog; the program runs without");
}

void stop_watchdog(runtime* rt) {
  watchdog* dog = rt->dog.load(base::relaxed);
  if (dog == nullptr) return;
  rt->watchdog_bell.fetch_or(must_stop, base::relaxed);
  os::futex_wake(&rt->watchdog_bell, 1);
  os::join_thread(dog->os_thread);
  rt->dog.store(nullptr, base::relaxed);
  circle_search::free(dog->circles);
  os::release(dog, sizeof(watchdog) + sizeof(notes));
}

bool ask_watchdog_for_last_dump(runtime* rt) {
  if (rt->dog.load(base::relaxed) == nullptr) return false;
  rt->watchdog_bell.fetch_or(must_dump, base::relaxed);
  os::futex_wake(&rt->watchdog_bell, 1);
  return true;
}

void end_doze(runtime* rt) {
  rt->watchdog_dozes.store(false, base::relaxed);
  rt->watchdog_bell.fetch_add(ring, base::relaxed);
  os::futex_wake(&rt->watchdog_bell, 1);
}

}  // namespace weft::sched
