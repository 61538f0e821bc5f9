// Making, reviving and freeing units.

#include <cstdlib>
#include <new>

#include "environment.hpp"
#include "key.hpp"
#include "pool.hpp"
#include "scheduler.hpp"
#include "self.hpp"
#include "tool.hpp"
#include "unit.hpp"
#include "unit_create.hpp"
#include "unit_end.hpp"
#include "waiting.hpp"

namespace weft::abt {

std::ptrdiff_t distance_to_fields;

ABT_thread_state state_of(const weft_thread* thread) {
  switch (weft_thread_get_state(thread)) {
    case WEFT_THREAD_READY: return ABT_THREAD_STATE_READY;
    case WEFT_THREAD_ENDED: return ABT_THREAD_STATE_TERMINATED;
    case WEFT_THREAD_BLOCKED:
    case WEFT_THREAD_SUSPENDED: break;
    default: return ABT_THREAD_STATE_RUNNING;
  }
  const bool is_leaving = fields_of(thread)->suspended.load(std::memory_order_relaxed) == about_to_suspend;
  return is_leaving ? ABT_THREAD_STATE_RUNNING : ABT_THREAD_STATE_BLOCKED;
}

std::size_t stack_bytes_of(const weft_thread* thread) {
  const unit_fields* const fields = fields_of(thread);
  if (fields->stack_bytes != 0 || !fields->is(is_yieldable) || fields->is(is_primary)) return fields->stack_bytes;
  return current_settings().thread_stack_bytes;
}

placed_stack stack_of(const weft_thread* thread) {
  const std::size_t wanted = stack_bytes_of(thread);
  void* low = nullptr;
  std::size_t bytes = 0;
  weft_ext_thread_stack(thread, &low, &bytes);
  if (low == nullptr || wanted == 0) return {fields_of(thread)->stack, wanted};
  if (low == fields_of(thread)->stack) return {low, wanted};
  if (bytes > wanted) return {static_cast<char*>(low) + (bytes - wanted), wanted};
  return {low, bytes};  // Weft keeps some of it
}

int code_of(weft_status status) {
  switch (status) {
    case WEFT_OK: return ABT_SUCCESS;
    case WEFT_NOMEM: return ABT_ERR_MEM;
    case WEFT_NOT_INITIALIZED: return ABT_ERR_UNINITIALIZED;
    default: return ABT_ERR_OTHER;
  }
}

namespace {

// The core's smallest stack is larger than what Argobots takes: a smaller one is made larger, and
// memory of the user's that is too small for it is left alone.
void choose_stack(const unit_plan& plan, weft_thread_attr* attr) {
  if (plan.stack_bytes == 0 || (plan.kind & is_yieldable) == 0) return;
  const bool is_small = plan.stack_bytes < WEFT_STACK_MIN;
  if (plan.stack == nullptr && plan.stack_bytes == current_settings().thread_stack_bytes) return;
  attr->stack = is_small ? nullptr : plan.stack;
  attr->stack_bytes = is_small ? WEFT_STACK_MIN : plan.stack_bytes;
}

void lay_out(unit_fields* made, const unit_plan& plan) {
  made->function = plan.function;
  made->argument = plan.argument;
  made->runs = plan.runs;
  made->stack = plan.stack;
  made->stack_bytes = plan.stack_bytes;
  made->kind.store(plan.kind | is_unit, std::memory_order_relaxed);
}

}  // namespace

int make_unit(const unit_plan& plan, weft_thread** out) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.detached = (plan.kind & is_named) == 0;
  attr.pool = plan.home->queue;
  choose_stack(plan, &attr);
  weft_thread* made = nullptr;
  const weft_status result = weft_ext_thread_make(run_bottom, nullptr, &attr, (plan.kind & is_yieldable) == 0, &made);
  if (result != WEFT_OK) return code_of(result);
  lay_out(fields_of(made), plan);
  if (const int error = associate_new(made, plan.home); error != ABT_SUCCESS) {
    weft_ext_thread_discard(made);
    return error;
  }
  *out = made;
  tell_tool(ABT_TOOL_EVENT_THREAD_CREATE, made);
  return ABT_SUCCESS;
}

void discard_unit(weft_thread* owned) {
  free_fields(owned);
  weft_ext_thread_discard(owned);
}

int create_unit(const unit_plan& plan, weft_thread** out) {
  weft_thread* made = nullptr;
  const int error = make_unit(plan, &made);
  if (error != ABT_SUCCESS) return error;
  if (out != nullptr) *out = made;  // first: it may end before push returns
  push(plan.home, made, ABT_POOL_CONTEXT_OP_THREAD_CREATE);
  return ABT_SUCCESS;
}

int create_otherwise(pool* home, unit_function function, void* argument, std::uint32_t kind, ABT_thread* out) {
  return create_unit({function, argument, home, kind}, reinterpret_cast<weft_thread**>(out));
}

// Two that wait for one unit: the core takes one, the other one looks now and then.
void wait_for_unended(weft_thread* thread, wait_name name) {
  const named_wait as(name);
  while (wait_anywhere([thread] { return weft_ext_thread_wait(thread); }) == WEFT_BUSY) yield_somehow();
}

void free_all_fields(weft_thread* thread) {
  unit_fields* const fields = fields_of(thread);
  free_values(fields);
  std::free(fields->moving.load(std::memory_order_relaxed));
  if (fields->is(is_pool_scheduler)) end_stacked(fields->runs);
  dissociate(thread);
}

}  // namespace weft::abt
