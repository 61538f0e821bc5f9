// Creating units as most are, in few instructions: no attributes, a built-in pool.
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
  const weft_status result = weft_ext_thread_make_in(home->queue, run_bottom, nullptr, made_as, out);
  if (result != WEFT_OK) [[unlikely]]
    return code_of(result);
  unit_fields* const fields = fields_of(*out);
  fields->function = function;
  fields->argument = argument;
  fields->home = home;
  fields->unit = built_in_unit(*out);
  fields->kind.store(kind | is_unit, std::memory_order_relaxed);
  tell_tool(ABT_TOOL_EVENT_THREAD_CREATE, *out);
  return ABT_SUCCESS;
}

// As make_unit.
inline int make_plain_unit(pool* home, unit_function function, void* argument, std::uint32_t kind, weft_thread** out) {
  if (!home->is_built_in()) [[unlikely]]
    return make_unit({function, argument, home, kind}, out);
  return make_plainly(home, function, argument, kind, out);
}

int create_otherwise(pool* home, unit_function function, void* argument, std::uint32_t kind, ABT_thread* out);

// As create_unit. out null: nobody gets to know it, and kind says so.
[[gnu::always_inline]] inline int create_plain_unit(pool* home, unit_function function, void* argument, std::uint32_t kind,
                                                    ABT_thread* out) {
  if (!home->is_built_in()) [[unlikely]]
    return create_otherwise(home, function, argument, kind, out);
  weft_thread* made;
  if (const int error = make_plainly(home, function, argument, kind, &made); error != ABT_SUCCESS) [[unlikely]]
    return error;
  if (out != nullptr) *out = handle_of(made);  // first: it may end before push returns
  push(home, made, ABT_POOL_CONTEXT_OP_THREAD_CREATE);
  return ABT_SUCCESS;
}

}  // namespace weft::abt
