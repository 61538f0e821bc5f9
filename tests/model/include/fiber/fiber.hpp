// The model's fiber/fiber.hpp. In most models a fresh fiber is a plain call on the stack of the
// thread that switches to it, and returns when the real one would jump back to where it came from:
// ULTs that park are logical threads there (ult.hpp). A model that sets switches_are_real has
// fibers that are left and resumed, on any worker: explorer/fibers.hpp.
#pragma once

#include <cstdint>

#include "arch/context.hpp"
#include "explorer/execution.hpp"
#include "explorer/fibers.hpp"
#include "fiber/sanitizer.hpp"
#include "mem/stack.hpp"

namespace weft::fiber {

inline bool switches_are_real = false;

struct context {
  void* sp = nullptr;
};

inline context make(mem::stack* stack, arch::entry_function entry, void* argument) {
  if (switches_are_real) return {explorer::make_fiber(stack, entry, argument)};
  return {arch::make_context(stack->top(), entry, argument)};
}

inline void* switch_to(void** from, context to, const sanitizer::side&, void* transfer) {
  if (switches_are_real) return explorer::switch_fiber(from, to.sp, transfer);
  const auto* frame = static_cast<const std::uintptr_t*>(to.sp);
  const auto entry = reinterpret_cast<arch::entry_function>(frame[arch::layout::entry_slot]);
  entry(transfer, reinterpret_cast<void*>(frame[arch::layout::argument_slot]));
  return transfer;
}

[[noreturn]] inline void jump_to(context to, const sanitizer::side&, void* transfer) {
  if (switches_are_real) explorer::jump_to_fiber(to.sp, transfer);
  explorer::fail("assertion", "a model cannot jump to a fiber");
}

inline void started() {}

}  // namespace weft::fiber
