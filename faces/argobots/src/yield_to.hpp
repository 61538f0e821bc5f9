// Yielding to one unit, in few instructions where neither of the two needs more than to change
// places.
#pragma once

#include <weft/ext.h>

#include "pool.hpp"
#include "run_unit.hpp"
#include "self.hpp"
#include "tool.hpp"
#include "unit.hpp"

namespace weft::abt {

void yield_self_to_elaborately(caller me, weft_thread* target, ABT_pool_context context);
// There is no stack for target, which waits for one in its pool.
void yield_instead_of(weft_thread* target);

inline bool need_only_change_places(const unit_fields* mine, const unit_fields* its) {
  return (mine->request.load(std::memory_order_relaxed) | its->request.load(std::memory_order_relaxed)) == 0 &&
         tool_mask.load(std::memory_order_relaxed) == 0 && mine->home->is_built_in() && !its->is(is_primary);
}

// By a ULT. It goes to its pool with context, which user's pools are told, and obeys requests;
// target, which the caller owns, runs instead at once.
[[gnu::always_inline]] inline void yield_self_to(const caller& me, weft_thread* target, ABT_pool_context context) {
  unit_fields* const its = fields_of(target);
  if (!need_only_change_places(me.fields, its)) [[unlikely]]
    return yield_self_to_elaborately(me, target, context);
  its->parent = me.fields->parent;
  its->last_stream.store(me.where, std::memory_order_relaxed);
  if (weft_ext_yield_to_owned(target, comes_as_new(context)) != WEFT_OK) [[unlikely]]
    yield_instead_of(target);
  end_if_cancelled(me.fields);
}

}  // namespace weft::abt
