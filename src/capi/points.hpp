// Calls that are points of a schedule (seeded/turns.hpp), and refused in some children of fork(2)
// (run/left_behind.hpp). They test their first pointer anyway: where a schedule is in force it is
// below the limit, too, and without one that costs nothing.
#pragma once

#include <weft/weft.h>

#include "arch/limit.hpp"
#include "base/status.hpp"
#include "capi/failing.hpp"
#include "run/left_behind.hpp"
#include "seeded/turns.hpp"
#include "worker/hooks.hpp"

namespace weft::capi {

inline bool is_null_or_point(const void* object) { return arch::is_at_most(object, sched::call_limit); }

template <class Object, class Call>
[[gnu::noinline, gnu::cold]] weft_status call_at_point(const call_errors& of, Object* object, Call call) {
  if (object == nullptr) return refuse_null(of);
  if (!sched::pass_point()) return told(WEFT_UNSUPPORTED, of);
  return static_cast<weft_status>(call(object));
}

// The status of call(object), which tells its failures itself; WEFT_INVALID for null.
template <class Object, class Call>
[[gnu::always_inline]] inline weft_status call_telling(const call_errors& of, Object* object, Call call) {
  if (is_null_or_point(object)) [[unlikely]]
    return call_at_point(of, object, call);
  return static_cast<weft_status>(call(object));
}

// The same of a call that does not.
template <class Object, class Call>
[[gnu::always_inline]] inline weft_status call_on(const call_errors& of, Object* object, Call call) {
  return call_telling(of, object, [&of, call](Object* it) { return told(call(it), of, it); });
}

// For calls whose first pointer is none. False: WEFT_UNSUPPORTED, or nothing to be done where there
// is no status.
inline bool pass_point() {
  if (sched::call_limit.load(base::relaxed) != 0) [[unlikely]]
    return sched::pass_point();
  return true;
}

// Why there is no runtime.
inline weft_status no_runtime() { return sched::is_left_behind() ? WEFT_UNSUPPORTED : WEFT_NOT_INITIALIZED; }
inline weft_status no_runtime(const call_errors& of) { return told(no_runtime(), of); }

}  // namespace weft::capi
