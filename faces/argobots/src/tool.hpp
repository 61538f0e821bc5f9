// What is told to the callback of ABT_tool_register_thread_callback. Most events are told where the
// face acts; that a unit waits, and that it was woken, is told by the core's event sink, which sees
// what happens inside Weft's locks and objects too.
#pragma once

#include <abt.h>

#include <cstdint>

#include <weft/ext.h>
#include <weft_abt/atomic.hpp>

namespace weft::abt {

struct stream;

[[gnu::visibility("hidden")]] extern atomic<std::uint64_t> tool_mask;  // the events that are wanted; 0: no callback

// By the OS thread of a stream before all else.
void enter_stream_for_tools(stream* here);

void call_tool(std::uint64_t event, weft_thread* thread);
inline void tell_tool(std::uint64_t event, weft_thread* thread) {
  if ((tool_mask.load(std::memory_order_relaxed) & event) != 0) [[unlikely]]
    call_tool(event, thread);
}

// Whether any of these is wanted.
inline bool tool_wants(std::uint64_t events) { return (tool_mask.load(std::memory_order_relaxed) & events) != 0; }

struct wait_name {
  std::uint32_t kind;  // ABT_sync_event_type
  const void* object;
};

// Of the running unit: what its waits are for. What they were for before.
wait_name name_wait(wait_name name);

// The same for as long as it lives. Without a callback nothing is done.
class named_wait {
 public:
  named_wait(ABT_sync_event_type kind, const void* object) : named_wait(wait_name{kind, object}) {}
  explicit named_wait(wait_name name) : is_named_(tool_mask.load(std::memory_order_relaxed) != 0) {
    if (is_named_) [[unlikely]]
      before_ = name_wait(name);
  }
  ~named_wait() {
    if (is_named_) [[unlikely]]
      name_wait(before_);
  }
  named_wait(const named_wait&) = delete;
  named_wait& operator=(const named_wait&) = delete;

 private:
  const bool is_named_;
  wait_name before_{};
};

}  // namespace weft::abt
