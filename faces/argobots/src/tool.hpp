// What is told to the callback of ABT_tool_register_thread_callback. Most events are told where the face acts; that a unit waits, and
// that it was woken, is told by the core's event sink, which sees what happens inside Weft's locks and objects too.
#pragma once

#include <abt.h>

#include <atomic>
#include <cstdint>

#include <weft/ext.h>

namespace weft::abt {

struct stream;

[[gnu::visibility("hidden")]] extern std::atomic<std::uint64_t> tool_mask;  // the events that are wanted; 0: no callback

// By the OS thread of a stream before all else.
void enter_stream_for_tools(stream* here);

void call_tool(std::uint64_t event, weft_thread* thread);
inline void tell_tool(std::uint64_t event, weft_thread* thread) {
  if ((tool_mask.load(std::memory_order_relaxed) & event) != 0) [[unlikely]]
    call_tool(event, thread);
}

// Whether any of these is wanted.
inline bool tool_wants(std::uint64_t events) { return (tool_mask.load(std::memory_order_relaxed) & events) != 0; }

// Of the running unit: what its next wait is for. Without a callback nothing is done.
void name_wait(ABT_sync_event_type kind, const void* object);
inline void tell_wait(ABT_sync_event_type kind, const void* object) {
  if (tool_mask.load(std::memory_order_relaxed) != 0) [[unlikely]]
    name_wait(kind, object);
}

}  // namespace weft::abt
