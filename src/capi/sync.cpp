// The synchronisation part of weft.h: checks arguments, calls src/sync, translates. Every call may
// come from a ULT, a tasklet or an OS thread outside, before weft_init as well.
#include <weft/weft.h>

#include <cerrno>
#include <cstdint>

#include "base/status.hpp"
#include "capi/points.hpp"
#include "run/wait.hpp"
#include "sync/barrier.hpp"
#include "sync/condvar.hpp"
#include "sync/event.hpp"
#include "sync/feb.hpp"
#include "sync/future.hpp"
#include "sync/mutex.hpp"
#include "sync/once.hpp"
#include "sync/rwlock.hpp"
#include "sync/semaphore.hpp"
#include "unit/waiter.hpp"

namespace {

using weft::status;
using weft::capi::call_errors;
using weft::capi::call_on;
using weft::capi::call_telling;
using weft::capi::refuse_null;
using weft::capi::told;
using weft::sched::forever;
namespace sync = weft::sync;

static_assert(forever == WEFT_FOREVER);

// The object of the core in the user's memory.
template <class Object, class Opaque>
Object* in(Opaque* memory) {
  static_assert(sizeof(Object) <= sizeof(Opaque) && alignof(Object) <= alignof(Opaque));
  return reinterpret_cast<Object*>(memory);
}
template <class Object, class Opaque>
const Object* in(const Opaque* memory) {
  static_assert(sizeof(Object) <= sizeof(Opaque) && alignof(Object) <= alignof(Opaque));
  return reinterpret_cast<const Object*>(memory);
}

sync::mutex* core(weft_mutex* memory) { return in<sync::mutex>(memory); }
sync::condvar* core(weft_cond* memory) { return in<sync::condvar>(memory); }
sync::rwlock* core(weft_rwlock* memory) { return in<sync::rwlock>(memory); }
sync::semaphore* core(weft_semaphore* memory) { return in<sync::semaphore>(memory); }
sync::barrier* core(weft_barrier* memory) { return in<sync::barrier>(memory); }
sync::event* core(weft_event* memory) { return in<sync::event>(memory); }
sync::once* core(weft_once* memory) { return in<sync::once>(memory); }
sync::future* core(weft_future* memory) { return in<sync::future>(memory); }

bool is_word(const uint64_t* word) { return word != nullptr && reinterpret_cast<uintptr_t>(word) % alignof(uint64_t) == 0; }

template <class Call>
[[gnu::noinline, gnu::cold]] weft_status call_on_word_at_point(const call_errors& of, uint64_t* word, Call call) {
  if (!weft::capi::pass_point()) return told(WEFT_UNSUPPORTED, of);
  if (word == nullptr) return refuse_null(of);
  if (!is_word(word)) return weft::fail(WEFT_INVALID, of.call, of.argument, "it is not aligned to 8 bytes", word);
  return static_cast<weft_status>(call(word));
}

// The status of call(word), which tells its failures itself. Every call on a word is a point.
template <class Call>
[[gnu::always_inline]] inline weft_status call_on_word(const call_errors& of, uint64_t* word, Call call) {
  if (!is_word(word) || weft::sched::call_limit.load(weft::base::relaxed) != 0) [[unlikely]]
    return call_on_word_at_point(of, word, call);
  return static_cast<weft_status>(call(word));
}

}  // namespace

// ---- mutex ----

// The failures of lock and unlock are told where they are found.
weft_status weft_mutex_lock(weft_mutex* mutex) {
  return call_telling(sync::mutex_locking, mutex, [](auto* it) { return core(it)->lock(forever); });
}

weft_status weft_mutex_lock_until(weft_mutex* mutex, uint64_t deadline_ns) {
  static constexpr call_errors of{.call = "weft_mutex_lock_until",
                                  .argument = "mutex",
                                  .again = {"mutex", sync::is_held_most_often},
                                  .deadlock = {"mutex", sync::is_held_by_caller}};
  return call_on(of, mutex, [=](auto* it) { return core(it)->lock(deadline_ns); });
}

