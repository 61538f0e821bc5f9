// What the calling OS thread runs: a unit on a worker, or a unit in a blocking region, whose worker
// another OS thread may run meanwhile. For reports, and for handlers of signals.
#pragma once

#include "worker/blocking_call.hpp"
#include "worker/local.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

struct runner {
  const runtime* rt = nullptr;           // null: outside
  const worker* w = nullptr;             // null: in a blocking region
  unit* one = nullptr;                   // null: between two units
  const mem::stack* standing = nullptr;  // null: that of the caller of weft_init
};

inline runner runner_on(const worker* w) { return {w->rt, w, w->current, w->standing}; }

inline runner runner_here() {
  if (const worker* const w = local::current_worker(); w != nullptr) return runner_on(w);
  const blocking_call* const call = this_blocking_call();
  if (call->depth == 0) return {};
  return {call->w->rt, nullptr, call->self, call->standing};
}

}  // namespace weft::sched
