// See lookout.hpp.
#include "see/lookout.hpp"

#include <errno.h>
#include <signal.h>

#include <cstring>
#include <new>

#include "arch/signal_registers.hpp"
#include "base/config.hpp"
#include "os/clock.hpp"
#include "os/peek.hpp"
#include "os/signal.hpp"
#include "os/system_call.hpp"
#include "os/thread.hpp"
#include "os/thread_state.hpp"
#include "os/vm.hpp"
#include "run/wake.hpp"
#include "see/running_frames.hpp"
#include "see/standing.hpp"
#include "worker/glance.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

struct lookout {
  int timer = 0;
  base::atomic<bool> is_over{false};  // a call failed because of us, or others look now
  // the handler's
  standing known;
  std::uint64_t ticks = 0;  // each wakes the OS thread once
};

namespace {

// A little more, so that two looks are far enough apart to tell.
constexpr std::uint64_t period_ns = longest_standing_ns / 50 * 51;

// A handler is given nothing but its signal: one runtime at a time uses it.
constinit base::atomic<runtime*> looked_at{nullptr};

enum class interrupted { nothing, wait, failed_call };

bool is_call_at(std::uintptr_t code) {
  unsigned char bytes[sizeof arch::call_instruction];
  return os::peek(reinterpret_cast<const void*>(code), bytes, sizeof bytes) &&
         std::memcmp(bytes, arch::call_instruction, sizeof bytes) == 0;
}

// wait: one that starts again after the handler, and may last for ever.
interrupted what_was_interrupted(const void* context, kernel_wait* wait) {
  const arch::interrupted_call call = arch::call_of_signal(context);
  if (is_call_at(call.code)) {
    const bool is_futex_wait = os::is_endless_futex_wait(call.number, call.arguments[1], call.arguments[3]);
    if (!is_futex_wait && !is_told_of_call(call.number)) return interrupted::nothing;
    *wait = {call.arguments[0], call.arguments[2] & UINT32_MAX, 0, is_futex_wait ? -1 : call.number};
    return interrupted::wait;
  }
  const bool has_failed = call.result == -EINTR && is_call_at(call.code - sizeof arch::call_instruction);
  return has_failed ? interrupted::failed_call : interrupted::nothing;
}

// Off until work is made available.
void suspend(runtime* rt, worker* w) {
  if (!os::set_signal_timer(rt->look->timer, 0)) return;
  std::uint32_t awake = 0;
  static_cast<void>(w->is_asleep.compare_exchange_strong(awake, awake_and_unwatched, base::relaxed, base::relaxed));
  rt->sleepers.fetch_or(is_look_off, base::relaxed);
}

void end_looks(lookout* look) {
  look->is_over.store(true, base::relaxed);
  static_cast<void>(os::set_signal_timer(look->timer, 0));
}

void look_at(runtime* rt, worker* w, const void* context) {
  lookout* look = rt->look;
  kernel_wait wait{};
  const interrupted what = what_was_interrupted(context, &wait);
  ++look->ticks;
  if (rt->dog.load(base::relaxed) != nullptr) return end_looks(look);
  const bool is_units = glance(w->current) != nullptr;  // else a wait of our own, which does not mind
  if (is_units && what == interrupted::failed_call) return end_looks(look);
  if (!is_units || !may_wait_behind(w)) {
    look->known = {};
    return suspend(rt, w);
  }
  wait.waits = os::own_waits() - look->ticks;
  const bool waits = what == interrupted::wait;
  static_cast<void>(look_at_standing(w, &look->known, waits ? &wait : nullptr, {os::now_ns(), context}));
}

// A signal that is late finds nothing to look at.
void on_tick(const void* context) {
  runtime* rt = looked_at.load(base::relaxed);
  worker* w = local::current_worker();
  if (rt != nullptr && w != nullptr && w->rt == rt && w->index == 0) look_at(rt, w, context);
}

bool can_start(const runtime* rt) {
  if constexpr (config::thread_sanitizer) return false;
  const bool is_lone = rt->worker_count.load(base::relaxed) == 1 && rt->has_adopted_caller;
  return is_lone && rt->turns == nullptr && rt->settings.deadlock != os::deadlock_action::off &&
         rt->dog.load(base::relaxed) == nullptr;
}

}  // namespace

void start_lookout(runtime* rt) {
  if (!can_start(rt)) return;
  void* memory = os::reserve(sizeof(lookout), os::page_bytes());
  if (memory == nullptr) return;
  auto* look = new (memory) lookout;
  if (!os::make_signal_timer(os::thread_id(), signal_of_questions, &look->timer)) {
    os::release(memory, sizeof(lookout));
    return;
  }
  rt->look = look;
  looked_at.store(rt, base::relaxed);
  if (!begin_looks(on_tick)) return stop_lookout(rt);
  worker* w = worker_in_slot(rt, 0);
  w->is_asleep.store(awake_and_unwatched, base::relaxed);
  rt->sleepers.fetch_or(is_look_off, base::relaxed);
}

void stop_lookout(runtime* rt) {
  if (rt->look == nullptr) return;
  rt->look->is_over.store(true, base::relaxed);
  os::delete_signal_timer(rt->look->timer);
  looked_at.store(nullptr, base::relaxed);
  end_looks_by_signal();
}

void end_lookout(runtime* rt) {
  if (rt->look != nullptr) end_looks(rt->look);
}

void free_lookout(runtime* rt) {
  if (rt->look != nullptr) os::release(rt->look, sizeof(lookout));
}

void resume_lookout(runtime* rt) {
  if ((rt->sleepers.fetch_and(~is_look_off, base::relaxed) & is_look_off) == 0) return;
  worker* w = worker_in_slot(rt, 0);
  std::uint32_t unwatched = awake_and_unwatched;
  static_cast<void>(w->is_asleep.compare_exchange_strong(unwatched, 0, base::relaxed, base::relaxed));
  lookout* look = rt->look;
  if (look == nullptr || look->is_over.load(base::relaxed)) return;
  static_cast<void>(os::set_signal_timer(look->timer, period_ns));
}

}  // namespace weft::sched
