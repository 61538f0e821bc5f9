// Outside sources of work: functions that make units ready when something happened elsewhere. Busy workers call them every few choices,
// idle ones before they sleep, one worker at a time a source.
#pragma once

#include <cstddef>

#include "base/atomic.hpp"
#include "base/status.hpp"

namespace weft::sched {

struct runtime;
struct worker;

struct source {
  std::size_t (*poll)(void* state);
  void* state;
  base::atomic<bool> is_polled{false};          // some worker is inside poll
  base::atomic<const worker*> poller{nullptr};  // that worker
  base::atomic<bool> wants_poll{false};         // notified since the last poll
  base::atomic<bool> is_removed{false};
  source* next_retired = nullptr;
};

status add_source(runtime* rt, std::size_t (*poll)(void* state), void* state, source** out);
// Waits for a running poll. Errors: invalid (not there), deadlock (from within that very poll).
status remove_source(runtime* rt, source* one);
void notify_source(runtime* rt, source* one);

void poll_sources(worker* w);
bool sources_want_poll(runtime* rt);
bool has_sources(runtime* rt);
void free_retired_sources(runtime* rt);  // and those that were never removed

}  // namespace weft::sched
