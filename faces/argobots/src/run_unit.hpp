// Running one unit.
#pragma once

#include <weft/ext.h>

#include "stream.hpp"
#include "tool.hpp"
#include "unit.hpp"

namespace weft::abt {

// One that cannot run here waits in its pool: without memory for a stack until another unit gives
// one back, pinned elsewhere (weft.h) for its worker.
void put_back(weft_thread* owned);
// Runs the one that was named as the stream's next one, and those that it names.
void run_named(weft_thread* self, stream* here);
void run_unit_elaborately(weft_thread* self, stream* here, weft_thread* owned);

// As run_unit of another than the primary ULT, by a caller that knows what and where it is.
[[gnu::always_inline]] inline void run_unit_by(weft_thread* self, stream* here, weft_thread* owned) {
  unit_fields* const what = fields_of(owned);
  if (has_requests(what) || tool_wants(ABT_TOOL_EVENT_THREAD_RUN)) [[unlikely]]
    return run_unit_elaborately(self, here, owned);
  what->parent = self;
  what->last_stream.store(here, std::memory_order_relaxed);
  if (weft_ext_dispatch(owned) != WEFT_OK) [[unlikely]]
    put_back(owned);
  if (here->next != nullptr) [[unlikely]]
    run_named(self, here);
}

}  // namespace weft::abt
