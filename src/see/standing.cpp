// See standing.hpp.
#include "see/standing.hpp"

#include <unistd.h>

#include <cstring>

#include "os/system_call.hpp"
#include "os/thread_state.hpp"
#include "queue/spinlock.hpp"
#include "run/next.hpp"
#include "see/blame.hpp"
#include "see/kernel_sleep.hpp"
#include "see/moves.hpp"
#include "worker/glance.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

unsigned waiting_in_own_queues(const worker* w) {
  unsigned count = w->ready.stealable();
  if constexpr (!config::thread_sanitizer) {  // a plain list: TSan would see a race, and rightly
    if (count == 0 && !w->ready.is_empty()) ++count;
  }
  if (!w->mail.is_empty()) ++count;
  if (!w->pinned_mail.is_empty()) ++count;
  return count;
}

}  // namespace

unsigned waiting_behind(const worker* w) { return waiting_in_own_queues(w) + static_cast<unsigned>(ready_in_own_pools(w)); }

bool may_wait_behind(const worker* w) {
  if (waiting_in_own_queues(w) != 0) return true;
  if (w->pool_count.load(base::relaxed) == 0) return false;
  if (!w->rt->pools_lock.try_lock()) return true;  // the interrupted code may hold it
  w->rt->pools_lock.unlock();
  return ready_in_own_pools(w) != 0;
}