weft_status weft_mutex_try_lock(weft_mutex* mutex) {
  return call_telling(sync::mutex_trying, mutex, [](auto* it) { return core(it)->try_lock(); });
}

weft_status weft_mutex_unlock(weft_mutex* mutex) {
  return call_telling(sync::mutex_unlocking, mutex, [](auto* it) { return core(it)->unlock(); });
}

// ---- condition ----

// Its failures are told where they are found.
weft_status weft_cond_wait(weft_cond* cond, weft_mutex* mutex) {
  if (mutex == nullptr) [[unlikely]]
    return weft::fail_on_null(sync::cond_waiting.call, "mutex");
  return call_telling(sync::cond_waiting, cond, [=](auto* it) { return core(it)->wait(core(mutex), forever); });
}

weft_status weft_cond_wait_until(weft_cond* cond, weft_mutex* mutex, uint64_t deadline_ns) {
  static constexpr call_errors of{"weft_cond_wait_until", "cond"};
  if (mutex == nullptr) [[unlikely]]
    return weft::fail_on_null(of.call, "mutex");
  return call_telling(of, cond, [=](auto* it) {
    const status result = core(it)->wait(core(mutex), deadline_ns);
    return result == status::ok || result == status::timeout ? static_cast<status>(told(result, of))
                                                             : weft::sched::rename(result, of);
  });
}

weft_status weft_cond_signal(weft_cond* cond) {
  static constexpr call_errors of{.call = "weft_cond_signal", .argument = "cond"};
  return call_on(of, cond, [](auto* it) {
    core(it)->signal();
    return status::ok;
  });
}

weft_status weft_cond_broadcast(weft_cond* cond) {
  static constexpr call_errors of{.call = "weft_cond_broadcast", .argument = "cond"};
  return call_on(of, cond, [](auto* it) {
    core(it)->broadcast();
    return status::ok;
  });
}

bool weft_cond_has_waiters(const weft_cond* cond) {
  weft::capi::pass_point();
  return cond != nullptr && in<sync::condvar>(cond)->has_waiters();
}

// ---- rwlock ----

weft_status weft_rwlock_read_lock(weft_rwlock* lock) {
  return call_telling(sync::rwlock_reading, lock,
                      [](auto* it) { return core(it)->lock(sync::rwlock::access::reading, forever); });
}

weft_status weft_rwlock_read_lock_until(weft_rwlock* lock, uint64_t deadline_ns) {
  static constexpr call_errors of{
      .call = "weft_rwlock_read_lock_until", .argument = "lock", .deadlock = {"lock", "the caller holds it to write"}};
  return call_on(of, lock, [=](auto* it) { return core(it)->lock(sync::rwlock::access::reading, deadline_ns); });
}

weft_status weft_rwlock_try_read_lock(weft_rwlock* lock) {
  static constexpr call_errors of{
      .call = "weft_rwlock_try_read_lock", .argument = "lock", .busy = {"lock", "a writer holds it, or waits for it"}};
  return call_on(of, lock, [](auto* it) { return core(it)->try_lock(sync::rwlock::access::reading); });
}

weft_status weft_rwlock_write_lock(weft_rwlock* lock) {
  return call_telling(sync::rwlock_writing, lock,
                      [](auto* it) { return core(it)->lock(sync::rwlock::access::writing, forever); });
}

weft_status weft_rwlock_write_lock_until(weft_rwlock* lock, uint64_t deadline_ns) {
  static constexpr call_errors of{
      .call = "weft_rwlock_write_lock_until", .argument = "lock", .deadlock = {"lock", "the caller holds it to write"}};
  return call_on(of, lock, [=](auto* it) { return core(it)->lock(sync::rwlock::access::writing, deadline_ns); });
}

weft_status weft_rwlock_try_write_lock(weft_rwlock* lock) {
  static constexpr call_errors of{
      .call = "weft_rwlock_try_write_lock", .argument = "lock", .busy = {"lock", "it is held, or a caller waits for it"}};
  return call_on(of, lock, [](auto* it) { return core(it)->try_lock(sync::rwlock::access::writing); });
}

