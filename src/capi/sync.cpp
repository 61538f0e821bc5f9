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
using weft::capi::call_on;
using weft::sched::forever;
namespace sync = weft::sync;

static_assert(forever == WEFT_FOREVER);

weft_status to_c(status result) { return static_cast<weft_status>(static_cast<int>(result)); }

// Calls that never wait report a wait that would have been needed.
weft_status to_c_busy(status result) { return result == status::timeout ? WEFT_BUSY : to_c(result); }

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

// Every call on a word is a point.
weft_status refusal_of(const uint64_t* word) {
  if (!weft::capi::pass_point()) return WEFT_UNSUPPORTED;
  return word != nullptr && reinterpret_cast<uintptr_t>(word) % alignof(uint64_t) == 0 ? WEFT_OK : WEFT_INVALID;
}

}  // namespace

// ---- mutex ----

weft_status weft_mutex_lock(weft_mutex* mutex) {
  return call_on(mutex, [](auto* it) { return core(it)->lock(forever); });
}

weft_status weft_mutex_lock_until(weft_mutex* mutex, uint64_t deadline_ns) {
  return call_on(mutex, [=](auto* it) { return core(it)->lock(deadline_ns); });
}

weft_status weft_mutex_try_lock(weft_mutex* mutex) {
  return call_on(mutex, [](auto* it) { return core(it)->try_lock(); });
}

weft_status weft_mutex_unlock(weft_mutex* mutex) {
  return call_on(mutex, [](auto* it) { return core(it)->unlock(); });
}

// ---- condition ----

weft_status weft_cond_wait(weft_cond* cond, weft_mutex* mutex) { return weft_cond_wait_until(cond, mutex, WEFT_FOREVER); }

weft_status weft_cond_wait_until(weft_cond* cond, weft_mutex* mutex, uint64_t deadline_ns) {
  if (mutex == nullptr) [[unlikely]]
    return WEFT_INVALID;
  return call_on(cond, [=](auto* it) { return core(it)->wait(core(mutex), deadline_ns); });
}

weft_status weft_cond_signal(weft_cond* cond) {
  return call_on(cond, [](auto* it) {
    core(it)->signal();
    return status::ok;
  });
}

weft_status weft_cond_broadcast(weft_cond* cond) {
  return call_on(cond, [](auto* it) {
    core(it)->broadcast();
    return status::ok;
  });
}

bool weft_cond_has_waiters(const weft_cond* cond) {
  weft::capi::pass_point();
  return cond != nullptr && in<sync::condvar>(cond)->has_waiters();
}

// ---- rwlock ----

weft_status weft_rwlock_read_lock(weft_rwlock* lock) { return weft_rwlock_read_lock_until(lock, WEFT_FOREVER); }

weft_status weft_rwlock_read_lock_until(weft_rwlock* lock, uint64_t deadline_ns) {
  return call_on(lock, [=](auto* it) { return core(it)->lock(sync::rwlock::access::reading, deadline_ns); });
}

weft_status weft_rwlock_try_read_lock(weft_rwlock* lock) {
  return call_on(lock, [](auto* it) { return core(it)->try_lock(sync::rwlock::access::reading); });
}

weft_status weft_rwlock_write_lock(weft_rwlock* lock) { return weft_rwlock_write_lock_until(lock, WEFT_FOREVER); }

weft_status weft_rwlock_write_lock_until(weft_rwlock* lock, uint64_t deadline_ns) {
  return call_on(lock, [=](auto* it) { return core(it)->lock(sync::rwlock::access::writing, deadline_ns); });
}

weft_status weft_rwlock_try_write_lock(weft_rwlock* lock) {
  return call_on(lock, [](auto* it) { return core(it)->try_lock(sync::rwlock::access::writing); });
}

weft_status weft_rwlock_unlock(weft_rwlock* lock) {
  return call_on(lock, [](auto* it) { return core(it)->unlock(); });
}

// ---- semaphore ----

weft_status weft_semaphore_acquire(weft_semaphore* semaphore) { return weft_semaphore_acquire_until(semaphore, WEFT_FOREVER); }

weft_status weft_semaphore_acquire_until(weft_semaphore* semaphore, uint64_t deadline_ns) {
  return call_on(semaphore, [=](auto* it) { return core(it)->acquire(deadline_ns); });
}

weft_status weft_semaphore_try_acquire(weft_semaphore* semaphore) {
  return call_on(semaphore, [](auto* it) { return core(it)->try_acquire(); });
}

weft_status weft_semaphore_release(weft_semaphore* semaphore, uint32_t count) {
  return call_on(semaphore, [=](auto* it) { return core(it)->release(count); });
}

weft_status weft_semaphore_release_from_handler(weft_semaphore* semaphore, uint32_t count) {
  if (semaphore == nullptr) return WEFT_INVALID;
  const int errno_of_interrupted = errno;
  const weft_status result = to_c(core(semaphore)->release_from_handler(count));
  errno = errno_of_interrupted;
  return result;
}

// ---- barrier ----

weft_status weft_barrier_init(weft_barrier* barrier, uint32_t parties) {
  if (barrier == nullptr || parties == 0) return WEFT_INVALID;
  *barrier = weft_barrier{};
  return to_c(core(barrier)->start(parties));
}

