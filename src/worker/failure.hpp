// What weft_last_error() tells: the failure of the last call of a ULT, of a tasklet, or of an OS
// thread outside, in a record of its own (base/failure.hpp). Written on failure alone, by the
// caller itself, so that no call that succeeds looks at it.
//
// The record of a unit hangs on its details and so moves with it; that of an OS thread outside lies
// in its record (local.hpp). Without memory for them, in callbacks and in signal handlers one of a
// few spare records is used (docs/decisions/0082-last-error.md).
//
// A call that is no tail call names its failures itself, by tell() after the call:
// capi/failing.hpp. What is a tail call, so that the call costs no frame, is named where it fails.
// A layer that knows more than its status says leaves the cause by because().
#pragma once

#include <cstdint>

#include "base/failure.hpp"
#include "base/status.hpp"

namespace weft::sched {

// Why a call returns a status. argument null: the cause is no argument's.
struct reason {
  const char* argument = nullptr;
  const char* cause = nullptr;  // null: what because() says, or else what the status means everywhere
};

// Of one call: the argument that must not be null, and what its statuses mean.
struct call_errors {
  const char* call;
  const char* argument = nullptr;
  reason invalid{};
  reason busy{};
  reason again{};
  reason not_owner{};
  reason deadlock{};
  reason ended{};
};

inline constexpr char was_dropped_at_the_end[] = "weft_finalize_with(WEFT_DROP) dropped the thread";
inline constexpr char is_pinned_to_another[] = "it is pinned to another worker";

// Notes the failure of a call, unless the result is no failure; returns the result. object: the
// argument, if its value is an address. value: for the cause.
[[gnu::cold, gnu::noinline]] status tell(status result, const call_errors& of, const void* object = nullptr,
                                         std::uint64_t value = 0);
// Of a failure that was noted already: under the name of the call that the program made. Returns
// the result.
[[gnu::cold, gnu::noinline]] status rename(status result, const call_errors& of);
// In a signal handler, where memory cannot be allocated.
[[gnu::cold, gnu::noinline]] void tell_in_handler(status result, const call_errors& of, const void* object, std::uint64_t value);

// For the next tell() of the caller with the same result. Returns the result.
[[gnu::cold, gnu::noinline]] status because(status result, const char* argument, const char* cause, std::uint64_t value = 0);

const char* last_error();

// When a runtime starts, whose units have the ids of an earlier one's.
void forget_failures_of_units();

}  // namespace weft::sched
