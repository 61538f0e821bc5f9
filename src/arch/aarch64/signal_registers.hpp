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

// The call of the kernel that a signal may have interrupted. `code` is the next instruction: the
// call itself, if it starts again after the handler. Else `result` may be that of the call.
struct interrupted_call {
  std::uintptr_t code;
  long number;
  long result;
  std::uintptr_t arguments[4];
};

inline interrupted_call call_of_signal(const void* context) {
  const auto& all = static_cast<const ucontext_t*>(context)->uc_mcontext;
  constexpr int number_register = 8;
  return {static_cast<std::uintptr_t>(all.pc),
          static_cast<long>(all.regs[number_register]),
          static_cast<long>(all.regs[0]),
          {all.regs[0], all.regs[1], all.regs[2], all.regs[3]}};
}

// `svc 0`
inline constexpr unsigned char call_instruction[] = {0x01, 0x00, 0x00, 0xd4};

}  // namespace weft::arch
