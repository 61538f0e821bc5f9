// How units leave their stream and are run: the face's side of the core's dispatch.

#include "dump.hpp"
#include "handle.hpp"
#include "pool.hpp"
#include "run_unit.hpp"
#include "runtime.hpp"
#include "scheduler.hpp"
#include "self.hpp"
#include "stream.hpp"
#include "tool.hpp"
#include "unit.hpp"
#include "yield_to.hpp"

#include <sched.h>

namespace weft::abt {

// ---- leaving ------------------------------------------------------------------------------------

void yield_somehow() {
  const caller me = who_calls_maybe_early();
  if (me.is_ult()) return yield_self(me, ABT_POOL_CONTEXT_OP_THREAD_YIELD_LOOP);
  me.is_outside() ? weft_yield() : static_cast<void>(sched_yield());
}

namespace {

// A unit that yields chooses for its main scheduler: no other scheduler wants to be asked or told.
bool may_choose(const caller& me) {
  const stream* const here = me.where;
  return here->choice != nullptr && me.fields->parent == here->scheduler_thread && tool_mask.load(std::memory_order_relaxed) == 0;
}

bool may_run_on(const stream* here, const unit_fields* what) {
  return !what->is(is_primary) || here->is_primary || !current_runtime()->keeps_primary.load(std::memory_order_relaxed);
}
// Whether an owned unit needs no more than to be entered; what else it needs its scheduler does.
bool is_without_wishes(const stream* here, const unit_fields* what) { return !has_requests(what) && may_run_on(here, what); }
bool can_be_entered(const stream* here, const unit_fields* what) {
  return tool_mask.load(std::memory_order_relaxed) == 0 && is_without_wishes(here, what);
}

void note_entry(unit_fields* what, weft_thread* parent, stream* here) {
  what->parent = parent;
  what->last_stream.store(here, std::memory_order_relaxed);
}

void name_context(unit_fields* mine, ABT_pool_context context) {
  if (!mine->home->is_built_in()) mine->context = context | push_context_is_named;
}

}  // namespace

void put_back(weft_thread* owned) {
  push(fields_of(owned)->home, owned, ABT_POOL_CONTEXT_OP_POOL_OTHER);
  sched_yield();
}

void yield_instead_of(weft_thread* target) {
  put_back(target);
  weft_yield();
}

namespace {

// Goes back into its pool, and target runs instead.
void leave_to(const caller& me, weft_thread* target, ABT_pool_context context) {
  name_context(me.fields, context);
  if (!can_be_entered(me.where, fields_of(target))) [[unlikely]] {
    me.where->next = target;
    return comes_as_new(context) ? weft_ext_yield_as_new() : weft_yield();
  }
  note_entry(fields_of(target), me.fields->parent, me.where);
  if (weft_ext_yield_to_owned(target, comes_as_new(context)) != WEFT_OK) [[unlikely]]
    yield_instead_of(target);
}

bool enter_plainly(void* given, weft_thread* owned) {
  const auto* const me = static_cast<const caller*>(given);
  unit_fields* const what = fields_of(owned);
  if (!is_without_wishes(me->where, what)) return false;
  note_entry(what, me->fields->parent, me->where);
  return true;
}

// Goes back into its pool, and the pool's next one runs. False: it takes more than that.
bool has_left_within_pool(const caller& me) {
  choice_of_units* const choice = me.where->choice;
  if (choice->first != me.fields->home || choice->left == 0) return false;
  --choice->left;
  const weft_status result = weft_ext_yield_in_pool(enter_plainly, const_cast<caller*>(&me));
  if (result == WEFT_OK || result == WEFT_AGAIN) [[likely]]
    return true;
  ++me.where->choice->left;  // the chooser takes it. (To keep `choice` for that would cost all that switch.)
  return false;
}

// Goes back into its pool, and the next one runs, which may be itself.
void leave(const caller& me, ABT_pool_context context) {
  if (may_choose(me)) [[likely]] {
    if (has_left_within_pool(me)) return;
    const chosen next = me.where->choice->choose(me.fields->home);
    if (next.unit != nullptr) return leave_to(me, next.unit, context);
    if (next.is_same) return;
  }
  name_context(me.fields, context);
  weft_yield();
}

// A unit that ends here leaves its place to target, as if it had left; null: to none.
void obey_requests(const caller& me, weft_thread* target) {
  me.where->next = target;
  obey_cancellation(me.fields);
  me.where->next = nullptr;
  obey_migration(me.thread, me.fields);
}

}  // namespace

void yield_self(const caller& me, ABT_pool_context context) {
  tell_tool(ABT_TOOL_EVENT_THREAD_YIELD, me.thread);
  if (has_requests(me.fields)) [[unlikely]]
    obey_requests(me, nullptr);
  leave(me, context);
  end_if_cancelled(me.fields);
}

void yield_self_to_elaborately(caller me, weft_thread* target, ABT_pool_context context) {
  tell_tool(ABT_TOOL_EVENT_THREAD_YIELD, me.thread);
  if (has_requests(me.fields)) [[unlikely]]
    obey_requests(me, target);
  leave_to(me, target, context);
  end_if_cancelled(me.fields);
}

namespace {

bool note_suspended(weft_thread* self, void*) {
  // [Z15] release: the context and the wait are there; pairs with [Z16]
  fields_of(self)->suspended.store(is_suspended, std::memory_order_release);
  return true;
}

// False: it is not suspended.
bool end_suspension(weft_thread* thread) {
  std::uint32_t expected = is_suspended;
  // [Z16] acquire: sees the context and the wait; pairs with [Z15]
  return fields_of(thread)->suspended.compare_exchange_strong(expected, not_suspended, std::memory_order_acquire,
                                                              std::memory_order_relaxed);
}

}  // namespace

void suspend_self(const caller& me, weft_thread* target, ABT_sync_event_type why) {
  obey_migration(me.thread, me.fields);
  me.fields->suspended.store(about_to_suspend, std::memory_order_relaxed);
  me.where->next = target;
  const named_wait as(why, nullptr);
  static_cast<void>(weft_ext_park(note_suspended, nullptr, "ABT_thread_resume"));
  end_if_cancelled(me.fields);
}

int resume_unit(weft_thread* thread) {
  if (!end_suspension(thread)) return ABT_ERR_THREAD;
  weft_ext_unpark(thread);
  return ABT_SUCCESS;
}

int take_suspended(weft_thread* thread) {
  if (!end_suspension(thread)) return ABT_ERR_THREAD;
  weft_ext_unpark_owned(thread);
  return ABT_SUCCESS;
}

// ---- running ------------------------------------------------------------------------------------

namespace {

void hand_to_primary_stream(weft_thread* primary) {
  stream* const one = current_runtime()->primary_stream;
  // [Z17] release: the unit is the other stream's now; pairs with [Z18]
  one->handed.store(primary, std::memory_order_release);
  wake_main_scheduler(one);
}

// What comes before a unit runs. False: it does not, here and now.
bool prepare(weft_thread* self, stream* here, weft_thread* owned) {
  unit_fields* const what = fields_of(owned);
  if (has_requests(what)) [[unlikely]] {
    if (!obey_requests_for(owned)) return false;
  }
  if (!may_run_on(here, what)) [[unlikely]] {
    hand_to_primary_stream(owned);
    return false;
  }
  note_entry(what, self, here);
  if (!is_requested(what, is_cancelled)) tell_tool(ABT_TOOL_EVENT_THREAD_RUN, owned);
  return true;
}

void run_one(weft_thread* self, stream* here, weft_thread* owned) {
  if (!prepare(self, here, owned)) return;
  if (weft_ext_dispatch(owned) != WEFT_OK) [[unlikely]]
    put_back(owned);
}

struct row {
  weft_thread* self;
  stream* here;
};

// Names the next one of a row; one that needs more than to be entered is left to the scheduler's
// own ULT, as the stream's next unit.
weft_thread* next_of_row(void* argument, weft_thread* yielding) {
  const auto* const mine = static_cast<row*>(argument);
  stream* const here = mine->here;
  weft_thread* owned = here->next;
  const pool* const comes_back = yielding != nullptr ? fields_of(yielding)->home : nullptr;
  if (owned == nullptr) owned = here->choice->choose(comes_back).unit;
  if (owned == nullptr) return nullptr;
  const bool is_plain = can_be_entered(here, fields_of(owned));
  here->next = is_plain ? nullptr : owned;
  if (!is_plain) [[unlikely]]
    return nullptr;
  note_entry(fields_of(owned), mine->self, here);
  return owned;
}

// The first of the pool that is looked at before all others needs no more choice.
bool enter_in_row(void* argument, weft_thread* owned) {
  const auto* const mine = static_cast<row*>(argument);
  if (mine->here->next != nullptr || !can_be_entered(mine->here, fields_of(owned))) return false;
  note_entry(fields_of(owned), mine->self, mine->here);
  return true;
}

}  // namespace

void run_units(weft_thread* owned, choice_of_units* choice) {
  row mine{weft_self(), who_calls().where};
  weft_pool* const first = choice->first != nullptr ? choice->first->queue : nullptr;
  const weft_row all{sizeof all, next_of_row, &mine, first, enter_in_row, &choice->left};
  mine.here->choice = choice;
  while (owned != nullptr) {
    if (prepare(mine.self, mine.here, owned) && weft_ext_dispatch_in_turn(owned, &all) != WEFT_OK) put_back(owned);
    owned = mine.here->next;
    mine.here->next = nullptr;
  }
  mine.here->choice = nullptr;
}

void run_named(weft_thread* self, stream* here) {
  do {
    weft_thread* const owned = here->next;
    here->next = nullptr;
    here = fields_of(self)->last_stream.load(std::memory_order_relaxed);
    run_one(self, here, owned);
  } while (here->next != nullptr);
}

void run_unit_elaborately(weft_thread* self, stream* here, weft_thread* owned) {
  run_one(self, here, owned);
  if (here->next != nullptr) run_named(self, here);
}

void run_unit(weft_thread* owned) {
  if (owned == nullptr) return;
  const caller me = who_calls();
  run_unit_elaborately(me.thread, me.where, owned);
}

namespace {

// What was asked of the stream, and a scheduler that runs there has not been told yet.
std::uint32_t requests_to_pass_on(const stream* here, const scheduler* who) {
  const unit_fields* const main = fields_of(here->scheduler_thread);
  std::uint32_t wanted = 0;
  if (is_requested(main, wants_join)) wanted |= stop_when_empty;
  if (is_requested(main, wants_cancel)) wanted |= stop_now;
  return wanted & ~who->requests.load(std::memory_order_relaxed);
}

void pass_on_requests(const stream* here, scheduler* who) {
  if (const std::uint32_t wanted = requests_to_pass_on(here, who); wanted != 0) request(who, wanted);
}

// Which have no pool, so that the worker itself alone looks for them.
void let_threads_of_weft_run(stream* here) {
  constexpr unsigned looks_between_turns = 8;
  if (weft_self() == here->scheduler_thread && ++here->looks % looks_between_turns == 0) weft_yield();
}

}  // namespace

bool has_events(const stream* here, const scheduler* who) {
  if (here->handed.load(std::memory_order_relaxed) != nullptr || is_dump_wanted()) return true;
  return requests_to_pass_on(here, who) != 0;
}

void check_events(stream* here, scheduler* who) {
  static_cast<void>(weft_ext_should_stop());  // timers have their turn
  let_threads_of_weft_run(here);
  if (is_dump_wanted()) take_part_in_dump();
  pass_on_requests(here, who);
  if (here->handed.load(std::memory_order_relaxed) == nullptr) return;
  // [Z18] acquire: the unit is ours; pairs with [Z17]
  run_unit(here->handed.exchange(nullptr, std::memory_order_acquire));
}

}  // namespace weft::abt
