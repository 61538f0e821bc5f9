// Pools: built-in ones, whose lists lie under a lock that leans towards one worker, and those
// behind weft_pool_ops. Called by workers, by builders and from OS threads outside. A push is the
// last access of its caller to the unit, and wakes a worker that serves the pool, or a wait for
// work in it.
#include "place/pool.hpp"

#include <bit>
#include <cstdlib>
#include <new>

#include "os/clock.hpp"
#include "os/fence.hpp"
#include "os/heap.hpp"
#include "os/thread.hpp"
#include "place/wait_for_work.hpp"
#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/wake.hpp"
#include "unit/pool_record.hpp"
#include "worker/clock.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

weft_thread* handle(unit* one) { return reinterpret_cast<weft_thread*>(one); }
unit* unit_of(weft_thread* thread) { return reinterpret_cast<unit*>(thread); }

// ---- priorities ----
//
// The units of the highest priority come first. A lower priority whose first unit was passed over
// `patience_ns` ago comes before them with one unit, the lowest such priority first: so one of the
// lowest priority is taken within 100 ms after another one was first taken in its stead, and what
// the unit takes that runs then. Only workers that serve the pool do so: a builder that takes units
// out itself wants the order. As long as all units have one priority, no call reads the clock.

constexpr std::uint64_t patience_ns = 90'000'000;  // and up to 10 ms by which the coarse clock may lag

// Under a schedule time is counted in points, so that the order is the same each time.
std::uint64_t clock_ns() {
  const worker* const w = local::current_worker();
  return w != nullptr && w->rt->turns != nullptr ? now_ns(w) : os::coarse_ns();
}

// Inside the lock, as those that follow. A unit left the queue; only a worker that serves the pool
// gives its priority a turn by that.
void note_departure(pool* one, unsigned priority, bool is_served) {
  const bool is_last = one->queues[priority].is_empty();
  if (is_last) one->filled &= ~(1U << priority);
  if (is_last || is_served) one->passed_over_ns[priority] = 0;
}

unsigned priority_to_serve(const pool* one) {
  const auto highest = static_cast<unsigned>(std::countr_zero(one->filled));
  std::uint32_t lower = one->filled & (one->filled - 1);
  if (lower == 0) [[likely]]
    return highest;
  const std::uint64_t now = clock_ns();
  for (; lower != 0; lower &= ~std::bit_floor(lower)) {
    const auto lowest = static_cast<unsigned>(std::bit_width(lower)) - 1;
    const std::uint64_t since_ns = one->passed_over_ns[lowest];
    if (since_ns != 0 && now - since_ns >= patience_ns && now >= since_ns) return lowest;
  }
  return highest;
}

// A worker that serves the pool has taken a unit of that priority.
void note_passed_over(pool* one, unsigned taken) {
  std::uint32_t lower = one->filled & ~((2U << taken) - 1);
  if (lower == 0) [[likely]]
    return;
  const std::uint64_t now = clock_ns();
  for (; lower != 0; lower &= lower - 1) {
    std::uint64_t* const since_ns = &one->passed_over_ns[std::countr_zero(lower)];
    if (*since_ns == 0) *since_ns = now;
  }
}

// Holds the lock for a block in which no switch happens.
class inside {
 public:
  explicit inside(pool* one) : one_(one), worker_(local::current_worker()) { one_->lock.lock(worker_); }
  ~inside() { one_->lock.unlock(worker_); }
  inside(const inside&) = delete;
  inside& operator=(const inside&) = delete;

 private:
  pool* one_;
  worker* worker_;
};

// The two ways into a pool's lock, for what is written once and compiled for either. It leans to
// the workers that take units out.
struct as_owner {
  static bool enter(pool* one) { return one->lock.try_enter(); }
  static void leave(pool* one, const worker*) { one->lock.leave(); }
  static void leave_after_take(pool* one, const worker*) { one->lock.leave(); }
};
struct as_another {
  static bool enter(pool* one) { return one->lock.try_take(); }
  static void leave(pool* one, const worker* w) { one->lock.give_back(w); }
  static void leave_after_take(pool* one, const worker* w) { one->lock.give_back_and_lean_to(w); }
};

// Inside the lock, as the next ones.
void note_entry(pool* one, unit* what) {
  note_pool(what);
  one->ready_count.store(one->ready_count.load(base::relaxed) + 1, base::relaxed);
}

