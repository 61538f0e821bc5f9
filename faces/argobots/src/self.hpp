// Which unit calls, and what callers do to themselves. Read afresh after whatever may switch.
#pragma once

#include <abt.h>

#include <weft/ext.h>
#include <weft/hot.h>

#include "stream.hpp"
#include "unit.hpp"

namespace weft::abt {

struct caller {
  weft_thread* thread;  // null: an OS thread outside, or a thread that weft.h made
  unit_fields* fields;
  stream* where;
  std::uint32_t kind;  // 0 outside

  bool is_outside() const { return thread == nullptr; }
  bool is_ult() const { return (kind & is_yieldable) != 0; }
};

// Once ABT_init has been called.
inline caller who_calls() {
  weft_thread* const thread = weft_hot_self();
  if (thread == nullptr) return {nullptr, nullptr, nullptr, 0};
  unit_fields* const fields = fields_of(thread);
  const std::uint32_t kind = fields->kind.load(std::memory_order_relaxed);
  if ((kind & is_unit) == 0) [[unlikely]]
    return {nullptr, nullptr, nullptr, 0};
  return {thread, fields, fields->last_stream.load(std::memory_order_relaxed), kind};
}

// Null: outside.
inline stream* calling_stream() {
  const caller me = who_calls();
  return me.is_outside() ? stream_of_callback() : me.where;
}
// At any time.
inline caller who_calls_maybe_early() { return have_fields() ? who_calls() : caller{nullptr, nullptr, nullptr, 0}; }

// ABT_SUCCESS, or what calls answer that are for units, or for ULTs, alone.
inline int need_unit(const caller& me) { return me.is_outside() ? ABT_ERR_INV_XSTREAM : ABT_SUCCESS; }
inline int need_ult(const caller& me) {
  if (me.is_outside()) return ABT_ERR_INV_XSTREAM;
  return me.is_ult() ? ABT_SUCCESS : ABT_ERR_INV_THREAD;
}

// The same of calls that end the caller.
inline int need_end(const caller& me) {
  if (const int error = need_ult(me); error != ABT_SUCCESS) return error;
  return me.fields->is(is_primary) || is_requested(me.fields, is_ending) ? ABT_ERR_INV_THREAD : ABT_SUCCESS;
}

// Any caller: lets another go on, for callers that wait by looking now and then.
void yield_somehow();

// By a ULT. It goes to its pool with context, which user's pools are told, and obeys requests.
void yield_self(const caller& me, ABT_pool_context context);
// Until resume_unit(self). target, which the caller owns, runs instead at once; null: none.
void suspend_self(const caller& me, weft_thread* target, ABT_sync_event_type why = ABT_SYNC_EVENT_TYPE_USER);
// ABT_ERR_THREAD: it is not suspended.
int resume_unit(weft_thread* thread);
// As resume_unit, but the caller then owns the unit as if popped.
int take_suspended(weft_thread* thread);

}  // namespace weft::abt
