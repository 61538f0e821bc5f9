// See pair.hpp.
#include "life/pair.hpp"

#include <cstring>

#include "arch/user_context.hpp"
#include "base/assert.hpp"
#include "life/user_context.hpp"
#include "run/entering.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

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

unit* caller_on(const worker* w, const char* call = switch_call) {
  if (w == nullptr || w->current == nullptr) [[unlikely]]
    refuse_context_caller(call);
  return w->current;
}

// What the C++ run time keeps for the frames that are left, while it is not zero.
class put_away {
 public:
  explicit put_away(const worker* w) : bytes_(carries(w) ? w->rt->carried_bytes : 0) {
    if (bytes_ == 0) return;
    std::memcpy(words_, w->carried, bytes_);
    std::memset(w->carried, 0, bytes_);
  }
  void put_back() const {
    if (bytes_ != 0) std::memcpy(local::current_worker()->carried, words_, bytes_);
  }

 private:
  std::size_t bytes_;
  alignas(16) unsigned char words_[most_carried_bytes];
};

// The assembly takes the next turn if its caller is the same. The sanitizers must hear of each.
void remember(pair* one, const worker* w, const unit* self) {
  if constexpr (!fiber::sanitizer::is_there) one->w = w;
  one->self = self;
}

void stand_on(worker* w, unit* self, const pair_frames& to) {
  if (to.base_of != nullptr && to.base_of != self) [[unlikely]]
    base::panic("%s: these are the frames of another thread, which alone may go on there", switch_call);
  w->standing = to.stack;
  if (self->has_parked()) self->stack = to.stack;
  if (to.base_of == nullptr) to.stack->resumer = self;
}

void turn(pair* one, pair_frames* here, pair_frames* there) {
  worker* const w = local::current_worker();
  unit* const self = caller_on(w);
  if (there->at.sp == nullptr) [[unlikely]]
    base::panic("%s: null: the context runs, or has ended", switch_call);
  const pair_frames to = *there;
  here->stack = w->standing;
  here->base_of = w->standing != nullptr && w->standing->resumer == self ? nullptr : self;
  stand_on(w, self, to);
  there->at.sp = nullptr;
  remember(one, w, self);
  const put_away carried(w);
  void* const kept = fiber::sanitizer::leaving(side_of(w));
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
  worker* const w = local::current_worker();
  stand_on(w, caller_on(w), one->resumer);
  const put_away nothing_of_its(w);
  fiber::sanitizer::leaving_for_good(side_of(w));
  arch::pair_side left;
  arch::switch_sides(one, &left, &one->resumer.at);
  __builtin_unreachable();
}

void destroy_pair(pair* one) {
  worker* const w = local::current_worker();
  static_cast<void>(caller_on(w, destroy_call));
  release_context_stack(w, one->own);
}

}  // namespace weft::sched

extern "C" {

void weft_pair_resume_called(weft::sched::pair* one) { weft::sched::resume_body(one); }
void weft_pair_suspend_called(weft::sched::pair* one) { weft::sched::suspend_body(one); }

}  // extern "C"
