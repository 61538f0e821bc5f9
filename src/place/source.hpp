// Outside sources of work: functions that make units ready when something happened elsewhere. Busy
// workers call them every few choices, idle ones before they sleep, one worker at a time a source.
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

struct source {
  std::size_t (*poll)(void* state);
  void* state;
  bool brings_work;                             // false: deadlock reports look past it
  int only;                                     // the worker that polls it; any_worker: each
  base::atomic<bool> is_polled{false};          // some worker is inside poll
  base::atomic<const worker*> poller{nullptr};  // that worker
  base::atomic<bool> wants_poll{false};         // notified since the last poll
  base::atomic<bool> is_removed{false};
  source* next_retired = nullptr;
};

inline constexpr int any_worker = -1;

// only: a worker, which stays as long as the source does. Errors: nomem, again, invalid (no such
// worker).
status add_source(runtime* rt, std::size_t (*poll)(void* state), void* state, source** out, bool brings_work = true,
                  int only = any_worker);
// Waits for a running poll. Errors: invalid (not there), deadlock (from within that very poll).
status remove_source(runtime* rt, source* one);
void notify_source(runtime* rt, source* one);

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
