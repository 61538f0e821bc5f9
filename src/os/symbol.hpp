// Names of code addresses, for reports. Callable from any OS thread; name_code also from a handler
// of SIGSEGV: it allocates nothing and takes no lock but the dynamic linker's.
//
// Tried first: dladdr(3), which knows exported symbols only; so an ordinary program's own functions
// come from the symbol table in its file, if it was not stripped.
#pragma once

#include <cstddef>

#include "os/cxx_name.hpp"

namespace weft::os {

enum class code_place {
  exact,       // of an instruction, such as a function's first
  after_call,  // a return address: the call before it counts
};

// "function", "function+0x12", "library.so+0x1234", or "0x..."; cut to capacity - 1 characters.
void name_code(const void* address, code_place place, char* out, std::size_t capacity);

// The same with readable C++ names. Those that cxx_name.hpp does not know stay as the linker knows
// them where the C++ library's demangler is not asked, which allocates and may need much stack, or
// the program does not bring it along.
enum class spelling {
  short_only,   // as cxx_name.hpp shortens them
  short_first,  // and the others as the C++ library has them
  full_first,   // as the C++ library has them, with parameters and template arguments, or shortened
};
void name_readably(const void* address, code_place place, spelling how, char* out, std::size_t capacity);

// What a thread or fork runs that begins with `function`: of those that the C++ headers start, the
// callable, if it has a name; otherwise, as callable says, "".
callable name_start(const void* function, char* out, std::size_t capacity);

// Looks for the C++ library, for name_current_exception, which may not: a look may allocate, and
// the signal may have come in an allocation.
void find_exceptions();

// The type of the C++ exception that the calling OS thread throws or handles, such as
// "std::runtime_error". False: there is none, or no C++ library was there when it was looked for.
// Callable from a handler of a signal that the caller raised itself.
bool name_current_exception(char* out, std::size_t capacity);

// True: the code there, before which a call returns, is part of the headers of Weft or of the C++
// library, not of what the user wrote.
bool is_header_code(const void* return_address);

// The function in which the callable, a lambda, of such a thread is written; "": it is no lambda,
// or not known.
void name_scope(const void* function, char* out, std::size_t capacity);

}  // namespace weft::os
