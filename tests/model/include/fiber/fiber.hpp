// The model's fiber/fiber.hpp: a fresh fiber is a plain call on the stack of whoever switches to it, and returns when the real one would
// jump back to where it came from. Nothing else switches in models: ULTs that park are logical threads (ult.hpp).
#pragma once

#include <cstdint>

#include "arch/context.hpp"
#include "explorer/execution.hpp"
#include "fiber/sanitizer.hpp"
#include "mem/stack.hpp"

namespace weft::fiber {

struct context {
  void* sp = nullptr;
};

inline context make(mem::stack* stack, arch::entry_function entry, void* argument) {
  return {arch::make_context(stack->top(), entry, argument)};
}

inline void* switch_to(void**, context to, const sanitizer::side&, void* transfer) {
  const auto* frame = static_cast<const std::uintptr_t*>(to.sp);
  const auto entry = reinterpret_cast<arch::entry_function>(frame[arch::layout::entry_slot]);
  entry(transfer, reinterpret_cast<void*>(frame[arch::layout::argument_slot]));
  return transfer;
}

[[noreturn]] inline void jump_to(context, const sanitizer::side&, void*) {
  explorer::fail("assertion", "a model cannot jump to a fiber");
}

inline void started() {}

}  // namespace weft::fiber
