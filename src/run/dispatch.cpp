// See dispatch.hpp. A unit that was dispatched names its scheduler as its parent; a unit that
// leaves its worker next asks that scheduler's row for a sibling, and goes back to the scheduler if
// there is none.
#include "run/dispatch.hpp"

#include "run/choose.hpp"
#include "run/end.hpp"
#include "run/enter.hpp"
#include "run/entering.hpp"
#include "run/fork.hpp"
#include "run/left_behind.hpp"
#include "run/next.hpp"
#include "run/park.hpp"
#include "run/ready.hpp"
#include "run/stack_class.hpp"
#include "unit/pool_record.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// A new unit gets a stack of its own; one more must remain for a unit that parks.
bool bind_stack(worker* w, unit* one) {
  unsigned size_class = 0;
  if (!ensure_stack_for(w, one, &size_class)) return false;
  mem::stack* stack = take_stack(w, size_class);
  if (!w->stacks.ensure_one()) {
    give_stack(w, stack);
    return false;
  }
  if (size_class != mem::default_class) w->has_run_sized = true;
  one->stack = stack;
  one->made_at = one->context.maker();
  return true;
}

[[gnu::noinline]] void end_tasklet_slow(worker* w, unit* self, unit* one) {
  end(w, one);
  if (w->rt->tracer != nullptr) the_hooks.trace_resumed(w, self);
}

// Never fails.
[[gnu::noinline]] status run_tasklet(worker* w, unit* self, unit* one) {
  note(w->rt, WEFT_ON_RUN, one);
  become(w, one);
  run_function(w, one);
  w = local::current_worker();
  if (w == nullptr) [[unlikely]]
    refuse_if_left_behind("the end of a tasklet");
  w->current = self;
  if (one->has(stays_put) || w->rt->tells_events.load(base::relaxed)) [[unlikely]] {
    end_tasklet_slow(w, self, one);
  } else {
    end_unheard(w, one);
  }
  return status::ok;
}

// Of a new unit that needs nothing but to be entered, besides may_be_dispatched.
constexpr unsigned usual_when_new = unsigned{is_default} | unsigned{is_known} | unsigned{ends_noticed};

unsigned what_is_unusual(const unit* fresh) { return fresh->flags.load(base::relaxed) & ~usual_when_new; }

// Whether the running unit can be left for a new one on a stack of the worker's with nothing to
// look after; if so, inside the lock.
bool enters_lock_to_start(worker* w, const unit* one) {
  return !one->has_parked() && !w->is_watched && w->carried == nullptr && w->stacks.has_two() && w->lock.try_enter();
}

}  // namespace

bool begins_to_start(worker* w, const unit* one) {
  return what_is_unusual(one) == may_be_dispatched && enters_lock_to_start(w, one);
}

void start(worker* w, unit* self, unit* one) {
  mem::stack* const stack = w->stacks.take();
  one->stack = stack;
  one->made_at = one->context.maker();
  note(w->rt, WEFT_ON_RUN, one);
  leave_mark(w, self);
  step_over(w, one);
  arrive(static_cast<worker*>(fiber::start_on(stack, self->context.slot(), plain_stack_entry, one, w)));
}

namespace {

[[gnu::noinline]] status start_as_child(worker* w, unit* self, unit* one) {
  one->parent = self;
  start(w, self, one);
  return status::ok;
}

[[gnu::noinline]] status dispatch_slow(worker* w, unit* self, unit* one) {
  if (self->has(is_tasklet)) return tell(status::cannot_block, dispatching);
  if (is_pinned_elsewhere(w, one)) return tell(status::invalid, dispatching, one);
  if (one->has(wants_to_move)) {
    send_home(w, one);
    return status::ok;
  }
  if (has_forks(w)) detach_forks(w);
  if (one->has(is_tasklet)) return run_tasklet(w, self, one);
  if (!one->has_parked() && !one->has(has_own_stack) && !bind_stack(w, one)) return tell(status::nomem, dispatching);
  one->set_parent(self);
  enter(w);
  leave_for(w, self, one);
  return status::ok;
}

}  // namespace

status dispatch(unit* one) {
  worker* w = local::current_worker();
  unit* self = w != nullptr ? w->current : nullptr;
  if (self == nullptr) return tell(status::cannot_block, dispatching);
  if (has_forks(w) || self->has_any(is_tasklet | keeps_fp)) return dispatch_slow(w, self, one);
  const unsigned unusual = what_is_unusual(one);
  if (unusual == may_be_dispatched && enters_lock_to_start(w, one)) return start_as_child(w, self, one);
  return unusual == (may_be_dispatched | is_tasklet) ? run_tasklet(w, self, one) : dispatch_slow(w, self, one);
}

