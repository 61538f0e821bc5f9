// Outside sources of work: functions that make units ready when something happened elsewhere. Busy
// workers call them every few choices, idle ones before they sleep, one worker at a time a source.
// In a source with a wait one idle worker, its keeper, sleeps (kept_source.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/status.hpp"
#include "run/next.hpp"

namespace weft::sched {

struct runtime;
struct waiter;
struct worker;

// What a source calls.
struct source_calls {
  std::size_t (*poll)(void* state);
  source_wait wait = nullptr;  // null: no worker sleeps in it
  void (*wake)(void* state) = nullptr;
};

struct source {
  source_calls calls;
  void* state;
  bool brings_work;                             // false: deadlock reports look past it
  int only;                                     // the worker that polls it; any_worker: each
  base::atomic<bool> is_polled{false};          // some worker is inside poll, or keeps it
  base::atomic<const worker*> poller{nullptr};  // that worker
  base::atomic<bool> wants_poll{false};         // notified since, or the last poll found something
  base::atomic<bool> is_removed{false};
  base::atomic<worker*> keeper{nullptr};    // protocol I; null: no worker sleeps in it
  base::atomic<std::uint32_t> wakers{0};    // inside `wake`
  base::atomic<std::uint32_t> expected{0};  // threads that wait for what it brings
  source* next_retired = nullptr;
};

inline constexpr int any_worker = -1;

// only: a worker, which stays as long as the source does. Errors: nomem, again, invalid (no such
// worker).
status add_source(runtime* rt, const source_calls& calls, void* state, source** out, bool brings_work = true,
                  int only = any_worker);
// Waits for a running poll or wait. Errors: invalid (not there), deadlock (from within that very
// one).
status remove_source(runtime* rt, source* one);
void notify_source(runtime* rt, source* one);
// `count` threads more wait for what the source brings.
void expect_of_source(runtime* rt, source* one, int count);

// ---- one worker at a time ----

inline bool try_enter(source* one) {
  // [A15] acquire: sees what the last poll wrote; pairs with [A16]
  return !one->is_polled.exchange(true, base::acquire);
}

inline void leave(source* one) {
  // [A16] release: publishes what this poll wrote; pairs with [A15]
  one->is_polled.store(false, base::release);
}

// ---- its keeper: kept_source.cpp ----

// Ends the keeper's sleep, as for work of its own. False: the source has no keeper, or that is
// awake.
bool wake_keeper(const source* one);
// Of a source that is removed: until no worker is inside any of its calls, and the caller has
// entered it.
void enter_removed(source* one);

// By a signal handler, for a ULT's record that it has claimed: a worker makes the ULT ready where
// it polls sources. Takes no lock.
void wake_from_handler(waiter* one);

// While one of these that is told so exists, a thread waits for something that deadlock reports
// cannot see, such as a signal.
class expected_from_outside {
 public:
  explicit expected_from_outside(bool is) : is_(is) {
    if (is_) [[unlikely]]
      count(1);
  }
  ~expected_from_outside() {
    if (is_) [[unlikely]]
      count(-1);
  }
  expected_from_outside(const expected_from_outside&) = delete;
  expected_from_outside& operator=(const expected_from_outside&) = delete;

  static bool any();

 private:
  static void count(int change);

  bool is_;
};

void free_retired_sources(runtime* rt);  // and those that were never removed

}  // namespace weft::sched
