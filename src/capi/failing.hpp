// How calls of the C ABI tell what was wrong: weft_last_error(). A call names its failures in one
// `constexpr call_errors`, next to it.
#pragma once

#include <weft/weft.h>

#include "base/failure.hpp"
#include "base/status.hpp"
#include "worker/failure.hpp"

namespace weft::capi {

using sched::call_errors;

// The C status of a call that has returned; a failure is noted.
[[gnu::always_inline]] inline weft_status told(status result, const call_errors& of, const void* object = nullptr,
                                               std::uint64_t value = 0) {
  if (result != status::ok) [[unlikely]]
    return static_cast<weft_status>(sched::tell(result, of, object, value));
  return WEFT_OK;
}
[[gnu::always_inline]] inline weft_status told(weft_status result, const call_errors& of, const void* object = nullptr,
                                               std::uint64_t value = 0) {
  return told(static_cast<status>(result), of, object, value);
}

inline constexpr char no_such_worker[] = "there is no worker %u, or it is being removed";

// WEFT_OK: it is a value of its type.
[[gnu::noinline]] inline weft_status refusal_of_access(const call_errors& of, weft_pool_access access) {
  if (access >= WEFT_POOL_SHARED && access <= WEFT_POOL_PRIVATE) return WEFT_OK;
  return fail(WEFT_INVALID, of.call, "access", "%d is not a value of weft_pool_access", nullptr,
              static_cast<std::uint64_t>(access));
}
[[gnu::noinline]] inline weft_status refusal_of_kind(const call_errors& of, weft_pool_kind kind) {
  if (kind >= WEFT_POOL_FIFO && kind <= WEFT_POOL_DEQUE) return WEFT_OK;
  return fail(WEFT_INVALID, of.call, "kind", "%d is not a value of weft_pool_kind", nullptr, static_cast<std::uint64_t>(kind));
}

[[gnu::cold, gnu::noinline]] inline weft_status refuse_null(const call_errors& of) { return fail_on_null(of.call, of.argument); }

}  // namespace weft::capi
