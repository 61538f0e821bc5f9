// Forks that hot.h cannot do alone: the first one of a worker, those that were taken, those joined
// out of order; and thieves.
//
// The owner moves bottom without a lock; everything else happens inside the deque's lock, by the
// owner or by a thief. Forks below `taken` are public: an owner that has come back to one enters
// the lock to find out whether a thief has it. An owner whose `limit` is null makes its forks
// public. A thief that finds none and cannot wait moves `taken` over the others, has the kernel run
// a fence in the owner, and then looks at bottom.

#include "run/fork.hpp"

#include <cstring>

#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "os/fence.hpp"
#include "os/thread.hpp"
#include "os/vm.hpp"
#include "run/enter.hpp"
#include "run/left_behind.hpp"
#include "run/ready.hpp"
#include "run/wake.hpp"
#include "worker/arrivals.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

namespace {

constexpr unsigned most_spare_segments = 4;       // of a worker, and as many more for each in the runtime's list
constexpr std::uint32_t most_mapped_behind = 15;  // the segment for which they are mapped

// Then nothing is inlined: the deque is always closed.
bool is_traced(const worker* w) { return w->rt->tracer != nullptr; }

weft_forked* bottom_of(const fork_deque& forks) {
  weft_forked* open = weft_hot_load(&forks.hot.bottom, __ATOMIC_RELAXED);
  return open != nullptr ? open : forks.closed_bottom.load(base::relaxed);
}

// Owner, inside the lock.
void set_bottom(worker* w, weft_forked* bottom) {
  fork_deque& forks = w->forks;
  const bool is_closed = forks_are_always_closed || w->rt->turns != nullptr || is_traced(w) || bottom == forks.segment->end();
  forks.closed_bottom.store(bottom, base::relaxed);
  weft_hot_store(&forks.hot.bottom, is_closed ? nullptr : bottom, __ATOMIC_RELAXED);
}

// Inside the lock. Forks below are public, or taken. The owner looks at one word, thieves at the
// other.
void set_public_end(fork_deque& forks, weft_forked* end) {
  weft_hot_store(&forks.hot.taken, end, __ATOMIC_RELAXED);
  forks.public_end.store(end, base::relaxed);
}

// Inside the lock.
void empty(fork_deque& forks, weft_forked* top) {
  forks.top.store(top, base::relaxed);
  set_public_end(forks, top);
}

// ---- segments ----

std::size_t segment_bytes() { return base::round_up(sizeof(fork_segment), os::page_bytes()); }

fork_segment* behind(fork_segment* one, std::uint32_t count) {
  return reinterpret_cast<fork_segment*>(reinterpret_cast<unsigned char*>(one) + count * segment_bytes());
}

// Null: there is none. A call of the kernel for each segment would serialize the workers: they
// share one memory map.
fork_segment* take_shared_segment(runtime* rt) {
  if (rt->spare_fork_segment_count.load(base::relaxed) == 0) return nullptr;
  const queue::guard hold(rt->fork_segments_lock);
  fork_segment* const one = rt->spare_fork_segments;
  if (one == nullptr) return nullptr;
  rt->spare_fork_segment_count.store(rt->spare_fork_segment_count.load(base::relaxed) - 1, base::relaxed);
  if (one->mapped_behind != 0) return behind(one, one->mapped_behind--);
  rt->spare_fork_segments = one->next;
  return one;
}

void share_segments(runtime* rt, fork_segment* one, std::uint32_t count) {
  one->mapped_behind = count - 1;
  const queue::guard hold(rt->fork_segments_lock);
  one->next = rt->spare_fork_segments;
  rt->spare_fork_segments = one;
  rt->spare_fork_segment_count.store(rt->spare_fork_segment_count.load(base::relaxed) + count, base::relaxed);
}

void give_shared_segment(runtime* rt, fork_segment* one) {
  const std::uint32_t most = most_spare_segments * rt->worker_count.load(base::relaxed);
  if (rt->spare_fork_segment_count.load(base::relaxed) >= most) return os::release(one, segment_bytes());
  share_segments(rt, one, 1);
}

fork_segment* map_segments(std::uint32_t count) {
  return static_cast<fork_segment*>(os::reserve_unfilled(count * segment_bytes()));
}

// Where one worker lacks a segment, the others soon do, too: one mapping has some for them. Null:
// no memory.
fork_segment* map_for_all(runtime* rt) {
  const std::uint32_t workers = rt->worker_count.load(base::relaxed);
  const std::uint32_t more = workers / 2 < most_mapped_behind ? workers / 2 : most_mapped_behind;
  if (more <= 1) return map_segments(1);
  fork_segment* const one = map_segments(1 + more);
  if (one == nullptr) return map_segments(1);
  share_segments(rt, behind(one, 1), more);
  return one;
}

fork_segment* take_segment(worker* w) {
  fork_segment* one = w->spare_forks;
  if (one == nullptr) {
    one = take_shared_segment(w->rt);
    return one != nullptr ? one : map_for_all(w->rt);
  }
  w->spare_forks = one->next;
  --w->spare_fork_count;
  return one;
}

// The segment itself stays for a while: a thief may still read a result in it.
void give_segment(worker* w, fork_segment* one) {
  fork_segment* const before = w->spare_forks;
  one->next = before;
  w->spare_forks = one;
  if (w->spare_fork_count++ < most_spare_segments) return;
  one->next = before->next;
  --w->spare_fork_count;
  give_shared_segment(w->rt, before);
}

// Owner, inside the lock. Null: forks run in their joins until there is memory.
void start_segment(worker* w, fork_segment* one) {
  fork_deque& forks = w->forks;
  forks.segment = one;
  empty(forks, one != nullptr ? one->first() : nullptr);
  weft_hot_store(&forks.hot.limit, nullptr, __ATOMIC_RELAXED);  // a worker may be asleep already
  if (one == nullptr) {
    forks.closed_bottom.store(nullptr, base::relaxed);
    weft_hot_store(&forks.hot.bottom, nullptr, __ATOMIC_RELAXED);
    forks.rest = nullptr;
    return;
  }
  set_bottom(w, one->first());
  forks.rest = one->first();
}

// A place whose unit was left says in which segment it lies.
void note_segment(weft_forked* one, fork_segment* segment) { one->run = reinterpret_cast<void (*)(void*)>(segment); }
fork_segment* segment_left_with(const weft_forked* one) { return reinterpret_cast<fork_segment*>(one->run); }

// A place joined out of order. Inside the lock.
void mark_joined(weft_forked* one) { one->run = nullptr; }
bool is_joined(const weft_forked* one) { return one->run == nullptr; }

// A place whose fork runs in its join, inside the library: no other worker may take it, but its
// forker has not done with it.
void runs_in_join(void*) {}
void mark_run_in_join(weft_forked* one) { one->run = runs_in_join; }
bool may_become_unit(const weft_forked* one) { return !is_joined(one) && one->run != runs_in_join; }

// Owner, inside the lock: places that were joined go.
void trim(worker* w, weft_forked* bottom) {
  fork_deque& forks = w->forks;
  while (bottom != forks.segment->first() && is_joined(bottom - 1)) --bottom;
  if (bottom < forks.top.load(base::relaxed)) forks.top.store(bottom, base::relaxed);
  if (bottom < forks.public_end.load(base::relaxed)) set_public_end(forks, bottom);
  set_bottom(w, bottom);
}

// ---- forks that became units ----

// on: where it was forked, by the unit that runs there.
unit* make_unit(worker* w, weft_forked* forked, unit* forker, const worker* on) {
  unit* one = make_fork_unit(w, forked->run, forked->work, forker);
  if (one != nullptr && is_traced(w)) the_hooks.trace_fork_as_unit(w->rt, one, forked, on);
  forked->taker = one;
  return one;
}

// There is no way back for a thread that waits while its forks cannot run: a thread that is short
// of memory may soon have some again.
unit* insist_on_unit(worker* w, weft_forked* forked, unit* forker, const worker* on) {
  constexpr int tries = 100;
  for (int attempt = 0; attempt < tries; ++attempt) {
    if (unit* made = make_unit(w, forked, forker, on); made != nullptr) return made;
    os::yield_cpu();
  }
  base::panic("mmap failed %d times: no memory for the forks of a thread that waits", tries);
}

// Owner: all forks become units, chained by next, the oldest first; the unit that runs keeps the
// segment.
unit* cut_off(worker* w) {
  fork_deque& forks = w->forks;
  const queue::guard hold(forks.lock);
  fork_segment* const segment = forks.segment;
  const weft_forked* const top = forks.top.load(base::relaxed);
  unit* const forker = identity_of(w->current);
  unit* chain = nullptr;
  segment->unjoined = 0;
  segment->forker = w->current;
  for (weft_forked* one = bottom_of(forks); one-- != segment->first();) {
    if (is_joined(one)) continue;
    ++segment->unjoined;
    if (one >= top && may_become_unit(one)) {
      unit* made = insist_on_unit(w, one, forker, w);
      made->next = chain;
      chain = made;
    }
    note_segment(one, segment);
  }
  w->current->left_forks += segment->unjoined;
  start_segment(w, segment->unjoined != 0 ? take_segment(w) : segment);
  return chain;
}

// Outside the lock: the event sink may wait for a thread that wants to fork.
void push(worker* w, unit* one) {
  one->next = nullptr;
  note(w->rt, WEFT_ON_CREATE, one);
  if (w->is_special) return make_ready(w, one, push_reason::created);
  enter(w);
  w->ready.push_recent(one);
  w->lock.leave();
}

// ---- joining ----

[[noreturn]] void refuse(const char* why) { base::panic("weft_fork_join: %s", why); }

[[noreturn]] void refuse_outside() {
  refuse_if_left_behind("weft_fork_join of a fork of the parent's");
  refuse("the fork is another thread's");
}

// Checked builds: the running unit has no such fork.
void check_is_mine(const worker* w, const weft_forked* forked) {
  for (unsigned index = 0; index < w->rt->worker_slots.load(base::relaxed); ++index) {
    worker* other = worker_in_slot(w->rt, index);
    if (other == nullptr || other == w) continue;
    const queue::guard hold(other->forks.lock);
    if (other->forks.segment != nullptr && other->forks.segment->holds(forked)) refuse("the fork is another thread's");
  }
  if (is_joined(forked)) refuse("the fork was joined before");
  if (segment_left_with(forked)->forker != w->current) refuse("the fork is another thread's");
}

std::size_t count_unjoined(const fork_deque& forks) {
  if (forks.segment == nullptr) return 0;
  std::size_t count = 0;
  for (const weft_forked* one = bottom_of(forks); one-- != forks.segment->first();) count += !is_joined(one);
  return count;
}

enum class place { ours, taken, elsewhere };

// Owner. ours: the fork was not taken, and is the caller's to run; *run says what, if it is to be
// run in its place, which stays the fork's then.
place find(worker* w, weft_forked* forked, void (**run)(void* work)) {
  fork_deque& forks = w->forks;
  if (forks.segment == nullptr || !forks.segment->holds(forked)) return place::elsewhere;
  const queue::guard hold(forks.lock);
  weft_forked* bottom = bottom_of(forks);
  if (config::checked && (forked >= bottom || is_joined(forked))) refuse("the fork was joined before");
  if (bottom <= forked) bottom = forked + 1;  // hot.h has moved it
  if (forked < forks.top.load(base::relaxed)) {
    set_bottom(w, bottom);
    return place::taken;
  }
  if (is_traced(w)) {
    *run = forked->run;
    mark_run_in_join(forked);
    set_bottom(w, bottom);
  } else {
    mark_joined(forked);
    trim(w, bottom);
  }
  return place::ours;
}

// The fork has ended elsewhere: its place is free.
void forget(worker* w, weft_forked* forked) {
  fork_deque& forks = w->forks;
  if (forks.segment != nullptr && forks.segment->holds(forked)) {
    const queue::guard hold(forks.lock);
    mark_joined(forked);
    return trim(w, bottom_of(forks));
  }
  fork_segment* const segment = segment_left_with(forked);
  mark_joined(forked);
  --w->current->left_forks;
  if (--segment->unjoined == 0) give_segment(w, segment);
}

// Under a trace: as if another worker had taken the fork, here.
void run_in_place(const worker* w, void (*run)(void* work), weft_forked* forked) {
  the_hooks.run_traced(w->rt, run, forked);
  forget(local::current_worker(), forked);
}

// ---- thieves ----

// The thread that made the forks that wait runs until they are joined, so that it is still there. A
// tasklet could not wait for them.
unit* forker_of(const worker* victim) {
  unit* one = base::load_relaxed(victim->current);
  return one != nullptr && !one->has(is_tasklet) ? identity_of(one) : nullptr;
}

// Inside the lock: where the public forks end if so many are to be public.
weft_forked* end_of_oldest(const fork_deque& forks, std::size_t wanted) {
  weft_forked* const oldest = forks.top.load(base::relaxed);
  weft_forked* const bottom = bottom_of(forks);
  return static_cast<std::size_t>(bottom - oldest) > wanted ? oldest + wanted : bottom;
}

// Inside the lock, by a thief: makes private forks public, whatever their owner does.
void open_by_fence(fork_deque& forks, std::size_t wanted) {
  weft_forked* const oldest = forks.top.load(base::relaxed);
  weft_forked* end = end_of_oldest(forks, wanted);
  weft_hot_store(&forks.hot.taken, end, __ATOMIC_RELAXED);
  if (weft_hot_load(&forks.hot.bottom, __ATOMIC_RELAXED) != nullptr) {
    // [K4] heavy fence: taken before bottom; pairs with [K3]
    os::heavy_fence();
    // [K5] acquire: sees the forks below; pairs with [K1] [K6]
    weft_forked* const bottom = weft_hot_load(&forks.hot.bottom, __ATOMIC_ACQUIRE);
    if (bottom != nullptr && bottom < end) end = bottom > oldest ? bottom : oldest;
  }
  set_public_end(forks, end);
}

bool has_public(const fork_deque& forks) { return forks.top.load(base::relaxed) < forks.public_end.load(base::relaxed); }

// Inside the lock: moves top over the oldest public forks, half of them and not more than `most`.
// Returns how many.
std::size_t claim_oldest(fork_deque& forks, std::size_t most) {
  weft_forked* const oldest = forks.top.load(base::relaxed);
  const std::size_t waiting = static_cast<std::size_t>(forks.public_end.load(base::relaxed) - oldest);
  const std::size_t half = (waiting + 1) / 2;
  const std::size_t count = half < most ? half : most;
  forks.top.store(oldest + count, base::relaxed);
  return count;
}

// Inside the lock: units of `count` claimed forks from `one` on, chained by next, the oldest first.
// Without memory, top goes back to the first that is none.
unit* make_units(worker* w, worker* victim, weft_forked* one, std::size_t count, unit* forker) {
  unit* chain = nullptr;
  unit* last = nullptr;
  for (; count != 0; --count, ++one) {
    if (!may_become_unit(one)) continue;
    unit* made = forker != nullptr ? make_unit(w, one, forker, victim) : nullptr;
    if (made == nullptr) {
      victim->forks.top.store(one, base::relaxed);
      break;
    }
    made->next = nullptr;
    if (last == nullptr) {
      chain = made;
    } else {
      last->next = made;
    }
    last = made;
  }
  return chain;
}

void note_made(runtime* rt, unit* chain) {
  for (unit* one = chain; rt->is_observed && one != nullptr; one = static_cast<unit*>(one->next)) {
    note(rt, WEFT_ON_CREATE, one);
    note(rt, WEFT_ON_READY, one);
  }
}

fork_theft take_oldest(worker* w, worker* victim, std::size_t most, bool by_fence) {
  fork_deque& forks = victim->forks;
  if (!forks.lock.try_lock()) return {nullptr, false};
  const bool may_open = by_fence && has_forks_to_take(victim) && forker_of(victim) != nullptr;
  if (!has_public(forks) && may_open) {
    const std::size_t searchers = w->rt->searchers.load(base::relaxed);
    open_by_fence(forks, searchers > most ? searchers : most);
  }
  fork_theft found{nullptr, may_open};
  if (has_public(forks)) {
    // Again: before the fence the place may have been an older unit's.
    if (unit* const forker = forker_of(victim); forker != nullptr) {
      weft_forked* const oldest = forks.top.load(base::relaxed);
      found.chain = make_units(w, victim, oldest, claim_oldest(forks, most), forker);
    }
  }
  forks.lock.unlock();
  note_made(w->rt, found.chain);
  return found;
}

// ---- making forks public ----

// Owner: makes the oldest forks public, as many as are wanted, if there are so many and no thief is
// inside the lock. False: fewer are.
bool make_public(worker* w, std::size_t wanted) {
  fork_deque& forks = w->forks;
  if (forker_of(w) == nullptr) return true;  // a tasklet's forks stay with it
  if (!forks.lock.try_lock()) return false;
  weft_forked* const end = end_of_oldest(forks, wanted);
  if (end > forks.public_end.load(base::relaxed)) set_public_end(forks, end);
  const bool are_enough = static_cast<std::size_t>(end - forks.top.load(base::relaxed)) == wanted;
  forks.lock.unlock();
  return are_enough;
}

// Some worker has set limit to null: it looks for work, or sleeps. Each searcher shall find a fork,
// so limit stays null until there are enough, but for no more forks than there are searchers.
void look_for_takers(worker* w) {
  fork_deque& forks = w->forks;
  weft_hot_store(&forks.hot.limit, forks.segment->last(), __ATOMIC_RELAXED);
  // [K7] fence: limit before the look for sleepers and searchers; pairs with [K8]
  base::fence_seq_cst();
  wake_one(w->rt);
  std::uint32_t wanted = w->rt->searchers.load(base::relaxed);
  if (forks.expects_taker && wanted == 0) wanted = 1;
  forks.expects_taker = false;
  if (forks.looks_left == 0) forks.looks_left = wanted;
  if (wanted == 0 || make_public(w, wanted) || --forks.looks_left == 0) {
    forks.looks_left = 0;
  } else {
    weft_hot_store(&forks.hot.limit, nullptr, __ATOMIC_RELAXED);
  }
}

// After the join of a fork that was taken: its taker comes for the next one.
void expect_taker(fork_deque& forks) {
  forks.expects_taker = true;
  weft_hot_store(&forks.hot.limit, nullptr, __ATOMIC_RELAXED);
}

}  // namespace

