// What Valgrind is told about stacks, and asked. Under other programs and by itself a request is a
// handful of instructions that change nothing, so no build option is needed. The sequences and
// numbers are those of Valgrind's client requests, which are fixed for good.
#pragma once

#include <cstdarg>

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

// Whether one of its tools runs the program: it lacks calls of newer kernels, and says so at
// length.
inline bool is_running() { return request({0x1001}) != 0; }

// Whether Memcheck runs the program: it tells what is defined of a byte.
inline bool is_memcheck() {
  constexpr unsigned long get_vbits = 0x4d430008;
  const unsigned char known = 0;
  unsigned char bits = 0;
  return request({get_vbits, reinterpret_cast<unsigned long>(&known), reinterpret_cast<unsigned long>(&bits), 1}) == 1;
}

// Errors so far, of all OS threads; repeated ones, which are shown once, count each time.
inline unsigned long errors() { return request({0x1201}); }

// Into Valgrind's own report, in the place that it has reached: words for the format.
inline void print(const char* format, ...) {
  va_list words;
  va_start(words, format);
  request({0x1403, reinterpret_cast<unsigned long>(format), reinterpret_cast<unsigned long>(&words)});
  va_end(words);
}

}  // namespace weft::arch::valgrind
