// What follows the end of a unit: which waiters go on, and what is freed.
#pragma once

#include <weft/hot.h>

#include "tool.hpp"
#include "unit.hpp"

namespace weft::abt {

void wait_for_unended(weft_thread* thread, wait_name name);
void free_all_fields(weft_thread* thread);

// Waits for the end of a named unit. The caller may be any but the unit.
[[gnu::always_inline]] inline void wait_for_unit(weft_thread* thread, wait_name name) {
  if (!weft_hot_has_ended(thread)) [[unlikely]]
    wait_for_unended(thread, name);
  tell_tool(ABT_TOOL_EVENT_THREAD_JOIN, thread);
}

// Of a unit that has ended, or does so, and whose descriptor goes by itself.
inline void free_fields(weft_thread* thread) {
  tell_tool(ABT_TOOL_EVENT_THREAD_FREE, thread);
  if (fields_of(thread)->is_any(has_belongings | is_pool_scheduler)) [[unlikely]]
    free_all_fields(thread);
}

// After its end was waited for.
inline void free_unit(weft_thread* thread) {
  free_fields(thread);
  static_cast<void>(weft_thread_join(thread));
}

}  // namespace weft::abt