constexpr unsigned bit(push_reason reason) { return 1u << static_cast<int>(reason); }

std::uint8_t front_reasons_of(weft_pool_kind kind) {
  constexpr unsigned new_ones = bit(push_reason::created) | bit(push_reason::yielded_as_new);
  switch (kind) {
    case WEFT_POOL_LIFO: return new_ones | bit(push_reason::woken) | bit(push_reason::moved);
    case WEFT_POOL_DEQUE: return new_ones;
    default: return 0;
  }
}

[[gnu::always_inline]] inline void enqueue(pool* one, base::list<unit>& queue, unit* what, push_reason reason) {
  note_entry(one, what);
  if (reason != push_reason::yielded && (one->front_reasons & bit(reason)) != 0) {
    queue.push_front(what);
  } else {
    queue.push_back(what);
  }
}

unit* dequeue(pool* one, base::list<unit>& queue) {
  unit* what = queue.pop_front();
  if (what == nullptr) return nullptr;
  what->in.store(0, base::relaxed);
  one->ready_count.store(one->ready_count.load(base::relaxed) - 1, base::relaxed);
  return what;
}

// Inside the lock.
[[gnu::always_inline]] inline void take_out(pool* one, base::list<unit>& queue, unit* what) {
  queue.drop(what);
  what->in.store(0, base::relaxed);
  one->ready_count.store(one->ready_count.load(base::relaxed) - 1, base::relaxed);
}

// The two orders of built-in pools, for what is written once and compiled for either. All are
// called inside the lock. next is what a worker that serves the pool takes; `serves`: such a worker
// calls.
struct in_turn {
  static void put(pool* one, unit* what, push_reason reason) { enqueue(one, one->queues[0], what, reason); }
  static unit* next(pool* one) { return one->queues[0].front(); }
  static unit* take(pool* one, bool) { return dequeue(one, one->queues[0]); }
  static void remove(pool* one, unit* what, bool) { take_out(one, one->queues[0], what); }
};
struct by_priority {
  static void put(pool* one, unit* what, push_reason reason) {
    enqueue(one, one->queues[what->priority], what, reason);
    one->filled |= 1U << what->priority;
  }
  static unit* next(pool* one) { return one->filled != 0 ? one->queues[priority_to_serve(one)].front() : nullptr; }
  static unit* take(pool* one, bool serves) {
    if (one->filled == 0) return nullptr;
    const unsigned priority = serves ? priority_to_serve(one) : static_cast<unsigned>(std::countr_zero(one->filled));
    unit* const what = dequeue(one, one->queues[priority]);
    note_departure(one, priority, serves);
    if (serves) note_passed_over(one, priority);
    return what;
  }
  static void remove(pool* one, unit* what, bool serves) {
    take_out(one, one->queues[what->priority], what);
    note_departure(one, what->priority, serves);
    if (serves) note_passed_over(one, what->priority);
  }
};

[[gnu::noinline]] unit* pop_slow(pool* one, bool serves) {
  const inside hold(one);
  return one->is_plain ? in_turn::take(one, serves) : by_priority::take(one, serves);
}

template <class Way, class Order>
[[gnu::always_inline]] inline unit* pop_quickly(pool* one, const worker* w, bool serves) {
  if (!Way::enter(one)) [[unlikely]]
    return pop_slow(one, serves);
  unit* const what = Order::take(one, serves);
  Way::leave_after_take(one, w);
  return what;
}

[[gnu::noinline]] unit* pop_as_another(pool* one, const worker* w) { return pop_quickly<as_another, in_turn>(one, w, false); }

[[gnu::noinline]] unit* pop_by_priority(pool* one, bool serves) {
  const worker* const w = local::current_worker();
  return one->lock.is_owner(w) ? pop_quickly<as_owner, by_priority>(one, w, serves)
                               : pop_quickly<as_another, by_priority>(one, w, serves);
}

template <bool Serves>
[[gnu::always_inline]] inline unit* pop_built_in(pool* one) {
  if (one->ready_count.load(base::relaxed) == 0) return nullptr;
  if (!one->is_plain) return pop_by_priority(one, Serves);
  const worker* const w = local::current_worker();
  return one->lock.is_owner(w) ? pop_quickly<as_owner, in_turn>(one, w, false) : pop_as_another(one, w);
}

