// What a worker can run without taking it from others, and what it looks after now and then.

#include "run/choose.hpp"

#include "os/clock.hpp"
#include "run/enter.hpp"
#include "run/entering.hpp"
#include "run/hosting.hpp"
#include "run/next.hpp"
#include "run/park.hpp"
#include "run/ready.hpp"
#include "run/resume.hpp"
#include "worker/clock.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// Any worker may find a pinned unit in a pool that several serve; then its own worker gets it.
// After some of them the rest must wait, since the workers that get them may put them back as fast.
template <class Take>
unit* take_what_may_run_here(worker* w, Take take) {
  constexpr unsigned most_sent = 16;
  for (unsigned sent = 0; sent < most_sent; ++sent) {
    unit* const one = take(w);
    if (one == nullptr || !is_pinned_elsewhere(w, one)) return one;
    send_where_pinned(w->rt, one);
    --w->turns_left;
  }
  return nullptr;
}

unit* ask_scheduler_if_any(worker* w) {
  if (w->custom.load(base::relaxed) == 0) [[likely]]
    return nullptr;
  unit* const chosen = take_what_may_run_here(w, ask_scheduler);
  if (chosen != nullptr) --w->turns_left;
  return chosen;
}

// Of a crowd that was woken each stack lies in a page of its own: the frames of the next one come
// while this one runs.
void fetch_stack_of(const unit* next) {
  constexpr int lines = 4;
  if (next == nullptr || !next->has_parked()) return;
  const auto* const frames = static_cast<const char*>(next->context.context().sp);
  for (int line = 0; line < lines; ++line) __builtin_prefetch(frames + line * static_cast<int>(base::cache_line), 1);
}

}  // namespace

unit* find_own(worker* w) {
  // What it has goes to others, or it goes to another OS thread: see life/workers.cpp. `detours`
  // led here.
  if (w->must_end.load(base::relaxed) || is_claimed(w)) [[unlikely]]
    return nullptr;
  if (!w->pinned_mail.is_empty()) [[unlikely]]
    take_in(w, w->pinned_mail.take_all());
  if (!w->mail.is_empty()) [[unlikely]]
    take_in(w, w->mail.take_all());
  // After a look around the worker's own queue comes before its scheduler, once.
  const bool asks_scheduler_late = w->owes_oldest;
  if (!asks_scheduler_late) {
    if (unit* chosen = ask_scheduler_if_any(w); chosen != nullptr) return chosen;
  }
  const bool pools_first = w->pool_count.load(base::relaxed) != 0 && w->is_turn_of_pools;
  w->is_turn_of_pools = !w->is_turn_of_pools;
  if (pools_first) {
    if (unit* one = take_what_may_run_here(w, pop_from_pools); one != nullptr) {
      --w->turns_left;
      return one;
    }
  }
  enter(w);
  unit* one = choose_as_scheduled(w);
  if (one != nullptr && one->has_parked()) fetch_stack_of(w->ready.next_recent());
  w->lock.leave();
  w->owes_oldest = false;  // also where a schedule chose
  if (one == nullptr) one = take_what_may_run_here(w, pop_from_pools);
  if (one == nullptr && asks_scheduler_late) one = ask_scheduler_if_any(w);
  return one;
}

constexpr std::int32_t turns_between_looks = 64;

void look_around(worker* w) {
  if (w->rt->counts_errors)
    the_hooks.blame_errors(w, w->current);  // while that is known: timers and sources run without identity
  w->turns_left = turns_between_looks;
  w->owes_oldest = w->owes_pools = true;
  w->coarse_ns = w->rt->turns != nullptr ? now_ns(w) : os::coarse_ns();
  expire_timers(w);
  poll_sources(w);
  if (!w->mail.is_empty()) take_in(w, w->mail.take_all());
  if (!w->pinned_mail.is_empty()) take_in(w, w->pinned_mail.take_all());
}

bool should_stop() {
  worker* w = local::current_worker();
  if (w == nullptr) return true;
  look_around(w);
  // A scheduler that finds something to dispatch each time would not leave its worker otherwise.
  if (is_claimed(w) && w->current != nullptr) [[unlikely]]
    w = yield(w, w->current);
  return is_over(w->rt) || w->must_end.load(base::relaxed);
}

}  // namespace weft::sched