weft_forked* fork_slow(void (*run)(void* work), const void* work, std::size_t bytes) {
  worker* w = local::current_worker();
  if (w == nullptr || w->current == nullptr || w->current->has(is_tasklet)) return nullptr;
  if (config::checked && bytes > WEFT_FORK_BYTES) base::panic("weft_fork: %zu bytes are too many", bytes);
  if (w->rt->turns != nullptr) [[unlikely]]
    static_cast<void>(the_hooks.pass_point());
  fork_deque& forks = w->forks;
  {
    const queue::guard hold(forks.lock);
    if (forks.segment == nullptr) start_segment(w, take_segment(w));
    if (forks.segment == nullptr) return nullptr;
  }
  weft_forked* place = nullptr;
  {
    const queue::guard hold(forks.lock);
    place = bottom_of(forks);
    if (place == forks.segment->end()) return nullptr;
    std::memcpy(place->work, work, bytes);
    place->run = run;
    if (is_traced(w)) the_hooks.trace_fork(w, place);
    set_bottom(w, place + 1);
  }
  if (weft_hot_load(&forks.hot.limit, __ATOMIC_RELAXED) == nullptr) {
    look_for_takers(w);
  } else {
    wake_one(w->rt);
  }
  return place;
}

void fork_at_limit() {
  worker* w = local::current_worker();
  fork_deque& forks = w->forks;
  if (weft_hot_load(&forks.hot.bottom, __ATOMIC_RELAXED) == forks.segment->end()) {
    const queue::guard hold(forks.lock);
    set_bottom(w, forks.segment->end());
  }
  look_for_takers(w);
}