weft_status weft_rwlock_unlock(weft_rwlock* lock) {
  return call_telling(sync::rwlock_unlocking, lock, [](auto* it) { return core(it)->unlock(); });
}

// ---- semaphore ----

weft_status weft_semaphore_acquire(weft_semaphore* semaphore) {
  return call_telling(sync::semaphore_acquiring, semaphore, [](auto* it) { return core(it)->acquire(forever); });
}

weft_status weft_semaphore_acquire_until(weft_semaphore* semaphore, uint64_t deadline_ns) {
  static constexpr call_errors of{.call = "weft_semaphore_acquire_until", .argument = "semaphore"};
  return call_on(of, semaphore, [=](auto* it) { return core(it)->acquire(deadline_ns); });
}

weft_status weft_semaphore_try_acquire(weft_semaphore* semaphore) {
  return call_telling(sync::semaphore_trying, semaphore, [](auto* it) { return core(it)->try_acquire(); });
}

weft_status weft_semaphore_release(weft_semaphore* semaphore, uint32_t count) {
  return call_telling(sync::semaphore_releasing, semaphore, [=](auto* it) { return core(it)->release(count); });
}

weft_status weft_semaphore_release_from_handler(weft_semaphore* semaphore, uint32_t count) {
  static constexpr call_errors of{
      .call = "weft_semaphore_release_from_handler", .argument = "semaphore", .invalid = sync::too_many_tokens};
  const int errno_of_interrupted = errno;
  static constexpr call_errors of_null{.call = of.call, .argument = of.argument, .invalid = {of.argument, weft::is_null}};
  const bool is_there = semaphore != nullptr;
  const status result = is_there ? core(semaphore)->release_from_handler(count) : status::invalid;
  weft::sched::tell_in_handler(result, is_there ? of : of_null, semaphore, count);
  errno = errno_of_interrupted;
  return static_cast<weft_status>(result);
}

// ---- barrier ----

weft_status weft_barrier_init(weft_barrier* barrier, uint32_t parties) {
  static constexpr call_errors of{
      .call = "weft_barrier_init", .argument = "barrier", .invalid = {"parties", "at least 1 is needed"}};
  if (barrier == nullptr) return refuse_null(of);
  if (parties == 0) return told(WEFT_INVALID, of);
  *barrier = weft_barrier{};
  return told(core(barrier)->start(parties), of);
}

weft_status weft_barrier_wait(weft_barrier* barrier, bool* last) {
  static constexpr call_errors of{
      .call = "weft_barrier_wait", .argument = "barrier", .invalid = {"barrier", "weft_barrier_init was not called for it"}};
  if (barrier == nullptr) return refuse_null(of);
  if (!weft::capi::pass_point()) return told(WEFT_UNSUPPORTED, of);
  bool is_last;
  const weft_status result = told(core(barrier)->wait(&is_last), of, barrier);
  if (result == WEFT_OK && last != nullptr) *last = is_last;
  return result;
}

// ---- event and latch ----

weft_status weft_event_wait(weft_event* event) {
  static constexpr call_errors of{.call = "weft_event_wait", .argument = "event"};
  return call_on(of, event, [](auto* it) { return core(it)->wait("event", forever); });
}

weft_status weft_event_wait_until(weft_event* event, uint64_t deadline_ns) {
  static constexpr call_errors of{.call = "weft_event_wait_until", .argument = "event"};
  return call_on(of, event, [=](auto* it) { return core(it)->wait("event", deadline_ns); });
}

bool weft_event_is_set(const weft_event* event) {
  static_cast<void>(weft::capi::pass_point());
  return event != nullptr && in<sync::event>(event)->is_set();
}

weft_status weft_event_set(weft_event* event) {
  static constexpr call_errors of{.call = "weft_event_set", .argument = "event"};
  return call_on(of, event, [](auto* it) {
    core(it)->set();
    return status::ok;
  });
}

weft_status weft_event_reset(weft_event* event) {
  static constexpr call_errors of{.call = "weft_event_reset", .argument = "event"};
  return call_on(of, event, [](auto* it) {
    core(it)->reset();
    return status::ok;
  });
}

