// See user_context.hpp.
#include "life/user_context.hpp"

#include <new>
#include <utility>

#include "base/align.hpp"
#include "base/assert.hpp"
#include "base/config.hpp"
#include "life/stander.hpp"
#include "life/start.hpp"
#include "run/entering.hpp"
#include "run/left_behind.hpp"
#include "run/stack_class.hpp"
#include "see/overflow.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

// The assembly's (arch/*/user_context.S), and what it calls.
extern "C" {
[[gnu::visibility("hidden")]] weft_context_arrival weft_context_switch_plainly(weft::sched::user_context* to, void* pass);
[[noreturn, gnu::visibility("hidden"), gnu::used]] void weft_context_leave_for_good(weft::sched::user_context* to,
                                                                                    weft::sched::user_context* left);
// Lays the caller's record down, and moves the worker to the other stack. False: nothing was done.
[[gnu::visibility("hidden"), gnu::used]] bool weft_context_leave(weft::sched::user_context* here, weft::sched::user_context* to,
                                                                 void* pass);
// By what goes on after a context that has ended.
[[gnu::visibility("hidden"), gnu::used]] void weft_context_free(weft::sched::user_context* left);
[[gnu::visibility("hidden"), gnu::used]] weft_context_arrival weft_context_switch_elaborately(weft::sched::user_context* to,
                                                                                              void* pass);
}

namespace weft::sched {

namespace {

constexpr char switch_call[] = "weft_context_switch";
constexpr char destroy_call[] = "weft_context_destroy";

std::uint32_t seal_of(const user_context* one) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(one) * odd >> 32);
}
void seal(user_context* one) {
  if constexpr (config::checked) one->seal = seal_of(one);
}
bool is_used_up(const user_context* one) { return config::checked && one->seal != seal_of(one); }
void use_up(user_context* one) {
  if constexpr (config::checked) one->seal = 0;
}

constexpr char used_up[] = "the context runs, or its handle was used up";

[[noreturn, gnu::cold, gnu::noinline]] void refuse(const char* call, const char* why) { base::panic("%s: %s", call, why); }

}  // namespace

namespace {

[[noreturn, gnu::cold, gnu::noinline]] void refuse_target(const user_context* to) {
  if (to == nullptr) refuse(switch_call, "null: the context runs, has ended, or its handle was used up");
  if (is_used_up(to)) refuse(switch_call, used_up);
  refuse(switch_call, "these are the frames of another thread, which alone may go on there");
}

// ---- stacks ----

mem::stack* take_slot_of_class(worker* w, unsigned size_class) {
  if (size_class != mem::default_class) {
    if (!w->sized_stacks[size_class - 1].ensure_one()) return nullptr;
    w->has_run_sized = true;
    return take_stack(w, size_class);
  }
  // The worker itself needs one where the running unit parks.
  if (!w->stacks.ensure_one()) return nullptr;
  mem::stack* const one = w->stacks.take();
  if (w->stacks.ensure_one()) return one;
  w->stacks.give(one);
  return nullptr;
}

mem::stack* take_stack_of_class(worker* w, unsigned size_class) {
  mem::stack* const one = take_slot_of_class(w, size_class);
  if (config::checked && one != nullptr) w->rt->context_slots.fetch_add(1, base::relaxed);
  return one;
}

status find_stack(worker* w, const weft_context_attr& wanted, mem::stack** out) {
  unsigned size_class = mem::default_class;
  if (wanted.stack != nullptr) {
    *out = mem::stack_depot::adopt(wanted.stack, wanted.stack_bytes);
    return status::ok;
  }
  const status found = wanted.stack_bytes != 0 ? find_class(w->rt, w, wanted.stack_bytes, &size_class) : status::ok;
  if (found != status::ok && found != status::unsupported) return found;
  *out = found == status::ok ? take_stack_of_class(w, size_class) : w->rt->stack_depot.make_mapping(wanted.stack_bytes);
  return *out != nullptr ? status::ok : status::nomem;
}

// As if the worker stood there: that is what the report speaks of.
[[gnu::noinline]] void check_canary_of(worker* w, mem::stack* stack) {
  mem::stack* const here = w->standing;
  w->standing = stack;
  check_canary(w, w->current, stack);
  w->standing = here;
}

}  // namespace

