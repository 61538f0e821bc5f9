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

}  // namespace weft::arch
