// What lies on the stack of a user's context (user_context.hpp), which reports read, too.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/context.h>

#include "arch/user_context.hpp"
#include "mem/stack.hpp"

namespace weft::sched {

struct unit;

// The assembly knows it (arch/*/user_context.S).
struct user_context {
  mem::stack* stack;    // null: the adopted caller's
  const unit* base_of;  // whose own frames these are; null: a context's
  void* passed;         // to the side that goes on
  bool has_ended;
  std::uint32_t seal;  // checked builds: made of the address, until the handle is used up; then other frames lie here
};
static_assert(sizeof(user_context) == arch::user_frame::record_bytes);
static_assert(offsetof(user_context, passed) == 16 && offsetof(user_context, has_ended) == 24);

// What the top of a context's stack holds.
struct alignas(16) context_start {
  user_context end;  // of the context that has ended
  weft_context_function function;
  void* room;
  void (*release)(void* room);
  const void* made_at;  // os/place.hpp
};

inline const context_start* start_on(const mem::stack* stack) {
  return reinterpret_cast<const context_start*>(reinterpret_cast<const char*>(stack) - sizeof(context_start));
}

}  // namespace weft::sched
