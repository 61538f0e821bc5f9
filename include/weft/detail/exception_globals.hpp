// Lets a ULT block, yield and migrate inside a catch block.
//
// The C++ runtime keeps, for each OS thread, the stack of exceptions that are being handled and the
// number of those in flight. Two ULTs that take turns inside their catch blocks would mix them up:
// `throw;` would rethrow the other's. So these bytes are registered with the core, which exchanges
// them at every switch.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <cxxabi.h>

#include <cstddef>

#include <weft/ext.h>

// The Itanium C++ ABI (2.2.2) names this function. Both C++ runtimes of Linux have it, and only
// libstdc++'s <cxxabi.h> declares it.
namespace __cxxabiv1 {
struct __cxa_eh_globals;
extern "C" __cxa_eh_globals* __cxa_get_globals() noexcept;
}  // namespace __cxxabiv1

namespace weft {
namespace detail {

// __cxa_eh_globals is opaque there; the Itanium C++ ABI (2.2.2) fixes its layout.
struct exception_globals {
  void* caught_exceptions;
  unsigned int uncaught_exceptions;
};

inline void* exception_globals_here() { return __cxxabiv1::__cxa_get_globals(); }

}  // namespace detail

// weft::runtime calls this. Call it before weft_init when the runtime is started from C and C++
// threads run in it. Calls after the first do nothing. Errors: what weft_ext_carry reports;
// WEFT_BUSY: another layer has registered state of its own.
inline weft_status carry_exceptions() noexcept {
  static const weft_status status = weft_ext_carry(detail::exception_globals_here, sizeof(detail::exception_globals));
  return status;
}

}  // namespace weft
