#include "sched/nested.hpp"

#include "os/fence.hpp"
#include "sched/blame.hpp"
#include "sched/dispatch.hpp"
#include "sched/entering.hpp"
#include "sched/fork.hpp"
#include "sched/left_behind.hpp"
#include "sched/local.hpp"
#include "sched/pool.hpp"
#include "sched/ready.hpp"
#include "sched/runtime.hpp"
#include "sched/thread.hpp"
#include "sched/tracing.hpp"
#include "sched/waiter.hpp"
#include "sched/worker.hpp"

namespace weft::sched {

namespace {

// A new unit gets a stack of its own; one more must remain for whoever parks.
bool bind_stack(worker* w, unit* one) {
  if (!w->stacks.ensure_one()) return false;
  mem::stack* stack = w->stacks.take();
  if (!w->stacks.ensure_one()) {
    w->stacks.give(stack);
    return false;
  }
  one->stack = stack;
  one->made_at = one->context.maker();
  return true;
}

[[gnu::noinline]] void end_tasklet_elaborately(worker* w, unit* self, unit* one) {
  end(w, one);
  trace_resumed(w, self);
}

// Never fails.
[[gnu::noinline]] status run_tasklet(worker* w, unit* self, unit* one) {
  note(w->rt, WEFT_ON_RUN, one);
  become(w, one);
  if constexpr (fiber::sanitizer::is_there) name_in_race_reports(w, one);
  one->function(one->argument);
  note_return();
  w = local::current_worker();
  if (w == nullptr) [[unlikely]]
    refuse_if_left_behind("the end of a tasklet");
  w->current = self;
  if (one->has(stays_put) || w->rt->tells_events.load(base::relaxed)) [[unlikely]] {
    end_tasklet_elaborately(w, self, one);
  } else {
    end_unheard(w, one);
  }
  return status::ok;
}

// Of a new unit that needs nothing but to be entered.
constexpr unsigned usual_when_new = unsigned{is_default} | unsigned{is_known} | unsigned{ends_noticed};

// Whether the running unit can be left for a new one on a stack of the worker's with nothing to look after, and if so enters the lock.
bool begins_to_start(worker* w, const unit* one) {
  return !one->has_parked() && !w->is_watched && w->carried == nullptr && w->stacks.has_two() && w->lock.try_enter();
}

// Inside the lock.
[[gnu::noinline]] status start(worker* w, unit* self, unit* one) {
  mem::stack* const stack = w->stacks.take();
  one->stack = stack;
  one->made_at = one->context.maker();
  one->parent = self;
  note(w->rt, WEFT_ON_RUN, one);
  leave_mark(w, self);
  step_over(w, one);
  arrive(static_cast<worker*>(fiber::start_on(stack, self->context.slot(), plain_stack_entry, one, w)));
  return status::ok;
}

[[gnu::noinline]] status dispatch_elaborately(worker* w, unit* self, unit* one) {
  if (self->has(is_tasklet)) return status::cannot_block;
  if (one->has(stays_put) && one->home_worker != w->index) return status::invalid;
  if (one->has(wants_to_move)) {
    make_ready(w, one, push_reason::moved);
    return status::ok;
  }
  if (has_forks(w)) detach_forks(w);
  if (one->has(is_tasklet)) return run_tasklet(w, self, one);
  if (!one->has_parked() && !one->has(has_own_stack) && !bind_stack(w, one)) return status::nomem;
  one->set_parent(self);
  enter(w);
  leave_for(w, self, one);
  return status::ok;
}

struct watch : base::list_link {
  waiter me{"work in a pool", nullptr};
  pool* const* pools;
  std::size_t count;