void release_context_stack(worker* w, mem::stack* stack) {
  if (w == nullptr || stack->run != w->rt->number) [[unlikely]]
    return release_outlived(stack);
  if (stack->guard == os::guard_kind::canary) [[unlikely]]
    check_canary_of(w, stack);
  stack->resumer = nullptr;
  if (stack->origin == mem::stack_origin::slot) [[likely]] {
    if constexpr (config::checked) w->rt->context_slots.fetch_sub(1, base::relaxed);
    return give_stack(w, stack);
  }
  const context_start start = *start_on(stack);
  fiber::sanitizer::forget(stack);
  w->rt->stack_depot.destroy(stack);
  if (start.release != nullptr) start.release(start.room);
}

namespace {

// ---- switching ----

bool may_go_to(const unit* self, const user_context* to) {
  return to != nullptr && !is_used_up(to) && (to->base_of == nullptr || to->base_of == self);
}

// Whether the caller is a unit or, for what has outlived its runtime, an OS thread outside.
bool find_stander(const user_context* to, stander* out) {
  worker* const w = local::current_worker();
  if (w != nullptr && w->current != nullptr) {
    *out = {&w->standing, w->current, w};
    return true;
  }
  if (to == nullptr || !find_stander_outside(out)) return false;
  return to->base_of != nullptr || has_outlived(to->stack);
}

// What the C++ run time carries, and nothing else does: it is looked at without a call.
bool carries_two_words(const worker* w) { return w->carried == nullptr || w->rt->carried_bytes == 2 * sizeof(std::uint64_t); }

bool is_something_in_two_words(const worker* w) {
  if (w->carried == nullptr) return false;
  const auto* words = static_cast<const std::uint64_t*>(w->carried);
  return (words[0] | words[1]) != 0;
}

[[gnu::always_inline]] inline bool leave(const stander& me, user_context* here, user_context* to, void* pass) {
  mem::stack* const from = *me.standing;
  here->stack = from;
  here->base_of = from != nullptr && from->resumer == me.identity ? nullptr : me.identity;
  here->passed = pass;
  here->has_ended = false;
  seal(here);
  use_up(to);
  stand_on(me, to->stack, to->base_of);
  return true;
}

[[gnu::noinline]] bool leave_carefully(worker* w, user_context* here, user_context* to, void* pass) {
  return !carries(w) && leave({&w->standing, w->current, w}, here, to, pass);
}

[[gnu::noinline]] bool leave_outside(user_context* here, user_context* to, void* pass) {
  stander me{};
  if (!find_stander(to, &me) || !may_go_to(me.identity, to) || is_something_carried(nullptr)) return false;
  return leave(me, here, to, pass);
}

// The context's function has returned `to`.
[[noreturn]] void end_context(context_start* me, user_context* to) {
  if (to == nullptr) refuse(switch_call, "a context's function returned null, and not the context that goes on");
  stander caller{};
  if (!find_stander(to, &caller)) refuse_context_caller(switch_call);
  if (!may_go_to(caller.identity, to)) refuse_target(to);
  me->end.passed = nullptr;
  me->end.stack = *caller.standing;
  me->end.has_ended = true;
  use_up(to);
  stand_on(caller, to->stack, to->base_of);
  fiber::sanitizer::leaving_for_good(side_of(caller));
  weft_context_leave_for_good(to, &me->end);
}

// The bottom of a context's stack.
void run_context(void* from, void* argument, void* passed) {
  fiber::started();
  auto* const me = static_cast<context_start*>(argument);
  weft_context* const next = me->function(static_cast<weft_context*>(from), passed, me->room);
  end_context(me, reinterpret_cast<user_context*>(next));
}

status check(const weft_context_attr& wanted) {
  if (wanted.size != sizeof wanted) return because(status::invalid, "attr", is_wrong_size, wanted.size);
  if (wanted.room_bytes > WEFT_CONTEXT_ROOM_MAX)
    return because(status::invalid, "attr", "room_bytes is %u; at most 2048 (WEFT_CONTEXT_ROOM_MAX) are possible",
                   wanted.room_bytes);
  if (wanted.stack_bytes == 0 && wanted.stack == nullptr) return status::ok;
  if (wanted.stack_bytes >= WEFT_STACK_MIN) return status::ok;
  return because(status::invalid, "attr", "stack_bytes is %u; at least 16384 (WEFT_STACK_MIN) are needed", wanted.stack_bytes);
}

}  // namespace

