// Contexts on stacks: start one, switch, leave one for good; with the sanitizers told.
//
// A fiber is whatever runs on one stack. `transfer` travels to the side that is resumed: the
// scheduler passes the worker, so that no side needs a thread-local after a switch.
#pragma once

#include <cstddef>

#include "arch/context.hpp"
#include "base/config.hpp"
#include "fiber/sanitizer.hpp"
#include "mem/stack.hpp"

namespace weft::fiber {

// A suspended fiber. Copyable only while it is not resumed.
struct context {
  void* sp = nullptr;
};

// Makes a fiber that will run entry(transfer, argument) on stack.
inline context make(mem::stack* stack, arch::entry_function entry, void* argument) {
  sanitizer::renew(stack);
  return {arch::make_context(stack->top(), entry, argument)};
}

// Saves the running fiber's stack pointer into *from and resumes `to`. Returns what the side that
// resumes *from transfers.
[[gnu::always_inline]] inline void* switch_to(void** from, context to, const sanitizer::side& target, void* transfer) {
  void* kept = sanitizer::leaving(target);
  transfer = arch::switch_context(from, to.sp, transfer);
  sanitizer::arrived(kept);
  return transfer;
}

// As switch_to to a fiber that is made on stack.
[[gnu::always_inline]] inline void* start_on(mem::stack* stack, void** from, arch::entry_function entry, void* argument,
                                             void* transfer) {
  sanitizer::renew(stack);
  void* kept = sanitizer::leaving(sanitizer::of(stack));
  transfer = arch::start_context(from, stack->top(), entry, transfer, argument);
  sanitizer::arrived(kept);
  return transfer;
}

// Leaves the running fiber for good and resumes `to`.
[[noreturn, gnu::always_inline]] inline void jump_to(context to, const sanitizer::side& target, void* transfer) {
  sanitizer::leaving_for_good(target);
  arch::jump_context(to.sp, transfer);
}

// First thing on a fresh fiber.
inline void started() { sanitizer::arrived(nullptr); }

}  // namespace weft::fiber
