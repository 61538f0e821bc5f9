// weft.h: threads, tasklets, keys; of ext.h, threads with a place.

#define WEFT_YIELD_BY_CALL  // this file defines what is called
#include <weft/ext.h>

#include <cstddef>
#include <cstring>

#include "capi/creating.hpp"
#include "capi/failing.hpp"
#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "os/clock.hpp"
#include "os/place.hpp"
#include "run/fork.hpp"
#include "run/yield.hpp"
#include "thread/calls.hpp"
#include "thread/key.hpp"
#include "thread/thread.hpp"
#include "worker/extras.hpp"
#include "worker/local.hpp"
#include "worker/outlived.hpp"

using namespace weft::capi;
namespace sched = weft::sched;
namespace base = weft::base;
namespace os = weft::os;

namespace {

constexpr call_errors many_creation{"weft_thread_create_many", "function"};

// What is wrong with the creation is looked for once it has failed: no name is handed over.
[[gnu::noinline]] weft_status create(weft_function function, void* argument, const weft_thread_attr* attr, weft_thread** out,
                                     const void* made_at, bool tasklet) {
  const auto of = [&]() -> const call_errors& {
    return sched::call_that_makes(tasklet ? sched::is_tasklet : sched::is_default, made_at);
  };
  if (function == nullptr) return refuse_null(of());
  if (is_of_other_size(attr)) return refuse_size(of(), attr);
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of());
  const bool detached = out == nullptr || (attr != nullptr && attr->detached);
  const sched::creation how{function, argument, attr, tasklet, detached, made_at};
  const weft::status result = sched::create(how, reinterpret_cast<sched::unit**>(out));
  return result == weft::status::ok ? WEFT_OK : tell_creation(result, of(), attr);
}

[[gnu::noinline]] weft_status create_copied(const sched::copying& what, const weft_thread_attr* attr, weft_thread** out,
                                            const void* made_at) {
  const call_errors& of = sched::call_that_copies(what);
  if (const weft_status refused = refusal_of_copy(of, what); refused != WEFT_OK) return refused;
  if (is_of_other_size(attr)) return refuse_size(of, attr);
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  const bool detached = out == nullptr || (attr != nullptr && attr->detached);
  const sched::creation how{nullptr, nullptr, attr, false, detached, made_at};
  return created(sched::create_copied(what, how, false, reinterpret_cast<sched::unit**>(out)), of, attr);
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
  const weft_status result = create(function, argument, attr, out, place, false);
  return result == WEFT_OK ? WEFT_OK : code(sched::rename(static_cast<weft::status>(result), sched::creation_at));
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
  if (fill == nullptr) return weft::fail_on_null("weft_ext_thread_create_filled", "fill");
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
  if (function == nullptr) return refuse_null(many_creation);
  if (is_of_other_size(attr)) return refuse_size(many_creation, attr);
  if (attr != nullptr && attr->stack != nullptr)
    return weft::fail(WEFT_INVALID, many_creation.call, "attr", "stack is not null: the threads cannot share one stack");
  if (!pass_point()) return told(WEFT_UNSUPPORTED, many_creation);
  const bool detached = out == nullptr || (attr != nullptr && attr->detached);
  const sched::creation how{function, arguments, attr, false, detached, __builtin_return_address(0)};
  return created(sched::create_many(how, stride, count, reinterpret_cast<sched::unit**>(out)), many_creation, attr);
}

// Its failures are told where they are found.
weft_status weft_thread_join(weft_thread* thread) {
  return call_telling(sched::joining, thread,
                      [](weft_thread* it) { return sched::join(live_unit_if_checked(it, sched::joining.call), WEFT_FOREVER); });
}

weft_status weft_thread_join_until(weft_thread* thread, uint64_t deadline_ns) {
  static constexpr call_errors of = sched::errors_of_join("weft_thread_join_until");
  return call_on(of, thread, [=](weft_thread* it) { return sched::join(live_unit(it, of.call), deadline_ns); });
}

weft_status weft_thread_try_join(weft_thread* thread) {
  static constexpr call_errors of{.call = "weft_thread_try_join",
                                  .argument = "thread",
                                  .invalid = {"thread", "it is detached"},
                                  .busy = {"thread", "it has not ended"},
                                  .ended = {"thread", sched::was_dropped_at_the_end}};
  return call_on(of, thread, [](weft_thread* it) { return sched::try_join(live_unit(it, of.call)); });
}

weft_status weft_thread_join_many(weft_thread** threads, size_t count) {
  static constexpr call_errors of = sched::errors_of_join("weft_thread_join_many", "threads");
  if (threads == nullptr && count != 0)
    return weft::fail(WEFT_INVALID, of.call, of.argument, "it is null, and count is %u", nullptr, count);
  weft_status first = WEFT_OK;
  const bool newest_first = sched::joins_newest_first();
  for (size_t number = 0; number < count; ++number) {
    const size_t index = newest_first ? count - 1 - number : number;
    if (threads[index] == nullptr) continue;
    const weft_status result = weft_thread_join(threads[index]);
    if (first == WEFT_OK) first = told(result, of, threads[index], index);
  }
  return first;
}

