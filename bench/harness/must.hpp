// For measured code: a Weft call that fails ends the program with its name. A measurement that lost
// a thread is worth nothing, and an exception must not cross a thread's entry.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <weft/weft.h>

namespace bench {

[[noreturn]] inline void fail(weft_status status, const char* call) {
  std::fprintf(stderr, "weft: %s returned %s: %s\n", call, weft_status_name(status), weft_status_text(status));
  std::abort();
}

inline void must(weft_status status, const char* call) {
  if (status != WEFT_OK) [[unlikely]]
    fail(status, call);
}

inline weft_thread* create(weft_function function, void* argument) {
  weft_thread* thread = nullptr;
  must(weft_thread_create(function, argument, nullptr, &thread), "weft_thread_create");
  return thread;
}

inline void join(weft_thread* thread) { must(weft_thread_join(thread), "weft_thread_join"); }

}  // namespace bench
