// Whether units wait for a worker: what it could take by itself, without another's permission.
#pragma once

#include "run/enter.hpp"
#include "run/next.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

inline bool has_mail(const worker* w) { return !w->mail.is_empty() || !w->pinned_mail.is_empty(); }

// Its owner asks, outside its lock.
inline bool has_ready(worker* w) {
  enter(w);
  const bool any = !w->ready.is_empty();
  w->lock.leave();
  return any;
}

// Ready here, sent here, or in pools that it serves. Its owner asks.
inline bool has_waiting(worker* w) { return has_mail(w) || has_ready(w) || pools_have_work(w); }

}  // namespace weft::sched