pool* make(weft_pool_access access) {
  void* memory = os::allocate(sizeof(pool));
  if (memory == nullptr) return nullptr;
  pool* one = new (memory) pool;
  one->access = access;
  one->is_custom = false;
  one->is_plain = false;
  one->front_reasons = 0;
  return one;
}

// Whether a worker or a watcher might have to be told of a push: mostly there is none.
bool has_audience(const pool* one) {
  // [I9] light fence: work before the look for servers and watchers; pairs with [I5] [I8] [I10]
  // [I13]
  base::light_fence();
  return (one->server_count.load(base::relaxed) | one->watch_count.load(base::relaxed)) != 0;
}

// A server that sleeps, or null.
worker* sleeping_server(const pool* one) {
  // [A69] acquire: sees the entries and the workers in them; pairs with [A68]
  const std::uint32_t count = one->server_count.load(base::acquire);
  for (std::uint32_t index = 0; index < count; ++index) {
    worker* w = one->servers[index].load(base::relaxed);
    if (w != nullptr && can_be_woken(w)) return w;
  }
  return nullptr;
}

// Which workers and watchers are told of a push.
struct audience {
  worker* server;  // asleep; or null
  bool are_watchers;
};

// Inside the lock, or as a pusher: afterwards the pool may go at any time.
audience audience_of(const pool* one) {
  if (!has_audience(one)) return {nullptr, false};
  return {sleeping_server(one), one->watch_count.load(base::relaxed) != 0};
}

void tell(const pool* one, const audience& told) {
  if (told.server != nullptr) wake(told.server);
  if (!told.are_watchers) return;
  if (runtime* rt = local::current_runtime(); rt != nullptr) tell_watchers(rt, one);
}

weft_push_reason told_reason(push_reason reason) {
  return reason == push_reason::yielded_as_new ? WEFT_PUSH_YIELDED : static_cast<weft_push_reason>(reason);
}

// After the unit can be popped, the pool may go as soon as the lock, or the count of pushers, is
// left.
audience push_anywhere(pool* one, unit* what, push_reason reason, bool was_blocked) {
  if (!one->is_custom) {
    const inside hold(one);
    one->is_plain ? in_turn::put(one, what, reason) : by_priority::put(one, what, reason);
    if (was_blocked) one->note_back();
    return audience_of(one);
  }
  one->pushers.fetch_add(1, base::relaxed);
  {
    const without_identity callback(local::current_worker());
    one->ops.push(one->state, handle(what), told_reason(reason));
  }
  if (was_blocked) one->note_back();
  const audience told = audience_of(one);
  // [A54] release: done with the pool; pairs with [A55]
  one->pushers.fetch_sub(1, base::release);
  return told;
}

void wait_for_pushers(pool* one) {
  // [A55] acquire: they are done with the pool; pairs with [A54]
  while (one->pushers.load(base::acquire) != 0) os::yield_cpu();
  const inside hold(one);
}

}  // namespace

status create_pool(weft_pool_kind kind, weft_pool_access access, pool** out) {
  pool* one = make(access);
  if (one == nullptr) return status::nomem;
  one->kind = kind;
  one->is_plain = kind != WEFT_POOL_PRIORITY;
  one->front_reasons = front_reasons_of(kind);
  *out = one;
  return status::ok;
}

status create_custom_pool(const weft_pool_ops& ops, void* state, weft_pool_access access, pool** out) {
  pool* one = make(access);
  if (one == nullptr) return status::nomem;
  one->is_custom = true;
  one->ops = ops;
  one->state = state;
  *out = one;
  return status::ok;
}

std::size_t ready_units(const pool* one) {
  if (!one->is_custom) return one->ready_count.load(base::relaxed);
  const without_identity callback(local::current_worker());
  return one->ops.count(one->state);
}

std::size_t total_units(const pool* one) {
  // [A92] acquire: a unit that is not blocked any more is ready, or was; pairs with [A97]
  const std::size_t blocked = one->blocked_count.load(base::acquire);
  return blocked + ready_units(one);
}

