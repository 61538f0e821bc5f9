// Logical threads as coroutines of one OS thread. x86-64 has its own switch (an exploration
// switches millions of times, and swapcontext enters the kernel each time); elsewhere ucontext.
#pragma once

#include <cstddef>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace explorer {

class coroutine {
 public:
  coroutine() = default;
  ~coroutine();
  coroutine(const coroutine&) = delete;
  coroutine& operator=(const coroutine&) = delete;

  // The next switch here calls entry on the coroutine's stack, from its top. entry never returns.
  // May be repeated.
  void prepare(void (*entry)());

  // Leaves `from` (whose context is kept in it) for `to`.
  static void jump(coroutine& from, coroutine& to);

 private:
  static constexpr std::size_t stack_bytes = 256 * 1024;
  char* stack_ = nullptr;
#if defined(__x86_64__)
  void* top_ = nullptr;
#else
  ucontext_t context_;
#endif
};

}  // namespace explorer
