// See fibers.hpp.
#include "explorer/fibers.hpp"

#include "explorer/coroutine.hpp"
#include "explorer/execution.hpp"
#include "explorer/frontier.hpp"

extern "C" void __tsan_write8(void* p);

namespace explorer {
namespace {

struct fiber {
  coroutine context;
  const void* stack = nullptr;  // null: a logical thread's own
  fiber_entry entry = nullptr;
  void* argument = nullptr;
  void* transfer = nullptr;
  bool is_stood_on = false;
};

constexpr int most_fibers = 16;
fiber fibers_of_threads[max_threads];
fiber made_fibers[most_fibers];
fiber* standing[max_threads];

fiber& fiber_on(const void* stack) {
  for (fiber& each : made_fibers) {
    if (each.stack == stack || each.stack == nullptr) {
      each.stack = stack;
      return each;
    }
  }
  fail("the model is too large", "raise most_fibers");
}

void begin() {
  const fiber& here = *standing[current_thread()];
  here.entry(here.transfer, here.argument);
  fail("assertion", "a fiber returned");
}

void go_to(coroutine& from, void* to, void* transfer) {
  fiber*& here = standing[current_thread()];
  auto* const next = static_cast<fiber*>(to);
  here->is_stood_on = false;
  if (next->is_stood_on) fail("assertion", "a fiber is resumed on which a thread stands");
  next->is_stood_on = true;
  next->transfer = transfer;
  here = next;
  coroutine::jump(from, next->context);
}

}  // namespace

void reset_fibers() {
  for (fiber& each : made_fibers) each.is_stood_on = false;
  for (int thread = 0; thread < max_threads; ++thread) {
    standing[thread] = &fibers_of_threads[thread];
    fibers_of_threads[thread].is_stood_on = true;
  }
}

void* make_fiber(const void* stack, fiber_entry entry, void* argument) {
  fiber& one = fiber_on(stack);
  if (one.is_stood_on) fail("assertion", "a fiber is made on a stack on which a thread stands");
  one.entry = entry;
  one.argument = argument;
  one.context.prepare(&begin);
  return &one;
}

void* switch_fiber(void** save, void* to, void* transfer) {
  fiber* const here = standing[current_thread()];
  __tsan_write8(save);
  *save = here;
  go_to(here->context, to, transfer);
  return here->transfer;
}

void jump_to_fiber(void* to, void* transfer) {
  go_to(standing[current_thread()]->context, to, transfer);
  __builtin_unreachable();
}

}  // namespace explorer