status destroy_pool(pool* one) {
  if (one->server_count.load(base::relaxed) != 0)
    return because(status::busy, "pool", "a worker serves it, which weft_pool_detach ends");
  if (const std::size_t units = total_units(one); units != 0)
    return because(status::busy, "pool", "%u units are in it, or blocked and belong to it", units);
  // [A102] acquire: the schedulers that waited for work in it are done with it; pairs with [A101]
  if (one->watch_count.load(base::acquire) != 0)
    return because(status::busy, "pool", "a call of weft_ext_wait_for_work waits for it");
  wait_for_pushers(one);
  if (one->is_custom && one->ops.destroy != nullptr) one->ops.destroy(one->state);
  one->servers.clear();
  std::free(one);
  return status::ok;
}

namespace {

// These answer status::ok, so that they can be the last act of what does.
[[gnu::noinline]] status push_slow(pool* one, unit* what, push_reason reason, bool was_blocked) {
  tell(one, push_anywhere(one, what, reason, was_blocked));
  return status::ok;
}

[[gnu::noinline]] status unlock_and_tell(pool* one, const worker* w) {
  const audience told = audience_of(one);
  one->lock.unlock(w);
  tell(one, told);
  return status::ok;
}

template <class Way, class Order>
[[gnu::always_inline]] inline status push_as(pool* one, const worker* w, unit* what, push_reason reason, bool was_blocked) {
  if (!Way::enter(one)) [[unlikely]]
    return push_slow(one, what, reason, was_blocked);
  Order::put(one, what, reason);
  if (was_blocked) one->note_back();
  if (has_audience(one)) [[unlikely]]
    return unlock_and_tell(one, w);
  Way::leave(one, w);
  return status::ok;
}

[[gnu::noinline]] status push_as_another(pool* one, const worker* w, unit* what, push_reason reason, bool was_blocked) {
  return push_as<as_another, in_turn>(one, w, what, reason, was_blocked);
}

[[gnu::noinline]] status push_otherwise(pool* one, unit* what, push_reason reason, bool was_blocked) {
  if (one->is_custom) return push_slow(one, what, reason, was_blocked);
  const worker* const w = local::current_worker();
  if (one->lock.is_owner(w)) return push_as<as_owner, by_priority>(one, w, what, reason, was_blocked);
  return push_as<as_another, by_priority>(one, w, what, reason, was_blocked);
}

// Into the usual pool in as few instructions as can be: every other case is a tail call.
[[gnu::always_inline]] inline status push_quickly(pool* one, unit* what, push_reason reason, bool was_blocked) {
  if (!one->is_plain) [[unlikely]]
    return push_otherwise(one, what, reason, was_blocked);
  const worker* const w = local::current_worker();
  if (one->lock.is_owner(w)) [[likely]]
    return push_as<as_owner, in_turn>(one, w, what, reason, was_blocked);
  return push_as_another(one, w, what, reason, was_blocked);
}

worker* server_for_rest(const pool* one) { return ready_units(one) != 0 ? sleeping_server(one) : nullptr; }

worker* server_for_rest_inside(pool* one) {
  const inside hold(one);  // a later pusher sees which workers are awake
  return server_for_rest(one);
}

}  // namespace

void wake_server_for_rest(pool* one) {
  worker* sleeper = one->is_custom ? server_for_rest(one) : server_for_rest_inside(one);
  if (sleeper != nullptr) wake(sleeper);
}

void push_to_pool(pool* one, unit* what, push_reason reason) { static_cast<void>(push_quickly(one, what, reason, false)); }
void push_yielded_to_pool(pool* one, unit* what) { static_cast<void>(push_quickly(one, what, push_reason::yielded, false)); }
void return_to_pool(pool* one, unit* what) { static_cast<void>(push_quickly(one, what, push_reason::woken, true)); }
status push_owned(pool* one, unit* what, push_reason reason) {
  set_home(what, one);
  return push_quickly(one, what, reason, false);
}

namespace {

template <bool Serves>
[[gnu::always_inline]] inline unit* pop(pool* one) {
  if (!one->is_custom) return pop_built_in<Serves>(one);
  const without_identity callback(local::current_worker());
  return unit_of(one->ops.pop(one->state));
}

}  // namespace

unit* pop_from_pool(pool* one) { return pop<false>(one); }
unit* pop_to_serve(pool* one) { return pop<true>(one); }

