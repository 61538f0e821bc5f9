// The record of a pool (pool.hpp), and what the run loop does with its first unit by itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/ext.h>

#include "base/atomic.hpp"
#include "base/list.hpp"
#include "mem/pointer_table.hpp"
#include "queue/biased_spinlock.hpp"
#include "unit/unit.hpp"

namespace weft::sched {

struct worker;

struct pool {
  weft_pool_kind kind;
  weft_pool_access access;
  bool is_custom;
  bool is_plain;               // built-in, and without priorities: all units are in the first queue
  std::uint8_t front_reasons;  // of a built-in one: which reasons put a unit before the others, a bit each
  weft_pool_ops ops;           // when is_custom
  void* state;

  queue::biased_spinlock<worker> lock;
  base::list<unit> queues[WEFT_POOL_PRIORITIES];  // guarded by lock; only those with priorities use more than the first
  std::uint32_t filled = 0;                       // of one with priorities, a bit each: its queue is not empty. Guarded by lock
  std::uint64_t passed_over_ns[WEFT_POOL_PRIORITIES] = {};  // of each filled one: since when a server takes others; 0: not yet
  base::atomic<std::size_t> ready_count{0};
  base::atomic<std::size_t> blocked_count{0};  // parked units that will come back
  base::atomic<std::uint32_t> pushers{0};      // those inside ops.push
  base::atomic<std::uint32_t> watch_count{0};  // schedulers that wait for work in it; changed in the runtime's watch_lock
  base::atomic<std::uint32_t> server_count{0};
  mem::pointer_table<worker> servers;  // guarded by the runtime's pools_lock for writing

  void note_blocked() { blocked_count.fetch_add(1, base::relaxed); }
  // [A97] release: it was pushed before, if it came back to this pool; pairs with [A92]
  void note_back() { blocked_count.fetch_sub(1, base::release); }
};

// Of a unit that the caller owns or is.
inline void set_home(unit* one, pool* home) {
  // [A77] release: as [A76]; pairs with [A75]
  one->home.store(home, base::release);
}
inline void note_pool(unit* enters) {
  // [A72] release: whose pool it is; pairs with [A73]
  enters->in.store(in_pool, base::release);
}
// The first ready unit of a plain pool, whose lock the caller then holds; null, and no lock:
// none is ready, the pool is not plain, or another holds the lock.
inline unit* lock_first(const worker* w, pool* one) {
  if (!one->is_plain || !one->lock.try_lock(w)) [[unlikely]]
    return nullptr;
  unit* const first = one->queues[0].front();
  if (first == nullptr) one->lock.unlock(w);
  return first;
}
// Inside the lock, of a pool that has a first one.
inline void remove_first(pool* one) {
  one->queues[0].pop_front()->in.store(0, base::relaxed);
  one->ready_count.store(one->ready_count.load(base::relaxed) - 1, base::relaxed);
}
// Inside the lock: takes the first one out, and puts `by` behind all others, so that there are as
// many as before, and no worker is to be told. No other finds it before the lock is left, which may
// be after a switch (docs/decisions/0022-who-leaves-chooses.md).
inline void replace_first(pool* one, unit* by) {
  one->queues[0].pop_front()->in.store(0, base::relaxed);
  note_pool(by);
  one->queues[0].push_back(by);
}

}  // namespace weft::sched
