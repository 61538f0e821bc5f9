// The queue of an ABT_POOL_RANDWS pool: its owner takes from the head, where new units go; thieves (ABT_POOL_CONTEXT_OWNER_SECONDARY) take
// from the tail, where those go that yielded or woke. Any caller, with or without identity.
#pragma once

#include <cstddef>

#include <abt.h>

#include <weft_abt/atomic.hpp>

#include "spinlock.hpp"
#include "unit.hpp"

namespace weft::abt {

struct stealing_queue {
  spinlock lock;
  weft_thread* first = nullptr;
  weft_thread* last = nullptr;
  atomic<std::size_t> count{0};

  void push(weft_thread* thread, ABT_pool_context context);
  weft_thread* pop(ABT_pool_context context);
  bool remove(weft_thread* thread);
  void walk(void (*each)(void* state, weft_thread* thread), void* state);

 private:
  void link(weft_thread* thread, weft_thread* before, weft_thread* after);
  void unlink(weft_thread* thread);
};

}  // namespace weft::abt
