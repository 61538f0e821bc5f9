// weft.h: threads, tasklets, keys; of ext.h, threads with a place.

#define WEFT_YIELD_BY_CALL  // this file defines what is called
#include <weft/ext.h>

#include <cstddef>
#include <cstring>

#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "os/clock.hpp"
#include "os/place.hpp"
#include "run/fork.hpp"
#include "run/yield.hpp"
#include "thread/key.hpp"
#include "thread/thread.hpp"
#include "worker/extras.hpp"
#include "worker/local.hpp"

using namespace weft::capi;
namespace sched = weft::sched;
namespace base = weft::base;
namespace os = weft::os;

namespace {

[[gnu::noinline]] weft_status create(weft_function function, void* argument, const weft_thread_attr* attr, weft_thread** out,
                                     const void* made_at, bool tasklet) {
  if (function == nullptr || (attr != nullptr && attr->size != sizeof *attr)) [[unlikely]]
    return WEFT_INVALID;
  if (!pass_point()) return WEFT_UNSUPPORTED;
  const bool detached = out == nullptr || (attr != nullptr && attr->detached);
  const sched::creation how{function, argument, attr, tasklet, detached, made_at};
  return code(sched::create(how, reinterpret_cast<sched::unit**>(out)));
}

// Whether the thread can be made of these; the runtime and the attributes are looked at later.
bool is_valid(const sched::copying& what, const weft_thread_attr* attr) {
  if (what.function == nullptr || what.size > WEFT_COPY_MAX) return false;
  if (what.from == nullptr && what.fill == nullptr && what.size != 0) return false;
  return attr == nullptr || attr->size == sizeof *attr;
}

[[gnu::noinline]] weft_status create_copied(const sched::copying& what, const weft_thread_attr* attr, weft_thread** out,
                                            const void* made_at) {
  if (!is_valid(what, attr)) return WEFT_INVALID;
  if (!pass_point()) return WEFT_UNSUPPORTED;
  const bool detached = out == nullptr || (attr != nullptr && attr->detached);
  const sched::creation how{nullptr, nullptr, attr, false, detached, made_at};
  return code(sched::create_copied(what, how, false, reinterpret_cast<sched::unit**>(out)));
}

// A function of its own, so that the short way needs no frame.
[[gnu::noinline]] weft_status create_copied_slowly(weft_function function, const void* bytes, size_t size,
                                                   const weft_thread_attr* attr, weft_thread** out, const void* made_at) {
  return create_copied({function, bytes, size}, attr, out, made_at);
}

// Whether the unit is detached, nothing else is special, and the call is no point of a schedule.
bool creates_detached(weft_function function, const weft_thread_attr* attr, weft_thread* const* out) {
  return out == nullptr && attr == nullptr && function != nullptr && sched::call_limit.load(base::relaxed) == 0;
}

}  // namespace