namespace {

// Inside the lock: whether the unit lies in this pool. It may have gone to another one since the
// caller looked, and be on its way back, which waits for the lock: so it is in this pool if it was
// in some pool before it was seen to belong to this one, and still is.
bool is_in(const pool* one, const unit* what) {
  // [A73] acquire: sees whose pool it is; pairs with [A72]
  if (what->in.load(base::acquire) != in_pool) return false;
  // [A75] acquire: sees that it left the pool that it was in; pairs with [A76] [A77]
  if (what->home.load(base::acquire) != one) return false;
  return what->in.load(base::relaxed) == in_pool;
}

}  // namespace

unit* pop_last_from_pool(pool* one) {
  if (one->is_custom || one->ready_count.load(base::relaxed) == 0) return nullptr;
  const inside hold(one);
  const auto last = one->is_plain ? 0 : static_cast<unsigned>(std::bit_width(one->filled | 1)) - 1;
  unit* const what = one->queues[last].back();
  if (what == nullptr) return nullptr;
  one->is_plain ? in_turn::remove(one, what, false) : by_priority::remove(one, what, false);
  return what;
}

void walk_pool(pool* one, void (*each)(void* state, unit* what), void* state) {
  if (one->is_custom) return;
  const inside hold(one);
  for (base::list<unit>& queue : one->queues) {
    for (unit* what = queue.front(); what != nullptr; what = queue.after(what)) each(state, what);
  }
}

namespace {

// Which unit a caller takes out of a pool besides the first one: one that it names, or one that is
// next and has not started. A unit that has started may have come back to the pool since its joiner
// looked. take: inside the lock.
struct by_name {
  static bool take_custom(pool* one, unit* what) {
    const without_identity callback(local::current_worker());
    return one->ops.remove != nullptr && one->ops.remove(one->state, handle(what));
  }
  template <class Order>
  static bool take(pool* one, unit* what) {
    if (!is_in(one, what)) return false;
    Order::remove(one, what, false);
    return true;
  }
};
struct if_next {
  static bool take_custom(pool*, unit*) { return false; }
  template <class Order>
  static bool take(pool* one, unit* what) {
    if (Order::next(one) != what || what->has_parked()) return false;
    Order::remove(one, what, true);
    return true;
  }
};

template <class Which>
[[gnu::noinline]] bool remove_slow(pool* one, unit* what) {
  const inside hold(one);
  if (one->is_plain) return Which::template take<in_turn>(one, what);
  return Which::template take<by_priority>(one, what);
}

template <class Way, class Order, class Which>
[[gnu::always_inline]] inline bool remove_as(pool* one, const worker* w, unit* what) {
  if (!Way::enter(one)) [[unlikely]]
    return remove_slow<Which>(one, what);
  const bool is_taken = Which::template take<Order>(one, what);
  Way::leave_after_take(one, w);
  return is_taken;
}

template <class Which>
[[gnu::noinline]] bool remove_as_another(pool* one, const worker* w, unit* what) {
  return remove_as<as_another, in_turn, Which>(one, w, what);
}

template <class Which>
[[gnu::noinline]] bool remove_otherwise(pool* one, unit* what) {
  if (one->is_custom) return Which::take_custom(one, what);
  const worker* const w = local::current_worker();
  if (one->lock.is_owner(w)) return remove_as<as_owner, by_priority, Which>(one, w, what);
  return remove_as<as_another, by_priority, Which>(one, w, what);
}

template <class Which>
[[gnu::always_inline]] inline bool remove_quickly(pool* one, unit* what) {
  if (!one->is_plain) [[unlikely]]
    return remove_otherwise<Which>(one, what);
  const worker* const w = local::current_worker();
  return one->lock.is_owner(w) ? remove_as<as_owner, in_turn, Which>(one, w, what) : remove_as_another<Which>(one, w, what);
}

}  // namespace

bool remove_from_pool(pool* one, unit* what) { return remove_quickly<by_name>(one, what); }
bool remove_if_next(pool* one, unit* what) { return remove_quickly<if_next>(one, what); }

bool remove_from_one(pool* const* some, std::size_t count, unit* what) {
  pool* const home = what->home.load(base::relaxed);
  if (home == nullptr) return false;
  for (std::size_t index = 0; index < count; ++index) {
    if (some[index] == home) return remove_quickly<by_name>(home, what);
  }
  return false;
}

}  // namespace weft::sched
