// How long ready units wait, for starvation.cpp: in *steps*, of which each makes a worker choose at
// least once, and never as time. A wait that exceeds what docs/guide/how-a-thread-runs.md promises
// ("No thread waits for ever") ends the program, with the seed that repeats it.
//
// With several workers a wait counts as too long only once each of them has made that many steps
// since the unit became ready: a worker that the system does not run makes none, and an idle worker
// would have taken the unit.
#pragma once

#include <weft/ext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "stress.hpp"

namespace weft::stress {

inline constexpr unsigned most_counted_workers = 8;
using step_counts = std::array<std::uint64_t, most_counted_workers>;

struct alignas(64) step_counter {
  std::atomic<std::uint64_t> steps{0};
};

// Where units wait: a worker's own queue, or a FIFO pool that all workers serve.
struct waiting_place {
  weft_pool* pool = nullptr;  // null: the own queue
  unsigned units = 0;         // that may be ready there at a time
};

enum class victim_kind { fresh, tasklet, suspended, at_semaphore, asleep, yielding };
inline constexpr const char* victim_names[] = {
    "new thread", "new tasklet", "resumed thread", "thread that got a token", "thread after a sleep", "yielding thread"};

// A unit that becomes ready again and again, and whose waits are counted.
struct victim {
  victim_kind kind;
  unsigned place;
  std::uint64_t bound = 0;  // in steps of a worker
  weft_thread* thread = nullptr;
  weft_semaphore tokens = {{0, 0, 0, 0}};     // WEFT_SEMAPHORE_INIT has a cast of C
  std::atomic<std::uint64_t> wakes_at_ns{0};  // of one that is asleep
  std::atomic<bool> is_locked{false};
  bool is_waiting = false;  // these inside the lock, which no call of Weft is inside
  step_counts ready_at{};
};

class turns {
 public:
  turns(unsigned workers, std::uint64_t most_steps) : workers_(workers), most_steps_(most_steps) {}

  std::deque<victim> victims;
  std::deque<waiting_place> places;
  std::string words;                   // what the program is made of
  std::atomic<bool> has_begun{false};  // all threads are known
  std::atomic<bool> is_over{false};    // for the patterns
  std::atomic<bool> is_closed{false};  // for the victims
  std::atomic<int> staying{0};         // victims that have not left their loop
  double longest_share = 0;            // of a bound; one worker alone notes it

  void set_most_steps(std::uint64_t steps) { most_steps_ = steps; }

  // One step of a pattern. False: the pattern ends.
  bool goes_on(dice* from) {
    const int worker = weft_worker_self();
    MUST(worker >= 0 && static_cast<unsigned>(worker) < workers_);
    const std::uint64_t made = counters_[static_cast<unsigned>(worker)].steps.fetch_add(1, std::memory_order_relaxed) + 1;
    if (made > most_steps_) is_over.store(true);
    if (is_over.load()) return false;
    if (from->one_in(24)) wake(&victims[from->below(static_cast<unsigned>(victims.size()))]);
    if (made % 16 == 0) look_at_clocks();
    if (made % 256 == 0) look_at_waits();
    return true;
  }

  // The unit is made ready at most one step later. False: it waits already.
  bool begins_to_wait(victim* one) {
    const step_counts now = count_steps();
    lock(one);
    const bool was_waiting = one->is_waiting;
    if (!was_waiting) one->ready_at = now;
    one->is_waiting = true;
    unlock(one);
    return !was_waiting;
  }

  // The unit runs.
  void arrives(victim* one) {
    lock(one);
    const bool was_waiting = one->is_waiting;
    one->is_waiting = false;
    const step_counts since = one->ready_at;
    unlock(one);
    if (was_waiting) check(one, since);
  }

  // Of those that are no threads of main's.
  bool any_new_one_waits() {
    return std::any_of(victims.begin(), victims.end(), [](victim& each) {
      if (each.thread != nullptr) return false;
      lock(&each);
      const bool waits = each.is_waiting;
      unlock(&each);
      return waits;
    });
  }

  void wake(victim* one);

  // The caller yields until then. On one worker the other units have their turns meanwhile.
  template <class Condition>
  void wait_until(Condition is_true) const {
    for (unsigned long yields = 0; !is_true(); ++yields) yield_at_end(yields);
  }

  // Once the patterns have ended, main is ready as well.
  void yield_at_end(unsigned long yields) const {
    constexpr unsigned long most_yields = 1'000'000;
    MUST(workers_ > 1 || yields < most_yields);
    weft_yield();
  }

