// A worker that was woken and does not come out of the wait of an outside source: the source's
// builder is to blame. Said by the watchdog.
#pragma once

#include <cstdint>

#include "run/next.hpp"

namespace weft::sched {

struct worker;

// What is known of one worker from one look to the next.
struct late_source {
  source_wait in = nullptr;  // null: it was not woken, or sleeps in no source
  std::uint64_t times_woken = 0;
  std::uint64_t since_ns = 0;
  bool is_told = false;
};

// True: that was told, now.
bool look_at_kept_source(const worker* w, late_source* known, std::uint64_t limit_ns, std::uint64_t now_ns);

}  // namespace weft::sched