namespace {

enum class standstill {
  none,
  possible_without_owner,
  possible_by_own_lock,
  possible_by_lock_left,
  possible_in_call,
  sleep,
  proved,
  proved_by_lock_left
};

bool is_proved(standstill kind) { return kind == standstill::proved || kind == standstill::proved_by_lock_left; }
bool is_by_lock_left(standstill kind) {
  return kind == standstill::possible_by_lock_left || kind == standstill::proved_by_lock_left;
}

bool is_alone_to_serve(const runtime* rt) { return rt->worker_count.load(base::relaxed) == 1; }

struct holders {
  const worker* w;
  bool may_run_elsewhere;
};

// A unit that has not parked yet has run nowhere, or runs where it began.
void look_at_holder(void* state, unit* one) {
  auto* all = static_cast<holders*>(state);
  unit_view view;
  if (all->may_run_elsewhere || one == glance(all->w->current) || !look_at(one, &view)) return;
  if (view.has_ended || !view.has_started) return;
  const bool is_pinned_here = (view.flags & stays_put) != 0 && view.home_worker == all->w->index;
  const bool is_pinned_caller = (view.flags & (is_main | is_adopted)) != 0 && (view.flags & stays_put) != 0;
  all->may_run_elsewhere = !is_pinned_here && !is_pinned_caller;
}

bool may_holder_run_elsewhere(const worker* w) {
  if (is_alone_to_serve(w->rt)) return false;
  holders all{w, false};
  walk_units(w->rt, look_at_holder, &all);
  return all.may_run_elsewhere;
}

// Whether a unit other than that of w may go on before it, wherever that is.
void look_at_releaser(void* state, unit* one) {
  auto* all = static_cast<holders*>(state);
  const unit* const standing = glance(all->w->current);
  unit_view view;
  if (all->may_run_elsewhere || one == standing || !look_at(one, &view)) return;
  if (view.has_ended || !view.has_started) return;
  all->may_run_elsewhere = !view.waits || std::strcmp(view.what, "join") != 0 || view.object != standing;
}

standstill judge_lock_left(const worker* w) {
  holders all{w, false};
  walk_units(w->rt, look_at_releaser, &all);
  return all.may_run_elsewhere ? standstill::possible_by_lock_left : standstill::proved_by_lock_left;
}

// The worker whose OS thread it is, if that is in no unit.
const worker* idle_worker_with(const runtime* rt, int os_thread_id) {
  const worker* const its = worker_with(rt, os_thread_id);
  return its != nullptr && find_whereabouts(its).in == nullptr ? its : nullptr;
}

// 0: that is no wait for a lock of the kind that knows its owner.
int owner_of(const kernel_wait& wait) {
  constexpr std::uintptr_t contended = 2;  // what glibc's mutex holds while a caller waits for it
  return wait.value == contended ? os::owner_of_pthread_mutex(wait.word) : 0;
}

standstill judge_call(const worker* w, long call) {
  if (waiting_behind(w) == 0) return standstill::none;
  return os::is_sleep(call) ? standstill::sleep : standstill::possible_in_call;
}

standstill judge(const worker* w, const kernel_wait& wait) {
  if (wait.call >= 0) return judge_call(w, wait.call);
  const int owner = owner_of(wait);
  if (owner == 0) return waiting_behind(w) != 0 ? standstill::possible_without_owner : standstill::none;
  if (owner != w->os_thread_id.load(base::relaxed))
    return idle_worker_with(w->rt, owner) != nullptr ? judge_lock_left(w) : standstill::none;
  return may_holder_run_elsewhere(w) ? standstill::possible_by_own_lock : standstill::proved;
}

// ---- what is said ----

// A handler's stack may be small.
names names_of(const look_from& from) { return from.context != nullptr ? names::raw : names::readable; }

unsigned os_thread_of(const worker* w) { return static_cast<unsigned>(w->os_thread_id.load(base::relaxed)); }

text& tell_place(text& out, const worker* w, const standing& known, const look_from& from) {
  out << "worker " << w->index << " has been in ";
  if (unit_view view; look_at(known.where.in, &view)) {
    identity(out, view, names_of(from));
  } else {
    out << "a thread";
  }
  return out << " for ", out.interval(from.now_ns - known.since_ns);
}

text& tell_lock(text& out, const worker* w, const kernel_wait& wait) {
  out << "weft:   its OS thread " << os_thread_of(w) << " waits for a lock of OS threads (std::mutex, "
      << "pthread_mutex_t) at ";
  return out.address(reinterpret_cast<const void*>(wait.word));
}

text& tell_own_lock(text& out, const worker* w, const kernel_wait& wait) {
  return tell_lock(out, w, wait) << " that it has taken itself: a thread took it and let others run, or takes it twice\n";
}

text& tell_lock_left(text& out, const worker* w, const kernel_wait& wait) {
  tell_lock(out, w, wait);
  const worker* const its = worker_with(w->rt, os::owner_of_pthread_mutex(wait.word));
  if (its == nullptr) return out << "\n";  // given back just now
  return out << " that OS thread " << os_thread_of(its) << " of worker " << its->index
             << " has taken, which is in no thread: a thread took it there, and then waits or went on elsewhere\n";
}

void tell_proved(text& out, const worker* w, const standing& known, const look_from& from, standstill kind) {
  out << "weft: standstill: ";
  tell_place(out, w, known, from) << " and can never go on\n";
  is_by_lock_left(kind) ? tell_lock_left(out, w, known.wait) : tell_own_lock(out, w, known.wait);
}

calling_code find_code(const worker* w, const standing& known, const look_from& from) {
  if (from.context != nullptr) return find_interrupted_code(from.context, known.wait.call);
  os::thread_state state;
  const bool is_there = os::read_thread_state(w->os_thread_id.load(base::relaxed), &state) && state.call == known.wait.call;
  return is_there ? find_calling_code(w, known.where.in, state) : calling_code{};
}

text& tell_sleep(text& out, const worker* w, const standing& known, const look_from& from) {
  tell_call(out << "weft:   its OS thread " << os_thread_of(w) << " sleeps in the kernel, in ", known.wait.call, known.wait.word);
  return tell_calling_code(out, find_code(w, known, from), names_of(from));
}

void tell_possible(text& out, const worker* w, const standing& known, const look_from& from, standstill kind) {
  out << "weft: possible standstill: ";
  tell_place(out, w, known, from) << "\n";
  if (kind == standstill::possible_by_own_lock) {
    tell_own_lock(out, w, known.wait);
    return;
  }
  if (is_by_lock_left(kind)) {
    tell_lock_left(out, w, known.wait);
    return;
  }
  if (kind == standstill::possible_in_call) {
    tell_sleep(out, w, known, from) << ": if a thread that waits for this worker is to end that, neither goes on\n";
    return;
  }
  out << "weft:   its OS thread " << os_thread_of(w)
      << " waits until another OS thread wakes it (std::condition_variable, std::counting_semaphore, "
         "std::thread::join): if a thread that waits for this worker is to do that, neither goes on\n";
}

text& tell_cure_of_lock_left(text& out) {
  return out
         << "weft:   cure: a thread gives such a lock back before it waits or yields, also in callbacks of a library that holds "
            "one (SQLite, HDF5); one that must wait there calls weft_pin before the library's call, with a weft_mutex around "
            "that call which keeps others out\n";
}

void tell(const worker* w, const standing& known, const look_from& from, standstill kind) {
  text out(STDERR_FILENO);
  if (kind == standstill::sleep) {
    tell_place(out << "weft: warning: ", w, known, from) << "\n";
    tell_sleep(out, w, known, from) << "\n";
  } else if (is_proved(kind)) {
    tell_proved(out, w, known, from, kind);
  } else {
    tell_possible(out, w, known, from, kind);
  }
  tell_move(out, w, known.where.in, nullptr);
  const unsigned waiting = waiting_behind(w);
  out << "weft:   ";
  out.count(waiting, "ready thread waits", "ready threads wait") << " for this worker\n";
  if (is_by_lock_left(kind)) {
    tell_cure_of_lock_left(out);
    return;
  }
  if (kind == standstill::possible_in_call || kind == standstill::sleep) {
    tell_cure_of_call(out, "weft:   ", known.wait.call, waiting);
    return;
  }
  tell_cure_of_waits(out, "weft:   ");
}

// What is only possible is told once in a runtime's life, of each kind.
bool is_first_told(runtime* rt, standstill kind) {
  if (is_proved(kind)) return true;
  const unsigned bit = 1U << static_cast<unsigned>(kind);
  return (rt->told_standstills.fetch_or(bit, base::relaxed) & bit) == 0;
}

bool is_more_than_the_watchdog_tells(const worker* w, standstill kind) {
  const bool must_abort = w->rt->settings.deadlock == os::deadlock_action::abort;
  return is_by_lock_left(kind) || (is_proved(kind) && must_abort);
}

bool tell_if_new(const worker* w, standing* known, const look_from& from) {
  const standstill kind = judge(w, known->wait);
  if (kind == standstill::none || find_whereabouts(w) != known->where) return false;
  known->is_told = true;
  if (from.is_told_by_the_watchdog && !is_more_than_the_watchdog_tells(w, kind)) return false;
  if (!is_first_told(w->rt, kind)) return false;
  known->is_reported = true;
  tell(w, *known, from, kind);
  const bool must_abort = w->rt->settings.deadlock == os::deadlock_action::abort;
  if (is_proved(kind) && must_abort) abort_after_report();
  return true;
}

bool is_same(const kernel_wait& one, const kernel_wait& other) {
  return one.word == other.word && one.value == other.value && one.waits == other.waits && one.call == other.call;
}

}  // namespace

text& tell_cure_of_waits(text& out, const char* before) {
  return out << before
             << "cure: in place of std::mutex and the like use weft::mutex, weft::condition_variable, "
                "weft::thread (in C weft_mutex, weft_cond, weft_thread), which let the worker run "
                "others while they wait\n";
}

bool is_told_of_call(long call) { return os::may_sleep_for_ever(call) || (config::checked && os::is_sleep(call)); }

bool look_at_standing(const worker* w, standing* known, const kernel_wait* now, const look_from& from) {
  const whereabouts found = find_whereabouts(w);
  if (now == nullptr || found.in == nullptr) {
    *known = {};
    return false;
  }
  if (found != known->where || !is_same(*now, known->wait)) {
    *known = {found, *now, from.now_ns};
    return false;
  }
  const std::uint64_t longest_ns = now->call >= 0 ? longest_call_ns : longest_standing_ns;
  if (known->is_told || from.now_ns - known->since_ns < longest_ns) return false;
  return tell_if_new(w, known, from);
}

}  // namespace weft::sched
