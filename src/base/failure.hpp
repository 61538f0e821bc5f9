// What the last failed call of a ULT or an OS thread has left: words that never go away, and one
// number. The text is made of them only when a program asks for it.
//
// weft_last_error() (include/weft/base.h) says what programs see. libweft keeps the records as
// worker/failure.hpp says; libweft-dist keeps its own (dist/life/core.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/base.h>

namespace weft {

// Static texts. A cause may have one %u, %d or %p, which stands for the value.
struct failure {
  static constexpr std::size_t text_bytes = 176;

  const char* call = nullptr;  // null: no call has failed
  const char* argument = nullptr;
  const char* cause = nullptr;
  const void* object = nullptr;  // where the argument points to, or null
  std::uint64_t value = 0;
  char text[text_bytes] = {};

  // What a lower layer knows of a failure that its caller has not named yet.
  struct {
    weft_status result = WEFT_OK;  // WEFT_OK: nothing
    const char* argument = nullptr;
    const char* cause = nullptr;
    std::uint64_t value = 0;
  } beneath;

  // A sentence such as "weft_thread_detach: argument thread (0x7f...): it is detached".
  const char* write_text();
};

inline constexpr char is_null[] = "it is null";
inline constexpr char is_wrong_size[] = "its size is %u, which is not that of this library: use its initialiser";

// Notes the failure of a call; returns its status. Each library defines it.
[[gnu::cold, gnu::noinline]] weft_status fail(weft_status result, const char* call, const char* argument, const char* cause,
                                              const void* object = nullptr, std::uint64_t value = 0);

// The caller's last failure, if any, is told under the name of this call. Each library defines it.
void rename_failure(const char* call);

inline weft_status fail_on_null(const char* call, const char* argument) { return fail(WEFT_INVALID, call, argument, is_null); }

}  // namespace weft
