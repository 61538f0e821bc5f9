// See coroutine.hpp. Stacks come from operator new, since models over a face have malloc of their own.
#include "explorer/coroutine.hpp"

#include <new>

#if defined(__x86_64__)

extern "C" void explorer_jump(void** save, void* load);

asm(R"(
  .text
  .globl explorer_jump
  .type explorer_jump, @function
explorer_jump:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
  .size explorer_jump, .-explorer_jump
)");

namespace explorer {

void coroutine::prepare(void (*entry)()) {
  if (stack_ == nullptr) stack_ = static_cast<char*>(::operator new(stack_bytes));
  constexpr int saved_registers = 6;
  void** top = reinterpret_cast<void**>(stack_ + stack_bytes);
  *--top = nullptr;  // the return address that entry would have, and the alignment that a call gives
  *--top = reinterpret_cast<void*>(entry);
  for (int i = 0; i < saved_registers; ++i) *--top = nullptr;
  top_ = top;
}

void coroutine::jump(coroutine& from, coroutine& to) { explorer_jump(&from.top_, to.top_); }

}  // namespace explorer

#else

namespace explorer {

void coroutine::prepare(void (*entry)()) {
  if (stack_ == nullptr) stack_ = static_cast<char*>(::operator new(stack_bytes));
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_;
  context_.uc_stack.ss_size = stack_bytes;
  context_.uc_link = nullptr;
  makecontext(&context_, entry, 0);
}

void coroutine::jump(coroutine& from, coroutine& to) { swapcontext(&from.context_, &to.context_); }

}  // namespace explorer

#endif

explorer::coroutine::~coroutine() { ::operator delete(stack_); }
