#include "sched/watchdog.hpp"

#include <unistd.h>

#include <new>

#include "base/assert.hpp"
#include "base/atomic.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "os/thread_state.hpp"
#include "os/vm.hpp"
#include "sched/deadlock.hpp"
#include "sched/glance.hpp"
#include "sched/report.hpp"
#include "sched/runtime.hpp"
#include "sched/worker.hpp"

namespace weft::sched {

namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr std::size_t os_stack_bytes = 1024 * 1024;  // names of C++ functions are made readable on it

// Looks so often in the time that it is set to: an episode is noticed at most a quarter late.
constexpr std::uint64_t looks = 4;

// Where a worker was found; the same again means that it never left. A unit that ended here counts as leaving, for joins run their
// threads without a choice; so does having been idle, from which the same thread may come back.
struct place {
  const unit* in = nullptr;  // null: it chooses or idles
  std::int32_t turns_left = 0;
  std::uint64_t finished = 0;
  std::uint64_t times_idle = 0;

  bool operator==(const place&) const = default;
};

struct episode {
  place where;
  std::uint64_t since_ns = 0;
  std::uint64_t cpu_ms_then = 0;
  bool is_confirmed = false;  // seen twice
  bool is_told = false;
};

place place_of(const worker* w) {
  place found;
  found.in = glance(w->current);
  found.turns_left = glance(w->turns_left);
  found.finished = w->finished.load(base::relaxed);
  found.times_idle = w->times_idle.load(base::relaxed);
  return found;
}

// Ready units that only w is sure to run. At least that many: those that no thief may take are counted as one.
unsigned waiting_behind(const worker* w) {
  unsigned count = w->ready.stealable();
  if constexpr (!config::thread_sanitizer) {  // a plain list: TSan would see a race, and rightly
    if (count == 0 && !w->ready.is_empty()) ++count;
  }
  if (!w->mail.is_empty()) ++count;
  if (!w->pinned_mail.is_empty()) ++count;
  return count;
}

int index_of_os_thread(const runtime* rt, int thread_id) {
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* w = worker_in_slot(rt, index);
    if (w != nullptr && w->os_thread_id.load(base::relaxed) == thread_id) return static_cast<int>(index);
  }
  return -1;
}

// ---- what it says --------------------------------------------------------------------------------------------------

void tell_futex(const worker* w, const os::thread_state& state) {
  const int owner = os::owner_of_pthread_mutex(state.first_argument);
  const int owner_worker = owner != 0 ? index_of_os_thread(w->rt, owner) : -1;
  if (owner_worker == static_cast<int>(w->index)) {
    base::report(
        "watchdog:   it waits for a lock of OS threads (std::mutex, pthread_mutex_t) at %#lx that this very worker holds: a "
        "thread "
        "took it and let others run meanwhile. Neither can go on",
        static_cast<unsigned long>(state.first_argument));
  } else if (owner_worker >= 0) {
    base::report("watchdog:   it waits for a lock of OS threads (std::mutex, pthread_mutex_t) at %#lx, held by worker %d",
                 static_cast<unsigned long>(state.first_argument), owner_worker);
  } else {
    base::report(
        "watchdog:   it waits for a lock, condition or end of OS threads (std::mutex, std::condition_variable, pthread_join)");
  }
  base::report(
      "watchdog:   cure: in place of std::mutex and the like use weft::mutex, weft::condition_variable, weft::thread (in C "
      "weft_mutex, "
      "weft_cond, weft_thread), which let the worker run others while they wait");
}

void tell_sleep(const worker* w, const os::thread_state& state) {
  const char* name = os::call_name(state.call);
  if (name != nullptr) {
    base::report("watchdog:   OS thread %d sleeps in the kernel, in %s", w->os_thread_id.load(base::relaxed), name);
  } else {
    base::report("watchdog:   OS thread %d sleeps in the kernel, in system call %ld", w->os_thread_id.load(base::relaxed),
                 state.call);
  }
  if (os::is_futex(state.call)) return tell_futex(w, state);
  base::report(
      "watchdog:   cure: do blocking calls on an OS thread of their own (threads wait for its answer on a weft_event), or add "
      "workers; "
      "to sleep, weft_sleep_ns");
}