weft_status weft_latch_count_down(weft_event* latch, uint32_t count) {
  static constexpr call_errors of{.call = "weft_latch_count_down",
                                  .argument = "latch",
                                  .invalid = {"latch", "it has less than the %u left that are to be counted down"}};
  return call_telling(of, latch, [=](auto* it) { return told(core(it)->count_down(count), of, it, count); });
}

// ---- once ----

weft_status weft_once_call(weft_once* once, weft_function function, void* argument) {
  static constexpr call_errors of{.call = "weft_once_call", .argument = "once"};
  if (function == nullptr) return weft::fail_on_null(of.call, "function");
  return call_on(of, once, [=](auto* it) { return core(it)->call(function, argument); });
}

// ---- future ----

weft_status weft_future_set(weft_future* future, void* value) {
  static constexpr call_errors of{
      .call = "weft_future_set", .argument = "future", .busy = {"future", "another caller has set it, or is setting it"}};
  return call_on(of, future, [=](auto* it) { return core(it)->set(value); });
}

weft_status weft_future_get(weft_future* future, void** out) {
  static constexpr call_errors of{"weft_future_get", "future"};
  if (out == nullptr) return weft::fail_on_null(of.call, "out");
  return call_on(of, future, [=](auto* it) { return core(it)->get(forever, out); });
}

weft_status weft_future_get_until(weft_future* future, uint64_t deadline_ns, void** out) {
  static constexpr call_errors of{.call = "weft_future_get_until", .argument = "future"};
  if (out == nullptr) return weft::fail_on_null(of.call, "out");
  return call_on(of, future, [=](auto* it) { return core(it)->get(deadline_ns, out); });
}

bool weft_future_is_set(const weft_future* future) {
  static_cast<void>(weft::capi::pass_point());
  return future != nullptr && in<sync::future>(future)->is_set();
}

// ---- full/empty bits ----

namespace {

constexpr call_errors errors_of_word(const char* call) { return {.call = call, .argument = "word"}; }

// The deadlines by which sync::feb knows that a call has none, or only tries.
bool is_no_time(uint64_t deadline_ns) { return deadline_ns == forever || deadline_ns == sync::immediately; }
// A call with such a deadline is told by its own name.
[[gnu::cold, gnu::noinline]] weft_status told_of_until(status result, const call_errors& of, const uint64_t* word) {
  return told(result == status::busy ? status::timeout : result, of, word);
}

}  // namespace

weft_status weft_feb_read_fe(uint64_t* word, uint64_t* out) {
  static constexpr call_errors of = errors_of_word("weft_feb_read_fe");
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::take_full(it, forever, out); });
}

weft_status weft_feb_read_ff(uint64_t* word, uint64_t* out) {
  static constexpr call_errors of = errors_of_word("weft_feb_read_ff");
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::read_full(it, forever, out); });
}

weft_status weft_feb_write_ef(uint64_t* word, uint64_t value) {
  static constexpr call_errors of = errors_of_word("weft_feb_write_ef");
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::write_empty(it, value, forever); });
}

weft_status weft_feb_write_ff(uint64_t* word, uint64_t value) {
  static constexpr call_errors of = errors_of_word("weft_feb_write_ff");
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::overwrite_full(it, value, forever); });
}

weft_status weft_feb_write_f(uint64_t* word, uint64_t value) {
  static constexpr call_errors of = errors_of_word("weft_feb_write_f");
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::write_and_fill(it, value); });
}

weft_status weft_feb_read_xx(const uint64_t* word, uint64_t* out) {
  static constexpr call_errors of = errors_of_word("weft_feb_read_xx");
  return call_on_word(of, const_cast<uint64_t*>(word), [=](uint64_t* it) {
    const uint64_t value = sync::feb::read_whatever(it);
    if (out != nullptr && out != it) *out = value;
    return status::ok;
  });
}

weft_status weft_feb_read_fe_until(uint64_t* word, uint64_t deadline_ns, uint64_t* out) {
  static constexpr call_errors of = errors_of_word("weft_feb_read_fe_until");
  if (is_no_time(deadline_ns)) [[unlikely]]
    return call_on_word_at_point(of, word,
                                 [=](uint64_t* it) { return told_of_until(sync::feb::take_full(it, deadline_ns, out), of, it); });
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::take_full(it, deadline_ns, out); });
}

