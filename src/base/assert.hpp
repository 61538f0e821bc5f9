// Checks and last words. WEFT_ALWAYS holds in every build; WEFT_ASSERT names misuse in checked
// builds and costs nothing elsewhere.
//
// Everything here may be called from any OS thread, from a ULT, and from a signal handler: it
// allocates nothing, takes no lock, and a message is one write(2), so that lines of several
// processes do not mix.
#pragma once

#include "base/config.hpp"

namespace weft::base {

// Writes "weft: fatal: ..." and aborts. Formats integers, pointers and strings only (a signal
// handler may call it).
[[noreturn]] void panic(const char* format, ...) __attribute__((format(printf, 1, 2), cold));

// Writes "weft: ..." as one line; the newline is added here.
void report(const char* format, ...) __attribute__((format(printf, 1, 2), cold));

[[noreturn]] void check_failed(const char* condition, const char* message, const char* file, int line) __attribute__((cold));

}  // namespace weft::base

// Macros for what only they can do: the text of the condition, and the place.
#define WEFT_ALWAYS(condition, message)                                    \
  do {                                                                     \
    if (!(condition)) [[unlikely]]                                         \
      ::weft::base::check_failed(#condition, message, __FILE__, __LINE__); \
  } while (false)

#define WEFT_ASSERT(condition, message)                                     \
  do {                                                                      \
    if constexpr (::weft::config::checked) WEFT_ALWAYS(condition, message); \
  } while (false)
