// What ASan and TSan want to know about a switch. In other builds every function here is empty.
//
// ASan keeps, per fiber, the bounds of its stack and its fake stack; TSan keeps a fiber object per
// stack, made afresh whenever a fiber starts there (frames that were left for good would stay on
// the old one's call stack). An OS thread's own stack is known by TSan's current fiber.
#pragma once

#include <cstddef>

#include "base/config.hpp"
#include "mem/stack.hpp"

extern "C" {
void __sanitizer_start_switch_fiber(void** fake_stack_save, const void* bottom, std::size_t size) __attribute__((weak));
void __sanitizer_finish_switch_fiber(void* fake_stack_save, const void** bottom_old, std::size_t* size_old) __attribute__((weak));
void __asan_unpoison_memory_region(void const volatile* base, std::size_t size) __attribute__((weak));
void* __tsan_get_current_fiber(void) __attribute__((weak));
void* __tsan_create_fiber(unsigned flags) __attribute__((weak));
void __tsan_destroy_fiber(void* fiber) __attribute__((weak));
void __tsan_switch_to_fiber(void* fiber, unsigned flags) __attribute__((weak));
void __tsan_set_fiber_name(void* fiber, const char* name) __attribute__((weak));
}

namespace weft::fiber::sanitizer {

inline constexpr bool is_there = config::address_sanitizer || config::thread_sanitizer;

// The stack that a switch goes to.
struct side {
  const void* low = nullptr;
  std::size_t bytes = 0;
  void* tsan = nullptr;
};

// A stack goes back to the system, or to the user: what lies there next has other frames.
inline void forget(mem::stack* stack) {
  if constexpr (config::address_sanitizer) __asan_unpoison_memory_region(stack->low, stack->usable_bytes());
  if constexpr (config::thread_sanitizer) {
    if (stack->sanitizer != nullptr) __tsan_destroy_fiber(stack->sanitizer);
    stack->sanitizer = nullptr;
  }
}

// A fiber is about to be made on a stack on which nothing runs.
inline void renew(mem::stack* stack) {
  if constexpr (config::thread_sanitizer) {
    forget(stack);
    stack->sanitizer = __tsan_create_fiber(0);
  }
  if constexpr (config::address_sanitizer) __asan_unpoison_memory_region(stack->low, stack->usable_bytes());
}

// The side of a stack of ours.
inline side of(mem::stack* stack) {
  if constexpr (config::thread_sanitizer) {
    return {stack->low, stack->usable_bytes(), stack->sanitizer};
  } else if constexpr (config::address_sanitizer) {
    return {stack->low, stack->usable_bytes(), nullptr};
  } else {
    return {};
  }
}

// The side of the OS thread that calls.
inline side of_os_thread(const void* low, std::size_t bytes) {
  if constexpr (config::thread_sanitizer) {
    return {low, bytes, __tsan_get_current_fiber()};
  } else {
    return {low, bytes, nullptr};
  }
}

[[gnu::always_inline]] inline void* leaving(const side& target) {
  void* kept = nullptr;
  if constexpr (config::address_sanitizer) __sanitizer_start_switch_fiber(&kept, target.low, target.bytes);
  if constexpr (config::thread_sanitizer) __tsan_switch_to_fiber(target.tsan, 0);
  return kept;
}

[[gnu::always_inline]] inline void leaving_for_good(const side& target) {
  if constexpr (config::address_sanitizer) __sanitizer_start_switch_fiber(nullptr, target.low, target.bytes);
  if constexpr (config::thread_sanitizer) __tsan_switch_to_fiber(target.tsan, 0);
}

[[gnu::always_inline]] inline void arrived(void* kept) {
  if constexpr (config::address_sanitizer) __sanitizer_finish_switch_fiber(kept, nullptr, nullptr);
}

// The C library has jumped to the caller, on an OS thread's own stack, over all frames beneath it.
[[gnu::always_inline]] inline void jumped_back_on(const side& here) {
  if constexpr (config::address_sanitizer) {
    const auto* frame = static_cast<const char*>(__builtin_frame_address(0));
    __asan_unpoison_memory_region(here.low, static_cast<std::size_t>(frame - static_cast<const char*>(here.low)));
  }
}

}  // namespace weft::fiber::sanitizer
