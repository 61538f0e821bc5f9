#pragma once

#include <cstdint>

#include <ucontext.h>

#include "arch/registers.hpp"

namespace weft::arch {

// Returns the next instruction.
inline std::uintptr_t registers_of_signal(const void* context, registers* out) {
  constexpr int in_order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  const auto& all = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  unsigned number = 0;
  for (const int which : in_order) out->set(number++, static_cast<std::uintptr_t>(all[which]));
  return static_cast<std::uintptr_t>(all[REG_RIP]);
}

// The call of the kernel that a signal may have interrupted. `code` is the next instruction: the
// call itself, if it starts again after the handler. Else `result` may be that of the call.
struct interrupted_call {
  std::uintptr_t code;
  long number;
  long result;
  std::uintptr_t arguments[4];
};

inline interrupted_call call_of_signal(const void* context) {
  const auto& all = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  const auto word = [&all](int which) { return static_cast<std::uintptr_t>(all[which]); };
  return {word(REG_RIP),
          static_cast<long>(all[REG_RAX]),
          static_cast<long>(all[REG_RAX]),
          {word(REG_RDI), word(REG_RSI), word(REG_RDX), word(REG_R10)}};
}

// `syscall`
inline constexpr unsigned char call_instruction[] = {0x0f, 0x05};

}  // namespace weft::arch