  bool has_work() const {
    for (std::size_t index = 0; index < count; ++index) {
      if (ready_units(pools[index]) != 0) return true;
    }
    return false;
  }
  bool watches(const pool* one) const {
    for (std::size_t index = 0; index < count; ++index) {
      if (pools[index] == one) return true;
    }
    return false;
  }
  void count_in_pools(unsigned change) const {
    for (std::size_t index = 0; index < count; ++index) pools[index]->watch_count.fetch_add(change, base::relaxed);
  }
};

constexpr unsigned one_more = 1;
constexpr unsigned one_less = ~0u;

// Inside the lock, as take_watch.
void remove_watch(runtime* rt, watch* one) {
  rt->watches.remove(one);
  one->count_in_pools(one_less);
}

unit* take_watch(runtime* rt, watch* one) {
  remove_watch(rt, one);
  return take_to_wake(&one->me);
}

bool is_over(runtime* rt) { return rt->is_stopping.load(base::relaxed) || rt->is_draining.load(base::relaxed); }

// Chained by next.
template <class Predicate>
unit* take_those(runtime* rt, Predicate wanted) {
  const queue::guard hold(rt->watch_lock);
  unit* chain = nullptr;
  watch* one = static_cast<watch*>(rt->watches.front());
  while (one != nullptr) {
    watch* next = static_cast<watch*>(rt->watches.after(one));
    if (unit* who = wanted(one) ? take_watch(rt, one) : nullptr; who != nullptr) {
      who->next = chain;
      chain = who;
    }
    one = next;
  }
  return chain;
}

// Outside the lock: a scheduler that becomes ready in a pool is work for those who watch that pool.
template <class Predicate>
void wake_those(runtime* rt, Predicate wanted) {
  unit* chain = take_those(rt, wanted);
  while (chain != nullptr) {
    unit* one = chain;
    chain = static_cast<unit*>(one->next);
    one->next = nullptr;
    make_ready(local::current_worker(), one, push_reason::woken);
  }
}

}  // namespace

status dispatch(unit* one) {
  worker* w = local::current_worker();
  unit* self = w != nullptr ? w->current : nullptr;
  if (self == nullptr) return status::cannot_block;
  if (has_forks(w) || self->has_any(is_tasklet | keeps_fp)) return dispatch_elaborately(w, self, one);
  const unsigned unusual = one->flags.load(base::relaxed) & ~usual_when_new;
  if (unusual == may_be_dispatched && begins_to_start(w, one)) return start(w, self, one);
  return unusual == (may_be_dispatched | is_tasklet) ? run_tasklet(w, self, one) : dispatch_elaborately(w, self, one);
}

// In the frame of dispatch_in_turn.
struct relay {
  choice_of_next next;
  void* state;
  unit* left_over;  // named, but not to be entered without more ado
  bool was_asked;

  unit* ask(worker* w, unit* yielding) {
    was_asked = true;
    const without_identity callback(w);
    return reinterpret_cast<unit*>(next(state, reinterpret_cast<weft_thread*>(yielding)));
  }
};

bool can_follow(worker* w, unit* one) {
  if (one->has_any(is_tasklet | wants_to_move | stays_put)) [[unlikely]] {
    if (!one->has(stays_put) || one->home_worker != w->index || one->has_any(is_tasklet | wants_to_move)) return false;
  }
  return one->stack != nullptr || one->has_parked() || bind_stack(w, one);  // the adopted caller has none
}

namespace {

// Of one that was named, but could not be entered: it goes home.
void put_back(unit* one) { make_ready(local::current_worker(), one, push_reason::moved); }

}  // namespace

unit* next_in_turn(worker* w, unit* scheduler, unit* yielding) {
  relay* const named = scheduler->has(is_fork) ? nullptr : scheduler->relays;
  if (named == nullptr) return scheduler;
  unit* const one = named->ask(w, yielding);
  if (one == nullptr) return scheduler;
  if (!can_follow(w, one)) {
    named->left_over = one;
    return scheduler;
  }
  named->was_asked = false;  // its end may come without another question
  one->set_parent(scheduler);
  return one;
}

status dispatch_in_turn(unit* first, choice_of_next next, void* state) {
  if (local::current_unit() == nullptr) return status::cannot_block;
  unit* const self = local::current_unit();
  relay named{next, state, nullptr, false};
  for (unit* one = first; one != nullptr;) {
    named.left_over = nullptr;
    named.was_asked = false;
    if (!self->has(is_fork)) self->relays = &named;
    const status result = dispatch(one);
    if (!self->has(is_fork)) self->relays = nullptr;
    if (result != status::ok) {
      if (one == first) return result;
      put_back(one);
    }
    one = named.was_asked ? named.left_over : named.ask(local::current_worker(), nullptr);
  }
  return status::ok;
}

bool should_stop() {
  worker* w = local::current_worker();
  if (w == nullptr) return true;
  look_around(w);
  return is_over(w->rt) || w->must_end.load(base::relaxed);
}

status wait_for_work(pool* const* pools, std::size_t count, std::uint64_t deadline_ns, bool (*is_wanted)(void*), void* argument) {
  if (!may_block()) return status::cannot_block;
  runtime* rt = local::current_runtime();
  if (rt == nullptr) return status::not_initialized;
  watch mine;
  mine.pools = pools;
  mine.count = count;
  mine.me.deadline_ns = deadline_ns;
  rt->watch_lock.lock();
  mine.count_in_pools(one_more);
  // [I10] heavy fence: watching before the last look; pairs with [I9]
  os::heavy_fence();
  if (mine.has_work() || is_over(rt) || (is_wanted != nullptr && is_wanted(argument))) {
    mine.count_in_pools(one_less);
    rt->watch_lock.unlock();
    return status::ok;
  }
  rt->watches.push_back(&mine);
  if (wait(&mine.me, &rt->watch_lock) == wait_result::woken) return status::ok;
  const queue::guard hold(rt->watch_lock);
  if (mine.is_linked()) remove_watch(rt, &mine);
  return status::timeout;
}

void tell_watchers(runtime* rt, const pool* changed) {
  wake_those(rt, [changed](const watch* one) { return one->watches(changed); });
}

void tell_all_watchers(runtime* rt) {
  wake_those(rt, [](const watch*) { return true; });
}

}  // namespace weft::sched
