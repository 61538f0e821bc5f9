// What Valgrind is told about stacks, and asked. Under other programs and by itself a request is a handful of instructions that change
// nothing, so no build option is needed. The sequences and numbers are those of Valgrind's client requests, which are fixed for good.
#pragma once

#if defined(__x86_64__)
#include "arch/x86_64/valgrind.hpp"
#else
#include "arch/aarch64/valgrind.hpp"
#endif

namespace weft::arch::valgrind {

// Valgrind then knows a switch to a stack from a large frame. What to give forget_stack.
inline unsigned long know_stack(const void* low, const void* high) {
  return request({0x1501, reinterpret_cast<unsigned long>(low), reinterpret_cast<unsigned long>(high)});
}
inline void forget_stack(unsigned long id) { request({0x1502, id}); }

}  // namespace weft::arch::valgrind