void tell_run(const worker* w, std::uint64_t cpu_ms) {
  base::report("watchdog:   OS thread %d computes (%llu ms of CPU time): a long loop, or one that waits for a variable to change",
               w->os_thread_id.load(base::relaxed), static_cast<unsigned long long>(cpu_ms));
  base::report(
      "watchdog:   cure: weft_yield() now and then; wait with a weft_event or a weft_cond instead of looking at a variable");
}

void tell(const worker* w, const episode& now, std::uint64_t for_ns, const os::thread_state& state) {
  unit_view view;
  const bool is_seen = look_at(now.where.in, &view);
  if (place_of(w) != now.where) return;  // it went on, and `view` may be anything
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
  tell_sleep(w, state);
}

// A running thread is judged by its CPU time, since the machine may have other things to do. The clock of it starts at the second look.
bool deserves_telling(const worker* w, const episode& now, std::uint64_t limit_ns, const os::thread_state& state) {
  if (state.letter == 'T' || state.letter == 't') return false;  // somebody stopped it: a debugger
  if (state.letter != 'R') return true;
  const std::uint64_t enough_ms = limit_ns * (looks - 1) / looks / ns_per_ms;
  return waiting_behind(w) != 0 && state.cpu_ms - now.cpu_ms_then >= enough_ms;
}

}  // namespace

struct watchdog {
  runtime* rt;
  os::os_thread os_thread;
  base::atomic<std::uint32_t> must_stop{0};  // futex
  episode episodes[most_workers];
};

namespace {

void check_on(const worker* w, episode* known, std::uint64_t limit_ns, std::uint64_t now_ns) {
  const place found = place_of(w);
  if (found.in == nullptr || found != known->where) {
    *known = {found, now_ns};
    return;
  }
  if (known->is_told) return;
  os::thread_state state;
  if (!known->is_confirmed) {
    if (os::read_thread_state(w->os_thread_id.load(base::relaxed), &state)) known->cpu_ms_then = state.cpu_ms;
    known->is_confirmed = true;
    return;
  }
  const std::uint64_t for_ns = now_ns - known->since_ns;
  if (for_ns < limit_ns || !os::read_thread_state(w->os_thread_id.load(base::relaxed), &state)) return;
  if (!deserves_telling(w, *known, limit_ns, state)) return;
  known->is_told = true;
  tell(w, *known, for_ns, state);
  if ((w->rt->settings.dump_on & os::at_stall) != 0) static_cast<void>(dump(STDERR_FILENO));
}

void* watch(void* argument) {
  auto* dog = static_cast<watchdog*>(argument);
  runtime* rt = dog->rt;
  const std::uint64_t limit_ns = rt->settings.watchdog_ns;
  std::uint64_t last_ns = os::now_ns();
  while (!os::futex_wait_until(&dog->must_stop, 0, last_ns + limit_ns / looks) || dog->must_stop.load(base::relaxed) == 0) {
    const std::uint64_t now_ns = os::now_ns();
    // The whole process stood still (a debugger, a suspended machine): nobody is to blame.
    const bool stood_still = now_ns - last_ns > limit_ns;
    last_ns = now_ns;
    for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
      const worker* w = worker_in_slot(rt, index);
      if (stood_still || w == nullptr) dog->episodes[index] = {};
      if (w != nullptr) check_on(w, &dog->episodes[index], limit_ns, now_ns);
    }
  }
  return nullptr;
}

}  // namespace

void start_watchdog(runtime* rt) {
  if (rt->settings.watchdog_ns == 0) return;
  void* memory = os::reserve(sizeof(watchdog), os::page_bytes());
  if (memory != nullptr) {
    auto* dog = new (memory) watchdog;
    dog->rt = rt;
    if (os::start_thread(&dog->os_thread, watch, dog, os_stack_bytes, "weft-watchdog") == status::ok) {
      rt->dog = dog;
      return;
    }
    os::release(memory, sizeof(watchdog));
  }
  base::report("warning: no memory or no OS thread for the watchdog; the program runs without");
}

void stop_watchdog(runtime* rt) {
  watchdog* dog = rt->dog;
  if (dog == nullptr) return;
  rt->dog = nullptr;
  dog->must_stop.store(1, base::relaxed);
  os::futex_wake(&dog->must_stop, 1);
  os::join_thread(dog->os_thread);
  os::release(dog, sizeof(watchdog));
}

}  // namespace weft::sched
