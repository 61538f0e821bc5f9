// Names of C++ functions, shortened: what the linker knows as _ZN3app4loopIiEEvPKc is `app::loop`,
// without parameters and template arguments; a lambda is `app::loop::{lambda#1}`, the first one of
// that function. For reports, which the C++ library's own demangler cannot serve in a signal
// handler: this one allocates nothing and needs 4 KiB of stack.
#pragma once

#include <cstddef>

namespace weft::os {

// False, and out is "": it is no mangled name, or one of a form that this does not know. Names of
// more than capacity - 1 characters end in "...".
bool read_cxx_name(const char* mangled, char* out, std::size_t capacity);

enum class callable {
  none,           // it is not a function with which the C++ headers start threads
  named,          // by its type: `main::{lambda#2}`, `app::worker`
  pointer,        // a function pointer, which is the thread's argument
  boxed_pointer,  // a function pointer, at which the thread's argument points
  unnamed,        // any other type, such as a function pointer that lies elsewhere
};

// The functions with which weft/thread.hpp and the other C++ headers start threads and forks are
// templates of namespace weft::detail or members of weft::task_group, and what the user wants to be
// called is the first template argument, at whatever depth: of `void
// weft::detail::run_placed<weft::detail::bound_call<X, int>>(void*)` it is X. Where that is a
// lambda of Weft's own, it is the first lambda among the template arguments of the function in
// which that is written. out: the name of X, if it has one.
callable read_cxx_callable(const char* mangled, char* out, std::size_t capacity);

// The function in which that callable, a lambda, is written. False: it is not written in a
// function.
bool read_cxx_scope(const char* mangled, char* out, std::size_t capacity);

}  // namespace weft::os
