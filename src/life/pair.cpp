// See pair.hpp.
#include "life/pair.hpp"

#include "arch/user_context.hpp"
#include "base/assert.hpp"
#include "life/stander.hpp"
#include "life/user_context.hpp"

// What arch/x86_64/pair.S knows.
static_assert(offsetof(weft::sched::pair, resumer) == 48 && offsetof(weft::sched::pair, w) == 96);
static_assert(offsetof(weft::sched::pair, self) == 104 && offsetof(weft::sched::pair_frames, stack) == 32);
static_assert(offsetof(weft::sched::worker, current) == 56 && offsetof(weft::sched::worker, standing) == 64);
static_assert(offsetof(weft::sched::worker, two_carried) == 33480);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // of a unit, which has a base
static_assert(offsetof(weft::sched::unit, context) == 40 && offsetof(weft::sched::unit, stack) == 64);
#pragma GCC diagnostic pop

// What it calls.
extern "C" {
[[gnu::visibility("hidden"), gnu::used]] void weft_pair_resume_called(weft::sched::pair* one);
[[gnu::visibility("hidden"), gnu::used]] void weft_pair_suspend_called(weft::sched::pair* one);
}

namespace weft::sched {

namespace {

// As programs know it.
constexpr char switch_call[] = "weft_context_switch";
constexpr char destroy_call[] = "weft_context_destroy";

// The assembly takes the next turn if its caller is the same. The sanitizers must hear of each.
void remember(pair* one, const stander& me) {
  one->w = one;
  if (!fiber::sanitizer::is_there && me.w != nullptr) one->w = me.w;
  one->self = me.identity;
}

void stand_on(const stander& me, const pair_frames& to) {
  if (to.base_of != nullptr && to.base_of != me.identity) [[unlikely]]
    base::panic("%s: these are the frames of another thread, which alone may go on there", switch_call);
  stand_on(me, to.stack, to.base_of);
}

void turn(pair* one, pair_frames* here, pair_frames* there) {
  const stander me = stander_for(one->own, switch_call);
  if (there->at.sp == nullptr) [[unlikely]]
    base::panic("%s: null: the context runs, or has ended", switch_call);
  const pair_frames to = *there;
  mem::stack* const from = *me.standing;
  here->stack = from;
  here->base_of = from != nullptr && from->resumer == me.identity ? nullptr : me.identity;
  keep_side_of(me);
  stand_on(me, to);
  there->at.sp = nullptr;
  remember(one, me);
  const put_away carried(me.w);
  void* const kept = fiber::sanitizer::leaving(side_of(me));
  arch::switch_sides(one, &here->at, &to.at);
  fiber::sanitizer::arrived(kept);
  carried.put_back();
}

// The bottom of the body's stack.
void run_body(void*, void* argument) {
  fiber::started();
  const auto* const me = static_cast<const context_start*>(argument);
  me->function(nullptr, nullptr, me->room);
  base::panic("%s: the body returned", switch_call);
}

}  // namespace

void begin_pair(pair* one, user_context* fresh) {
  mem::stack* const stack = fresh->stack;
  one->body.base_of = nullptr;
  one->resumer.at.sp = nullptr;
  one->self = nullptr;
  one->w = one;
  one->own = stack;
  one->body.stack = stack;
  one->body.at.start(static_cast<void**>(static_cast<void*>(fresh)) + arch::user_frame::words, run_body,
                     const_cast<context_start*>(start_on(stack)));
  use_up_context(fresh);
}

void resume_body(pair* one) { turn(one, &one->resumer, &one->body); }

void suspend_body(pair* one) { turn(one, &one->body, &one->resumer); }

void end_body(pair* one) {
  const stander me = stander_for(one->own, switch_call);
  stand_on(me, one->resumer);
  const put_away nothing_of_its(me.w);
  fiber::sanitizer::leaving_for_good(side_of(me));
  arch::pair_side left;
  arch::switch_sides(one, &left, &one->resumer.at);
  __builtin_unreachable();
}

void destroy_pair(pair* one) {
  const stander me = stander_for(one->own, destroy_call);
  release_context_stack(me.w, one->own);
}

}  // namespace weft::sched

extern "C" {

void weft_pair_resume_called(weft::sched::pair* one) { weft::sched::resume_body(one); }
void weft_pair_suspend_called(weft::sched::pair* one) { weft::sched::suspend_body(one); }

}  // extern "C"