bool join_fork_slow(weft_forked* forked) {
  if (forked == nullptr) return true;
  worker* w = local::current_worker();
  if (w == nullptr) [[unlikely]]
    refuse_outside();
  if (w->rt->turns != nullptr) [[unlikely]]
    static_cast<void>(the_hooks.pass_point());
  void (*run)(void* work) = nullptr;
  const place found = find(w, forked, &run);
  if (found == place::ours) {
    if (run != nullptr) run_in_place(w, run, forked);
    return run == nullptr;
  }
  if (config::checked && found == place::elsewhere) check_is_mine(w, forked);
  if (join_fork(static_cast<unit*>(forked->taker)) != status::ok) refuse("the fork cannot be waited for here");
  w = local::current_worker();
  forget(w, forked);
  expect_taker(w->forks);
  return false;
}

void detach_forks(worker* w) {
  fork_deque& forks = w->forks;
  if (forks.segment == nullptr || bottom_of(forks) == forks.segment->first()) return;
  unit* chain = cut_off(w);
  while (chain != nullptr) {
    unit* one = chain;
    chain = static_cast<unit*>(one->next);
    push(w, one);
  }
  wake_one(w->rt);
}

bool has_forks_to_take(const worker* victim) {
  const fork_deque& forks = victim->forks;
  return forks.top.load(base::relaxed) < bottom_of(forks);
}

