// Names of code addresses, for reports. Callable from any OS thread; name_code also from a handler of SIGSEGV: it allocates nothing and
// takes no lock but the dynamic linker's.
//
// Tried first: dladdr(3), which knows exported symbols only; so an ordinary program's own functions come from the symbol table in its
// file, if it was not stripped.
#pragma once

#include <cstddef>

namespace weft::os {

enum class code_place {
  exact,       // of an instruction, such as a function's first
  after_call,  // a return address: the call before it counts
};

// "function", "function+0x12", "library.so+0x1234", or "0x..."; cut to capacity - 1 characters.
void name_code(const void* address, code_place place, char* out, std::size_t capacity);

// The C++ name that `out` holds, as in the source, when the program brings the C++ library along. Allocates, and may need much stack.
void demangle(char* out, std::size_t capacity);

}  // namespace weft::os