bool can_follow(worker* w, unit* one) {
  if (!may_run_here(w, one, is_tasklet)) [[unlikely]]
    return false;
  return one->stack != nullptr || one->has_parked() || bind_stack(w, one);  // the adopted caller has none
}

void unbind_stack(worker* w, unit* one) {
  if (one->stack == nullptr || one->has_parked() || one->has(has_own_stack)) return;
  give_stack(w, one->stack);
  one->stack = nullptr;
}

void send_home(worker* w, unit* one) {
  unbind_stack(w, one);
  make_ready(w, one, push_reason::moved);
}

// In the frame of dispatch_in_turn.
struct relay {
  const weft_row& row;
  unit* left_over;  // named, but not to be entered without more ado
  bool was_asked_in_vain;
  int left;  // so many units more, at most

  unit* ask(worker* w, unit* yielding) {
    was_asked_in_vain = true;
    const without_identity callback(w);
    return reinterpret_cast<unit*>(row.next(row.state, reinterpret_cast<weft_thread*>(yielding)));
  }
  bool accepts(unit* one) const { return row.accepts(row.state, reinterpret_cast<weft_thread*>(one)); }
};

namespace {

bool has_stack_for(const worker* w, const unit* one) {
  if (one->has_parked() || one->stack != nullptr) return true;
  if (class_of(one) == mem::default_class) return w->stacks.has_two();
  return !w->sized_stacks[class_of(one) - 1].is_empty() && !w->stacks.is_empty();
}

// Takes the first one out of the row's pool, if it only has to be entered.
unit* take_first(worker* w, const relay& named) {
  auto* const from = reinterpret_cast<pool*>(named.row.pool);
  if (from == nullptr || *named.row.left == 0) return nullptr;
  unit* const one = lock_first(w, from);
  if (one == nullptr) return nullptr;
  const bool follows = may_run_here(w, one, is_tasklet) && has_stack_for(w, one) && named.accepts(one);
  if (follows) remove_first(from);
  from->lock.unlock_and_lean_to(w);
  if (!follows) return nullptr;
  --*named.row.left;
  if (!one->has_parked() && one->stack == nullptr) static_cast<void>(bind_stack(w, one));  // see has_stack_for
  return one;
}

// Asks for one; one that needs more than to be entered is left to the scheduler.
unit* name_next(worker* w, relay& named, unit* yielding) {
  unit* const one = named.ask(w, yielding);
  if (one == nullptr || can_follow(w, one)) return one;
  named.left_over = one;
  return nullptr;
}

}  // namespace

unit* next_in_turn(worker* w, unit* scheduler, unit* yielding) {
  relay* const named = scheduler->has(is_fork) ? nullptr : scheduler->relays;
  if (named == nullptr || --named->left <= 0) return scheduler;
  unit* one = take_first(w, *named);
  if (one == nullptr) one = name_next(w, *named, yielding);
  if (one == nullptr) return scheduler;
  named->was_asked_in_vain = false;  // its end may come without another question
  one->set_parent(scheduler);
  return one;
}

namespace {

// Within such a row the worker does not look around.
constexpr int most_units_in_a_row = 256;

status end_long_row() {
  look_around(local::current_worker());
  return status::ok;
}

}  // namespace

status dispatch_in_turn(unit* first, const weft_row& row) {
  if (local::current_unit() == nullptr) return status::cannot_block;
  unit* const self = local::current_unit();
  relay named{row, nullptr, false, most_units_in_a_row};
  for (unit* one = first; one != nullptr;) {
    named.left_over = nullptr;
    named.was_asked_in_vain = false;
    if (!self->has(is_fork)) self->relays = &named;
    const status result = dispatch(one);
    if (!self->has(is_fork)) self->relays = nullptr;
    if (result != status::ok) {
      if (one == first) return result;
      send_home(local::current_worker(), one);
    }
    if (named.left_over == nullptr && --named.left <= 0) return end_long_row();
    one = named.was_asked_in_vain ? named.left_over : named.ask(local::current_worker(), nullptr);
  }
  return status::ok;
}

}  // namespace weft::sched