bool forks_stand_still(const worker* victim) {
  constexpr int rounds = 64;  // longer than the parts of which nothing is worth taking
  if (!has_forks_to_take(victim)) return false;
  const weft_forked* const bottom = bottom_of(victim->forks);
  for (int round = 0; round < rounds; ++round) {
    if (bottom_of(victim->forks) != bottom) return false;
    arch::pause();
  }
  return true;
}

bool has_public_forks(const worker* victim) { return has_public(victim->forks); }

unit* take_public_forks(worker* w, worker* victim, std::size_t most) {
  return has_public_forks(victim) ? take_oldest(w, victim, most, false).chain : nullptr;
}

fork_theft steal_forks(worker* w, worker* victim, std::size_t most) {
  return has_forks_to_take(victim) ? take_oldest(w, victim, most, true) : fork_theft{nullptr, false};
}

void want_to_hear_of_forks(const runtime* rt) {
  // [K8] fence: the announcement of a sleeper or searcher before the look at limits; pairs with
  // [K7]
  base::fence_seq_cst();
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned index = 0; index < slots; ++index) {
    worker* w = worker_in_slot(rt, index);
    if (w != nullptr && weft_hot_load(&w->forks.hot.limit, __ATOMIC_RELAXED) != nullptr)
      weft_hot_store(&w->forks.hot.limit, nullptr, __ATOMIC_RELAXED);
  }
}