extern "C" {

weft_status weft_thread_create(weft_function function, void* argument, const weft_thread_attr* attr, weft_thread** out) {
  if (attr == nullptr && function != nullptr && !is_null_or_point(out)) [[likely]] {
    return code(sched::create_default(function, argument, sched::is_default, reinterpret_cast<sched::unit**>(out),
                                      __builtin_return_address(0)));
  }
  if (creates_detached(function, attr, out))
    return code(sched::create_detached(function, argument, sched::is_default, __builtin_return_address(0)));
  return create(function, argument, attr, out, __builtin_return_address(0), false);
}

weft_status weft_ext_thread_create_at(weft_function function, void* argument, const weft_thread_attr* attr, weft_thread** out,
                                      const weft_ext_place* place) {
  static_assert(sizeof(weft_ext_place) == sizeof(os::place_record) &&
                offsetof(weft_ext_place, line) == offsetof(os::place_record, line));
  if (attr == nullptr && function != nullptr && !is_null_or_point(out)) [[likely]] {
    return code(sched::create_default(function, argument, sched::is_default, reinterpret_cast<sched::unit**>(out), place));
  }
  return create(function, argument, attr, out, place, false);
}

weft_status weft_thread_create_copy(weft_function function, const void* bytes, size_t size, const weft_thread_attr* attr,
                                    weft_thread** out) {
  const bool is_plain = attr == nullptr && !is_null_or_point(out) && function != nullptr;
  if (is_plain && size <= WEFT_COPY_MAX && bytes != nullptr) [[likely]] {
    return code(
        sched::create_copied_default(function, bytes, size, reinterpret_cast<sched::unit**>(out), __builtin_return_address(0)));
  }
  return create_copied_slowly(function, bytes, size, attr, out, __builtin_return_address(0));
}

weft_status weft_ext_thread_create_filled(weft_function function, size_t size, void (*fill)(void* bytes, void* source),
                                          void* source, const weft_thread_attr* attr, weft_thread** out,
                                          const weft_ext_place* place) {
  if (fill == nullptr) return WEFT_INVALID;
  const void* const made_at = place != nullptr ? static_cast<const void*>(place) : __builtin_return_address(0);
  const sched::copying what{function, nullptr, size, fill, source};
  if (attr == nullptr && function != nullptr && size <= WEFT_COPY_MAX) [[likely]] {
    if (!is_null_or_point(out)) [[likely]]
      return code(sched::create_filled_default(what, reinterpret_cast<sched::unit**>(out), made_at));
    if (creates_detached(function, attr, out)) return code(sched::create_filled_detached(what, made_at));
  }
  return create_copied(what, attr, out, made_at);
}

weft_status weft_tasklet_create(weft_function function, void* argument, const weft_thread_attr* attr, weft_thread** out) {
  if (attr == nullptr && function != nullptr && !is_null_or_point(out)) [[likely]] {
    return code(sched::create_default(function, argument, sched::is_tasklet, reinterpret_cast<sched::unit**>(out),
                                      __builtin_return_address(0)));
  }
  if (creates_detached(function, attr, out))
    return code(sched::create_detached(function, argument, sched::is_tasklet, __builtin_return_address(0)));
  return create(function, argument, attr, out, __builtin_return_address(0), true);
}

weft_status weft_thread_create_many(weft_function function, void* arguments, size_t stride, size_t count,
                                    const weft_thread_attr* attr, weft_thread** out) {
  if (function == nullptr || (attr != nullptr && (attr->size != sizeof *attr || attr->stack != nullptr))) return WEFT_INVALID;
  if (!pass_point()) return WEFT_UNSUPPORTED;
  const bool detached = out == nullptr || (attr != nullptr && attr->detached);
  const sched::creation how{function, arguments, attr, false, detached, __builtin_return_address(0)};
  return code(sched::create_many(how, stride, count, reinterpret_cast<sched::unit**>(out)));
}

weft_status weft_thread_join(weft_thread* thread) {
  return call_on(thread, [](weft_thread* it) { return sched::join(live_unit_if_checked(it, "weft_thread_join"), WEFT_FOREVER); });
}

weft_status weft_thread_join_until(weft_thread* thread, uint64_t deadline_ns) {
  return call_on(thread, [=](weft_thread* it) { return sched::join(live_unit(it, "weft_thread_join_until"), deadline_ns); });
}

weft_status weft_thread_try_join(weft_thread* thread) {
  return call_on(thread, [](weft_thread* it) { return sched::try_join(live_unit(it, "weft_thread_try_join")); });
}

weft_status weft_thread_join_many(weft_thread** threads, size_t count) {
  if (threads == nullptr && count != 0) return WEFT_INVALID;
  weft_status first = WEFT_OK;
  for (size_t index = count; index-- > 0;) {  // the newest first: it may still run right here
    if (threads[index] == nullptr) continue;
    const weft_status result = weft_thread_join(threads[index]);
    if (first == WEFT_OK) first = result;
  }
  return first;
}

weft_status weft_thread_detach(weft_thread* thread) {
  return call_on(thread, [](weft_thread* it) { return sched::detach(live_unit(it, "weft_thread_detach")); });
}

weft_thread* weft_self(void) {
  const sched::worker* w = sched::local::current_worker();
  return w != nullptr ? handle(sched::identity_of(w->current)) : nullptr;
}

uint64_t weft_thread_id(const weft_thread* thread) {
  return thread != nullptr ? sched::id_of(unit_of(const_cast<weft_thread*>(thread))) : 0;
}

weft_thread_state weft_thread_get_state(const weft_thread* thread) {
  if (thread == nullptr) return WEFT_THREAD_ENDED;
  static_cast<void>(pass_point());
  if (sched::join_word::has_ended(unit_of(thread))) return WEFT_THREAD_ENDED;
  switch (unit_of(thread)->state.load(base::relaxed)) {
    case sched::unit_state::ready: return WEFT_THREAD_READY;
    case sched::unit_state::running: return WEFT_THREAD_RUNNING;
    case sched::unit_state::blocked: return WEFT_THREAD_BLOCKED;
    case sched::unit_state::suspended: return WEFT_THREAD_SUSPENDED;
    case sched::unit_state::free: break;
  }
  return WEFT_THREAD_ENDED;
}

bool weft_thread_is_tasklet(const weft_thread* thread) { return thread != nullptr && unit_of(thread)->has(sched::is_tasklet); }

weft_status weft_thread_set_name(weft_thread* thread, const char* name) {
  if (thread == nullptr || name == nullptr) return WEFT_INVALID;
  sched::details* extra = sched::details_of(live_unit(thread, "weft_thread_set_name"));
  if (extra == nullptr) return WEFT_NOMEM;
  std::strncpy(extra->name, name, sched::name_bytes - 1);
  return WEFT_OK;
}

const char* weft_thread_get_name(const weft_thread* thread) {
  if (thread == nullptr || !unit_of(thread)->has(sched::is_known)) return "";
  const sched::details* extra = sched::details_if_any(unit_of(thread));
  return extra != nullptr ? extra->name : "";
}

void weft_yield(void) { sched::yield(); }

weft_status weft_yield_to(weft_thread* next) {
  return call_on(next, [](weft_thread* it) { return sched::yield_to(live_unit_if_checked(it, "weft_yield_to")); });
}

// arch/x86_64/in_place.S calls these: names that the library binds itself.
extern "C" {
[[gnu::alias("weft_yield"), gnu::visibility("hidden"), gnu::used]] void weft_yield_called();
[[gnu::alias("weft_yield_to"), gnu::visibility("hidden"), gnu::used]] weft_status weft_yield_to_called(weft_thread*);
}

weft_status weft_suspend(void) {
  if (!pass_point()) return WEFT_UNSUPPORTED;
  return code(sched::suspend());
}
weft_status weft_resume(weft_thread* thread) {
  return call_on(thread, [](weft_thread* it) { return sched::resume(live_unit(it, "weft_resume")); });
}

weft_status weft_sleep_ns(uint64_t interval_ns) { return weft_sleep_until(weft_deadline_in(interval_ns)); }
weft_status weft_sleep_until(uint64_t deadline_ns) {
  static_cast<void>(pass_point());
  return code(sched::sleep_until(deadline_ns));
}

weft_status weft_pin(int worker) {
  if (!pass_point()) return WEFT_UNSUPPORTED;
  return code(sched::pin(worker));
}

weft_status weft_thread_migrate_to_worker(weft_thread* thread, unsigned worker) {
  return call_on(
      thread, [=](weft_thread* it) { return sched::migrate(live_unit(it, "weft_thread_migrate_to_worker"), nullptr, worker); });
}

weft_status weft_thread_migrate_to_pool(weft_thread* thread, weft_pool* pool) {
  if (!pass_point()) return WEFT_UNSUPPORTED;
  return thread != nullptr && pool != nullptr
             ? code(sched::migrate(live_unit(thread, "weft_thread_migrate_to_pool"), pool_of(pool), 0))
             : WEFT_INVALID;
}

weft_status weft_key_create(void (*destructor)(void* value), weft_key* out) {
  if (sched::is_left_behind()) return WEFT_UNSUPPORTED;
  return out != nullptr ? code(sched::create_key(destructor, out)) : WEFT_INVALID;
}
weft_status weft_key_delete(weft_key key) {
  if (sched::is_left_behind()) return WEFT_UNSUPPORTED;
  return code(sched::delete_key(key));
}
weft_status weft_key_set(weft_key key, void* value) { return code(sched::set_value(key, value)); }
void* weft_key_get(weft_key key) { return sched::get_value(key); }

}  // extern "C"
