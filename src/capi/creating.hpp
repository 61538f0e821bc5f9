// What calls that make threads tell of their arguments.
#pragma once

#include <weft/ext.h>

#include "capi/failing.hpp"
#include "thread/making.hpp"
#include "thread/thread.hpp"

namespace weft::capi {

inline bool is_of_other_size(const weft_thread_attr* attr) { return attr != nullptr && attr->size != sizeof *attr; }

[[gnu::cold, gnu::noinline]] inline weft_status refuse_size(const call_errors& of, const weft_thread_attr* attr) {
  return fail(WEFT_INVALID, of.call, "attr", is_wrong_size, nullptr, attr->size);
}

// Of bytes and a size; WEFT_OK: they can be copied.
inline weft_status refusal_of_copy(const call_errors& of, const sched::copying& what) {
  if (what.function == nullptr) return refuse_null(of);
  if (what.size > WEFT_COPY_MAX)
    return fail(WEFT_INVALID, of.call, "size", "it is %u; at most 1024 (WEFT_COPY_MAX) are possible", nullptr, what.size);
  static_assert(WEFT_COPY_MAX == 1024);
  if (what.from == nullptr && what.fill == nullptr && what.size != 0)
    return fail(WEFT_INVALID, of.call, "bytes", "it is null, and size is %u", nullptr, what.size);
  return WEFT_OK;
}

// The status of a creation; what was wrong with the attributes, or the place, is told.
[[gnu::cold, gnu::noinline]] weft_status tell_creation(status result, const call_errors& of, const weft_thread_attr* attr);

inline weft_status created(status result, const call_errors& of, const weft_thread_attr* attr) {
  return result == status::ok ? WEFT_OK : tell_creation(result, of, attr);
}

}  // namespace weft::capi