status create_context(weft_context_function function, const weft_context_attr& wanted, const void* made_at, user_context** out,
                      void** room) {
  if (const status checked = check(wanted); checked != status::ok) [[unlikely]]
    return checked;
  worker* const w = local::current_worker();
  if (w == nullptr || w->current == nullptr) {
    if (is_left_behind()) return status::unsupported;
    return local::current_runtime() == nullptr ? status::not_initialized : status::cannot_block;
  }
  mem::stack* stack = nullptr;
  if (const status found = find_stack(w, wanted, &stack); found != status::ok) return found;
  char* const top = stack->top() - sizeof(context_start);
  constexpr std::size_t alignment = 16;
  char* const beneath = top - base::round_up(wanted.room_bytes, alignment);
  // Before the first write there: poisoned shadow of what ran on it earlier.
  fiber::sanitizer::renew(stack);
  const void* const place = wanted.made_at != nullptr ? wanted.made_at : made_at;
  auto* const start = new (top) context_start{{}, function, beneath, wanted.release, place};
  void* const frame = arch::user_frame::make(beneath, run_context, start);
  stack->run = w->rt->number;
  *out = new (frame) user_context{stack, nullptr, nullptr, false, 0};
  seal(*out);
  if (room != nullptr) *room = beneath;
  return status::ok;
}

weft_context_arrival switch_context(user_context* to, void* pass) {
  if constexpr (!fiber::sanitizer::is_there) return weft_context_switch_plainly(to, pass);
  // Only what weft_context_leave does not refuse: the sanitizers are told before it is asked.
  stander me{};
  if (!find_stander(to, &me) || !may_go_to(me.identity, to) || is_something_carried(me.w))
    return weft_context_switch_elaborately(to, pass);
  keep_side_of(me);
  mem::stack* const from = std::exchange(*me.standing, to->stack);
  const fiber::sanitizer::side there = side_of(me);
  *me.standing = from;
  void* const kept = fiber::sanitizer::leaving(there);
  const weft_context_arrival came = weft_context_switch_plainly(to, pass);
  fiber::sanitizer::arrived(kept);
  return came;
}

void use_up_context(user_context* one) {
  if (is_used_up(one)) refuse(switch_call, used_up);
  use_up(one);
}

void destroy_context(user_context* one) {
  if (is_used_up(one)) refuse(destroy_call, used_up);
  if (one->base_of != nullptr) refuse(destroy_call, "these are the frames of a thread");
  const stander me = stander_for(one->stack, destroy_call);
  use_up(one);
  release_context_stack(me.w, one->stack);
}

}  // namespace weft::sched

extern "C" {

using namespace weft::sched;

bool weft_context_leave(user_context* here, user_context* to, void* pass) {
  worker* const w = local::current_worker();
  if (w == nullptr) [[unlikely]]
    return leave_outside(here, to, pass);
  if (w->current == nullptr || !may_go_to(w->current, to)) [[unlikely]]
    return false;
  if (!carries_two_words(w)) [[unlikely]]
    return leave_carefully(w, here, to, pass);
  return !is_something_in_two_words(w) && leave({&w->standing, w->current, w}, here, to, pass);
}

void weft_context_free(user_context* left) { release_context_stack(local::current_worker(), left->stack); }

// Exceptions that are handled, or in flight, stay with the frames that handle them. With what is
// carried put away, the switch is a plain one.
weft_context_arrival weft_context_switch_elaborately(user_context* to, void* pass) {
  stander me{};
  if (!find_stander(to, &me)) refuse_context_caller(switch_call);
  if (!may_go_to(me.identity, to)) refuse_target(to);
  const put_away carried(me.w);
  const weft_context_arrival came = switch_context(to, pass);
  carried.put_back();
  return came;
}

}  // extern "C"
