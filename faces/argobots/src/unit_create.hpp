// Creating and reviving units. Those as most are, in few instructions: no attributes, a built-in
// pool, and a caller gets the handle.
#pragma once

#include "handle.hpp"
#include "pool.hpp"
#include "tool.hpp"
#include "unit.hpp"

namespace weft::abt {

int code_of(weft_status status);

// In a built-in pool; the caller owns it as if popped.
[[gnu::always_inline]] inline int make_plainly(pool* home, unit_function function, void* argument, std::uint32_t kind,
                                               weft_thread** out) {
  static_assert(int{is_yieldable} == WEFT_MAKE_TASKLET && int{is_named} == WEFT_MAKE_DETACHED);
  const unsigned made_as = ~kind & (is_yieldable | is_named);
  const weft_status result = weft_ext_thread_make_in(home->queue, run_bottom, made_as, out);
  if (result != WEFT_OK) [[unlikely]]
    return code_of(result);
  weft_thread* const made = *out;
  unit_fields* const fields = fields_of(made);
  fields->function = function;
  fields->argument = argument;
  fields->home = home;
  fields->unit = built_in_unit(made);
  fields->kind.store(kind | is_unit, std::memory_order_relaxed);
  tell_tool(ABT_TOOL_EVENT_THREAD_CREATE, made);
  return ABT_SUCCESS;
}

// As make_unit.
inline int make_plain_unit(pool* home, unit_function function, void* argument, std::uint32_t kind, weft_thread** out) {
  if (!home->is_built_in()) [[unlikely]]
    return make_unit({function, argument, home, kind}, out);
  return make_plainly(home, function, argument, kind, out);
}

// As create_unit; out may be null.
int create_otherwise(pool* home, unit_function function, void* argument, std::uint32_t kind, ABT_thread* out);

// As create_unit. kind says that a caller gets to know it: *out, which is null in case of an error.
[[gnu::always_inline]] inline int create_named_unit(pool* home, unit_function function, void* argument, std::uint32_t kind,
                                                    ABT_thread* out) {
  if (!home->is_built_in()) [[unlikely]]
    return create_otherwise(home, function, argument, kind, out);
  auto** const made = reinterpret_cast<weft_thread**>(out);
  if (const int error = make_plainly(home, function, argument, kind, made); error != ABT_SUCCESS) [[unlikely]]
    return error;
  push(home, *made, ABT_POOL_CONTEXT_OP_THREAD_CREATE);
  return ABT_SUCCESS;
}

// An ended unit begins anew in `home` (which may be its old one); the caller owns it as if popped.
inline int revive_unit(weft_thread* thread, pool* home, unit_function function, void* argument) {
  unit_fields* const fields = fields_of(thread);
  if (fields->home != home) [[unlikely]] {
    if (const int error = associate(thread, home); error != ABT_SUCCESS) return error;
  }
  if (const weft_status result = weft_ext_thread_revive(thread, run_bottom, thread); result != WEFT_OK) [[unlikely]]
    return code_of(result);
  fields->function = function;
  fields->argument = argument;
  fields->context = 0;
  fields->parent = nullptr;
  fields->last_stream.store(nullptr, std::memory_order_relaxed);
  fields->request.store(0, std::memory_order_relaxed);
  fields->suspended.store(not_suspended, std::memory_order_relaxed);
  fields->wait_kind.store(ABT_SYNC_EVENT_TYPE_UNKNOWN, std::memory_order_relaxed);
  tell_tool(ABT_TOOL_EVENT_THREAD_REVIVE, thread);
  return ABT_SUCCESS;
}

}  // namespace weft::abt
