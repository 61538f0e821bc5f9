#pragma once

#include <cstdint>

#include <ucontext.h>

#include "arch/registers.hpp"

namespace weft::arch {

// Returns the next instruction.
inline std::uintptr_t registers_of_signal(const void* context, registers* out) {
  const auto& all = static_cast<const ucontext_t*>(context)->uc_mcontext;
  for (unsigned number = 0; number < dwarf::stack_pointer; ++number) out->set(number, all.regs[number]);
  out->set(dwarf::stack_pointer, all.sp);
  return all.pc;
}

}  // namespace weft::arch