weft_status weft_thread_detach(weft_thread* thread) {
  static constexpr call_errors of{.call = "weft_thread_detach",
                                  .argument = "thread",
                                  .invalid = {"thread", "it is detached already"},
                                  .busy = {"thread", "another caller is joining it"}};
  return call_on(of, thread, [](weft_thread* it) { return sched::detach(live_unit(it, of.call)); });
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
  static constexpr call_errors of{"weft_thread_set_name", "thread"};
  if (thread == nullptr) return refuse_null(of);
  if (name == nullptr) return weft::fail_on_null(of.call, "name");
  if (sched::is_outlived(unit_of(thread)))
    return weft::fail(WEFT_INVALID, of.call, "thread", "it has outlived its runtime", thread);
  sched::details* extra = sched::details_of(live_unit(thread, of.call));
  if (extra == nullptr) return told(WEFT_NOMEM, of);
  std::strncpy(extra->name, name, sched::name_bytes - 1);
  return WEFT_OK;
}

const char* weft_thread_get_name(const weft_thread* thread) {
  if (thread == nullptr || !unit_of(thread)->has(sched::is_known)) return "";
  const sched::details* extra = sched::details_if_any(unit_of(thread));
  return extra != nullptr ? extra->name : "";
}

void weft_yield(void) { sched::yield(); }

weft_status weft_yield_or_wait(uint64_t deadline_ns) {
  static constexpr call_errors of{.call = "weft_yield_or_wait"};
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::yield_or_wait(deadline_ns), of);
}

// Its failures are told where they are found.
weft_status weft_yield_to(weft_thread* next) {
  return call_telling(sched::yielding_to, next,
                      [](weft_thread* it) { return sched::yield_to(live_unit_if_checked(it, sched::yielding_to.call)); });
}

// arch/x86_64/in_place.S calls these: names that the library binds itself.
extern "C" {
[[gnu::alias("weft_yield"), gnu::visibility("hidden"), gnu::used]] void weft_yield_called();
[[gnu::alias("weft_yield_to"), gnu::visibility("hidden"), gnu::used]] weft_status weft_yield_to_called(weft_thread*);
}

weft_status weft_suspend(void) {
  if (!pass_point()) return told(WEFT_UNSUPPORTED, sched::suspending);
  return code(sched::suspend());
}
weft_status weft_resume(weft_thread* thread) {
  constexpr const call_errors& of = sched::resuming;
  return call_telling(of, thread, [](weft_thread* it) { return sched::resume(live_unit(it, of.call)); });
}

weft_status weft_sleep_ns(uint64_t interval_ns) {
  return told(weft_sleep_until(weft_deadline_in(interval_ns)), call_errors{"weft_sleep_ns"});
}
weft_status weft_sleep_until(uint64_t deadline_ns) {
  static_cast<void>(pass_point());
  return told(sched::sleep_until(deadline_ns), call_errors{"weft_sleep_until"});
}

weft_status weft_pin(int worker) {
  static constexpr call_errors of{"weft_pin"};
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::pin(worker), of);
}

weft_status weft_pinned_begin(void) {
  static constexpr call_errors of{"weft_pinned_begin"};
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::begin_pinned(__builtin_return_address(0)), of);
}
weft_status weft_pinned_end(void) {
  static constexpr call_errors of{.call = "weft_pinned_end",
                                  .not_owner = {nullptr, "no weft_pinned_begin of the caller is open"}};
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::end_pinned(), of);
}

weft_status weft_thread_migrate_to_worker(weft_thread* thread, unsigned worker) {
  static constexpr call_errors of{"weft_thread_migrate_to_worker", "thread"};
  return call_on(of, thread, [=](weft_thread* it) { return sched::migrate(live_unit(it, of.call), nullptr, worker); });
}

weft_status weft_thread_migrate_to_pool(weft_thread* thread, weft_pool* pool) {
  static constexpr call_errors of{"weft_thread_migrate_to_pool", "thread"};
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  if (thread == nullptr) return refuse_null(of);
  if (pool == nullptr) return weft::fail_on_null(of.call, "pool");
  return told(sched::migrate(live_unit(thread, of.call), pool_of(pool), 0), of, thread);
}

weft_status weft_key_create(void (*destructor)(void* value), weft_key* out) {
  static constexpr call_errors of{
      .call = "weft_key_create", .argument = "out", .again = {nullptr, "there are 1024 keys already, and no more are possible"}};
  static_assert(sched::most_keys == 1024);
  if (sched::is_left_behind()) return told(WEFT_UNSUPPORTED, of);
  return out != nullptr ? told(sched::create_key(destructor, out), of) : refuse_null(of);
}
weft_status weft_key_delete(weft_key key) {
  static constexpr call_errors of{.call = "weft_key_delete", .invalid = {"key", sched::no_such_key}};
  if (sched::is_left_behind()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::delete_key(key), of, nullptr, key.index);
}
weft_status weft_key_set(weft_key key, void* value) { return code(sched::set_value(key, value)); }
void* weft_key_get(weft_key key) { return sched::get_value(key); }

}  // extern "C"