weft_status weft_barrier_wait(weft_barrier* barrier, bool* last) {
  if (barrier == nullptr) return WEFT_INVALID;
  if (!weft::capi::pass_point()) return WEFT_UNSUPPORTED;
  bool is_last;
  const weft_status result = to_c(core(barrier)->wait(&is_last));
  if (result == WEFT_OK && last != nullptr) *last = is_last;
  return result;
}

// ---- event and latch ----

weft_status weft_event_wait(weft_event* event) { return weft_event_wait_until(event, WEFT_FOREVER); }

weft_status weft_event_wait_until(weft_event* event, uint64_t deadline_ns) {
  return call_on(event, [=](auto* it) { return core(it)->wait("event", deadline_ns); });
}

bool weft_event_is_set(const weft_event* event) {
  static_cast<void>(weft::capi::pass_point());
  return event != nullptr && in<sync::event>(event)->is_set();
}

weft_status weft_event_set(weft_event* event) {
  return call_on(event, [](auto* it) {
    core(it)->set();
    return status::ok;
  });
}

weft_status weft_event_reset(weft_event* event) {
  return call_on(event, [](auto* it) {
    core(it)->reset();
    return status::ok;
  });
}

weft_status weft_latch_count_down(weft_event* latch, uint32_t count) {
  return call_on(latch, [=](auto* it) { return core(it)->count_down(count); });
}

// ---- once ----

weft_status weft_once_call(weft_once* once, weft_function function, void* argument) {
  if (function == nullptr) return WEFT_INVALID;
  return call_on(once, [=](auto* it) { return core(it)->call(function, argument); });
}

// ---- future ----

weft_status weft_future_set(weft_future* future, void* value) {
  return call_on(future, [=](auto* it) { return core(it)->set(value); });
}

weft_status weft_future_get(weft_future* future, void** out) { return weft_future_get_until(future, WEFT_FOREVER, out); }

weft_status weft_future_get_until(weft_future* future, uint64_t deadline_ns, void** out) {
  if (out == nullptr) return WEFT_INVALID;
  return call_on(future, [=](auto* it) { return core(it)->get(deadline_ns, out); });
}

bool weft_future_is_set(const weft_future* future) {
  static_cast<void>(weft::capi::pass_point());
  return future != nullptr && in<sync::future>(future)->is_set();
}

// ---- full/empty bits ----

weft_status weft_feb_read_fe(uint64_t* word, uint64_t* out) { return weft_feb_read_fe_until(word, WEFT_FOREVER, out); }

weft_status weft_feb_read_ff(uint64_t* word, uint64_t* out) { return weft_feb_read_ff_until(word, WEFT_FOREVER, out); }

weft_status weft_feb_write_ef(uint64_t* word, uint64_t value) { return weft_feb_write_ef_until(word, value, WEFT_FOREVER); }

weft_status weft_feb_write_f(uint64_t* word, uint64_t value) {
  if (const weft_status refused = refusal_of(word); refused != WEFT_OK) return refused;
  return to_c(sync::feb::write_and_fill(word, value));
}

weft_status weft_feb_read_fe_until(uint64_t* word, uint64_t deadline_ns, uint64_t* out) {
  if (const weft_status refused = refusal_of(word); refused != WEFT_OK) return refused;
  return to_c(sync::feb::take_full(word, deadline_ns, out));
}

weft_status weft_feb_read_ff_until(uint64_t* word, uint64_t deadline_ns, uint64_t* out) {
  if (const weft_status refused = refusal_of(word); refused != WEFT_OK) return refused;
  return to_c(sync::feb::read_full(word, deadline_ns, out));
}

weft_status weft_feb_write_ef_until(uint64_t* word, uint64_t value, uint64_t deadline_ns) {
  if (const weft_status refused = refusal_of(word); refused != WEFT_OK) return refused;
  return to_c(sync::feb::write_empty(word, value, deadline_ns));
}

weft_status weft_feb_try_read_fe(uint64_t* word, uint64_t* out) {
  if (const weft_status refused = refusal_of(word); refused != WEFT_OK) return refused;
  return to_c_busy(sync::feb::take_full(word, sync::immediately, out));
}

weft_status weft_feb_try_read_ff(uint64_t* word, uint64_t* out) {
  if (const weft_status refused = refusal_of(word); refused != WEFT_OK) return refused;
  return to_c_busy(sync::feb::read_full(word, sync::immediately, out));
}

weft_status weft_feb_try_write_ef(uint64_t* word, uint64_t value) {
  if (const weft_status refused = refusal_of(word); refused != WEFT_OK) return refused;
  return to_c_busy(sync::feb::write_empty(word, value, sync::immediately));
}

weft_status weft_feb_fill(uint64_t* word) {
  if (const weft_status refused = refusal_of(word); refused != WEFT_OK) return refused;
  return to_c(sync::feb::fill(word));
}

weft_status weft_feb_empty(uint64_t* word) {
  if (const weft_status refused = refusal_of(word); refused != WEFT_OK) return refused;
  return to_c(sync::feb::empty(word));
}

weft_status weft_feb_purge(uint64_t* word) {
  if (const weft_status refused = refusal_of(word); refused != WEFT_OK) return refused;
  return to_c(sync::feb::purge(word));
}

bool weft_feb_is_full(const uint64_t* word) { return refusal_of(word) == WEFT_OK && sync::feb::is_full(word); }