 private:
  static void lock(victim* one) {
    while (one->is_locked.exchange(true, std::memory_order_acquire)) continue;
  }
  static void unlock(victim* one) { one->is_locked.store(false, std::memory_order_release); }

  step_counts count_steps() const {
    step_counts now{};
    for (unsigned i = 0; i < workers_; ++i) now[i] = counters_[i].steps.load(std::memory_order_relaxed);
    return now;
  }

  void check(const victim* one, const step_counts& since) {
    const step_counts now = count_steps();
    std::uint64_t waited = UINT64_MAX;
    for (unsigned i = 0; i < workers_; ++i) waited = std::min(waited, now[i] - since[i]);
    // A unit may be taken from one queue to the other a few times, and wait in each.
    const std::uint64_t bound = workers_ == 1 ? one->bound : 4 * one->bound;
    if (waited > bound) fail_of(one, waited, bound);
    if (workers_ == 1) longest_share = std::max(longest_share, static_cast<double>(waited) / static_cast<double>(bound));
  }

  [[noreturn]] void fail_of(const victim* one, std::uint64_t waited, std::uint64_t bound) const {
    char line[256];
    const char* const where = one->place == 0 ? "the worker's own queue" : "a pool";
    (void)std::snprintf(line, sizeof line, "a %s in %s waited for %llu steps, at most %llu are promised; beside it ran: ",
                        victim_names[static_cast<int>(one->kind)], where, static_cast<unsigned long long>(waited),
                        static_cast<unsigned long long>(bound));
    fail(__FILE__, __LINE__, (line + words).c_str());
  }

  // A sleeper is ready from the step on at which its deadline is seen to have passed.
  void look_at_clocks() {
    const std::uint64_t now_ns = weft_now_ns();
    const step_counts now = count_steps();
    for (victim& each : victims) {
      if (each.kind != victim_kind::asleep) continue;
      lock(&each);
      const std::uint64_t until_ns = each.wakes_at_ns.load(std::memory_order_relaxed);
      const bool is_due = until_ns != 0 && until_ns <= now_ns && !each.is_waiting;
      if (is_due) each.ready_at = now;
      each.is_waiting |= is_due;
      unlock(&each);
    }
  }

  void look_at_waits() {
    for (victim& each : victims) {
      lock(&each);
      const bool was_waiting = each.is_waiting;
      const step_counts since = each.ready_at;
      unlock(&each);
      if (was_waiting) check(&each, since);
    }
  }

  unsigned workers_;
  std::uint64_t most_steps_;
  std::array<step_counter, most_counted_workers> counters_;
};

inline turns* all_turns = nullptr;

// ---- what victims do ----

inline void arrive_once(void* argument) { all_turns->arrives(static_cast<victim*>(argument)); }

inline void arrive_for_ever(void* argument) {
  auto* const self = static_cast<victim*>(argument);
  all_turns->wait_until([] { return all_turns->has_begun.load(); });
  dice from(seed + self->place);
  unsigned long yields_at_end = 0;
  while (!all_turns->is_closed.load()) {
    switch (self->kind) {
      case victim_kind::suspended: OK(weft_suspend()); break;
      case victim_kind::at_semaphore: OK(weft_semaphore_acquire(&self->tokens)); break;
      case victim_kind::asleep:
        self->wakes_at_ns.store(weft_deadline_in(from.below(100000)));
        OK(weft_sleep_until(self->wakes_at_ns.load()));
        break;
      default: (void)all_turns->begins_to_wait(self); all_turns->yield_at_end(all_turns->goes_on(&from) ? 0 : ++yields_at_end);
    }
    self->wakes_at_ns.store(0);
    all_turns->arrives(self);
  }
  // It may be joined once it ends, and others that have not left yet may resume it.
  all_turns->staying.fetch_sub(1);
  all_turns->wait_until([] { return all_turns->staying.load() == 0; });
}

inline void turns::wake(victim* one) {
  if (one->kind == victim_kind::asleep || one->kind == victim_kind::yielding || !begins_to_wait(one)) return;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = places[one->place].pool;
  switch (one->kind) {
    case victim_kind::fresh: OK(weft_thread_create(arrive_once, one, &attr, nullptr)); break;
    case victim_kind::tasklet: OK(weft_tasklet_create(arrive_once, one, &attr, nullptr)); break;
    case victim_kind::suspended: OK(weft_resume(one->thread)); break;
    default: OK(weft_semaphore_release(&one->tokens, 1));
  }
}

}  // namespace weft::stress