weft_status weft_feb_read_ff_until(uint64_t* word, uint64_t deadline_ns, uint64_t* out) {
  static constexpr call_errors of = errors_of_word("weft_feb_read_ff_until");
  if (is_no_time(deadline_ns)) [[unlikely]]
    return call_on_word_at_point(of, word,
                                 [=](uint64_t* it) { return told_of_until(sync::feb::read_full(it, deadline_ns, out), of, it); });
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::read_full(it, deadline_ns, out); });
}

weft_status weft_feb_write_ef_until(uint64_t* word, uint64_t value, uint64_t deadline_ns) {
  static constexpr call_errors of = errors_of_word("weft_feb_write_ef_until");
  if (is_no_time(deadline_ns)) [[unlikely]]
    return call_on_word_at_point(
        of, word, [=](uint64_t* it) { return told_of_until(sync::feb::write_empty(it, value, deadline_ns), of, it); });
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::write_empty(it, value, deadline_ns); });
}

weft_status weft_feb_write_ff_until(uint64_t* word, uint64_t value, uint64_t deadline_ns) {
  static constexpr call_errors of = errors_of_word("weft_feb_write_ff_until");
  if (is_no_time(deadline_ns)) [[unlikely]]
    return call_on_word_at_point(
        of, word, [=](uint64_t* it) { return told_of_until(sync::feb::overwrite_full(it, value, deadline_ns), of, it); });
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::overwrite_full(it, value, deadline_ns); });
}

weft_status weft_feb_try_read_fe(uint64_t* word, uint64_t* out) {
  static constexpr call_errors of = errors_of_word("weft_feb_try_read_fe");
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::take_full(it, sync::immediately, out); });
}

weft_status weft_feb_try_read_ff(uint64_t* word, uint64_t* out) {
  static constexpr call_errors of = errors_of_word("weft_feb_try_read_ff");
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::read_full(it, sync::immediately, out); });
}

weft_status weft_feb_try_write_ef(uint64_t* word, uint64_t value) {
  static constexpr call_errors of = errors_of_word("weft_feb_try_write_ef");
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::write_empty(it, value, sync::immediately); });
}

weft_status weft_feb_try_write_ff(uint64_t* word, uint64_t value) {
  static constexpr call_errors of = errors_of_word("weft_feb_try_write_ff");
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::overwrite_full(it, value, sync::immediately); });
}

weft_status weft_feb_fill(uint64_t* word) {
  static constexpr call_errors of = errors_of_word("weft_feb_fill");
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::fill(it); });
}

weft_status weft_feb_empty(uint64_t* word) {
  static constexpr call_errors of = errors_of_word("weft_feb_empty");
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::empty(it); });
}

weft_status weft_feb_purge(uint64_t* word) {
  static constexpr call_errors of = errors_of_word("weft_feb_purge");
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::purge(it); });
}

weft_status weft_feb_purge_to(uint64_t* word, uint64_t value) {
  static constexpr call_errors of = errors_of_word("weft_feb_purge_to");
  return call_on_word(of, word, [=](uint64_t* it) { return sync::feb::purge_to(it, value); });
}

weft_status weft_feb_forget(const void* base, size_t bytes) {
  static constexpr call_errors of{.call = "weft_feb_forget", .argument = "base"};
  if (base == nullptr) return refuse_null(of);
  if (!weft::capi::pass_point()) return told(WEFT_UNSUPPORTED, of);
  if (bytes > UINTPTR_MAX - reinterpret_cast<uintptr_t>(base) + 1)
    return weft::fail(WEFT_INVALID, of.call, "bytes", "%u bytes from base pass the end of the address space", nullptr, bytes);
  return told(sync::feb::forget(base, bytes), of, base);
}

bool weft_feb_is_full(const uint64_t* word) { return weft::capi::pass_point() && is_word(word) && sync::feb::is_full(word); }