namespace {

void release_all(fork_segment** first) {
  while (*first != nullptr) {
    fork_segment* const one = *first;
    *first = one->next;
    os::release(one, (1 + one->mapped_behind) * segment_bytes());
  }
}

}  // namespace

void free_fork_segments(worker* w) {
  if (w->forks.segment != nullptr) os::release(w->forks.segment, segment_bytes());
  w->forks.segment = nullptr;
  release_all(&w->spare_forks);
}

void free_shared_segments(runtime* rt) {
  release_all(&rt->spare_fork_segments);
  rt->spare_fork_segment_count.store(0, base::relaxed);
}

void check_forks_joined() {
  refuse_if_left_behind("the end of a thread");
  const worker* w = local::current_worker();
  const std::size_t unjoined = w->current->left_forks + count_unjoined(w->forks);
  if (unjoined != 0) the_hooks.panic_about(w->current, "ended without joining ", unjoined, "fork of its own", "forks of its own");
}

void check_ended_well() {
  worker* const w = local::current_worker();
  unit* const self = w->current;
  if (self->has(is_tasklet)) return;  // it is a call of the unit beneath it, whose locks these may be
  if (is_in_pinned_scope(self) || w->os_locks.count != 0) the_hooks.tell_leaving(w, self, true);
  forget_arrival(w, self);
}

}  // namespace weft::sched
