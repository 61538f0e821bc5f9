// The hand of an idle worker: a word through which a forker gives it forks. Protocol K,
// docs/protocols/K.md.
//
// A hand is open while its worker searches. A forker may then put a chain of units into it, once,
// which closes it. Its worker closes it before it does anything else, and takes what was put into
// it meanwhile.
#pragma once

#include <cstdint>

#include "worker/worker.hpp"

namespace weft::sched::hand {

// Other values are addresses of chains of units.
inline constexpr std::uintptr_t closed = 0;
inline constexpr std::uintptr_t open = 1;

// Owner.
inline bool is_open(const worker* w) { return w->hand.load(base::relaxed) == open; }
inline bool is_filled(const worker* w) { return w->hand.load(base::relaxed) > open; }
inline void hold_out(worker* w) { w->hand.store(open, base::relaxed); }

// Owner. Null: it is not filled.
inline unit* take(worker* w) {
  // [K13] acquire: sees the units; pairs with [K15]
  const std::uintptr_t found = w->hand.load(base::acquire);
  if (found <= open) return nullptr;
  // The three lie in lines of the forker's, one behind the other.
  __builtin_prefetch(w->given_data.load(base::relaxed), 1);
  __builtin_prefetch(w->given_work.load(base::relaxed), 1);
  auto* const chain = reinterpret_cast<unit*>(found);
  __builtin_prefetch(reinterpret_cast<char*>(chain) + base::cache_line, 1);
  w->hand.store(closed, base::relaxed);  // forkers leave a hand alone that is not open
  return chain;
}

// Owner. Afterwards it is closed. Returns what was in it, or null.
inline unit* close(worker* w) {
  std::uintptr_t expected = open;
  if (w->hand.load(base::relaxed) == closed) return nullptr;
  if (w->hand.compare_exchange_strong(expected, closed, base::relaxed)) return nullptr;
  // [K14] acquire: as [K13], where a forker was faster; pairs with [K15]
  const std::uintptr_t found = w->hand.load(base::acquire);  // full: only the owner changes it now
  w->hand.store(closed, base::relaxed);
  return reinterpret_cast<unit*>(found);
}

// Any worker: it is about to be filled.
inline void reach_for(const worker* taker) { __builtin_prefetch(&taker->hand, 1); }

// Any worker. False: it is not open, or not any more.
inline bool fill(worker* taker, unit* chain) {
  taker->given_work.store(chain->argument, base::relaxed);
  taker->given_data.store(*static_cast<const void* const*>(chain->argument), base::relaxed);
  std::uintptr_t found = open;
  // [K15] release: publishes the units, and the forks that they run; pairs with [K13] [K14]
  return taker->hand.compare_exchange_strong(found, reinterpret_cast<std::uintptr_t>(chain), base::release, base::relaxed);
}

}  // namespace weft::sched::hand
