// weft::mutex, recursive_mutex and shared_mutex: std's, for ULTs and OS threads mixed. A ULT that
// waits leaves its worker to others; a std::mutex would block the whole worker. They work with
// std::lock_guard, unique_lock, scoped_lock and shared_lock.
//
// The waiting calls may switch; from a ULT or outside. They throw weft::error: cannot_block (a
// tasklet that would have to wait), deadlock (the caller holds it, where that is noticed). try_lock
// and the unlocking calls never switch. Undefined: unlocking what the caller does not hold (checked
// builds name it; a recursive_mutex throws not_owner).
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <chrono>
#include <cstdint>

#include <weft/weft.h>
#include <weft/detail/chrono.hpp>
#include <weft/error.hpp>

namespace weft {
namespace detail {

// The part that a plain and a recursive mutex have in common.
class mutex_base {
 public:
  // The type that native_handle() returns.
  using native_handle_type = weft_mutex*;

  mutex_base(const mutex_base&) = delete;
  mutex_base& operator=(const mutex_base&) = delete;

  // Waits until the mutex is free, and locks it. Throws weft::error: cannot_block (a tasklet that
  // would have to wait), deadlock (the caller holds it, if that is detected). May switch. Callable
  // from any.
  void lock() { check(weft_mutex_lock(&mutex_), "weft_mutex_lock"); }
  // Locks the mutex if it is free. Returns true if it is locked. Throws weft::error. Never
  // switches. Callable from any.
  bool try_lock() { return check_unless(WEFT_BUSY, weft_mutex_try_lock(&mutex_), "weft_mutex_try_lock"); }

  // Waits until the mutex is free, for an interval at most, and locks it. Returns true if the mutex
  // is locked. Throws weft::error: cannot_block (a tasklet that would have to wait), deadlock (the
  // caller holds it, if that is detected). May switch. Callable from any.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& interval) {
    return lock_in_time(weft_mutex_lock_until(&mutex_, deadline_in(interval)));
  }
  // Waits until the mutex is free, until the deadline at most, and locks it. Returns true if the
  // mutex is locked. Throws weft::error: cannot_block (a tasklet that would have to wait), deadlock
  // (the caller holds it, if that is detected). May switch. Callable from any.
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    return lock_in_time(attempt_until(deadline, [this](std::uint64_t ns) { return weft_mutex_lock_until(&mutex_, ns); }));
  }

  // Returns the mutex of the C interface.
  native_handle_type native_handle() noexcept { return &mutex_; }

 protected:
  // Starts from one of the INIT values of weft_mutex.
  constexpr explicit mutex_base(weft_mutex initial) noexcept : mutex_(initial) {}
  ~mutex_base() = default;

 private:
  static bool lock_in_time(weft_status status) { return check_unless(WEFT_TIMEOUT, status, "weft_mutex_lock_until"); }

  weft_mutex mutex_;
};

}  // namespace detail

// A mutex: one caller holds it at a time. Waiters lock it in the order in which they came.
class mutex : public detail::mutex_base {
 public:
  constexpr mutex() noexcept : mutex_base(weft_mutex WEFT_MUTEX_INIT) {}
  // Unlocks the mutex.
  void unlock() noexcept { weft_mutex_unlock(native_handle()); }
};

// A mutex that its holder may lock again. The holder must unlock it as often as it has locked it.
class recursive_mutex : public detail::mutex_base {
 public:
  constexpr recursive_mutex() noexcept : mutex_base(weft_mutex WEFT_MUTEX_RECURSIVE_INIT) {}
  // Unlocks the mutex once. Throws weft::error: not_owner (the caller does not hold it). Never
  // switches. Callable from any.
  void unlock() { detail::check(weft_mutex_unlock(native_handle()), "weft_mutex_unlock"); }
};

// Every mutex here can be waited for with a timeout; the names are std's.
using timed_mutex = mutex;
// Every recursive mutex here can be waited for with a timeout, too.
using recursive_timed_mutex = recursive_mutex;

// A read-write lock. Callers are served in the order in which they came: a reader that comes after
// a waiting writer waits behind that writer.
class shared_mutex {
 public:
  // The type that native_handle() returns.
  using native_handle_type = weft_rwlock*;

  constexpr shared_mutex() noexcept = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  // Waits until the lock is free, and locks it to write. Throws weft::error: cannot_block (a
  // tasklet that would have to wait). May switch. Callable from any.
  void lock() { detail::check(weft_rwlock_write_lock(&lock_), "weft_rwlock_write_lock"); }
  // Locks the lock to write if it is free. Returns true if it is locked. Throws weft::error. Never
  // switches. Callable from any.
  bool try_lock() { return detail::check_unless(WEFT_BUSY, weft_rwlock_try_write_lock(&lock_), "weft_rwlock_try_write_lock"); }
  // Unlocks what lock() locked.
  void unlock() noexcept { weft_rwlock_unlock(&lock_); }

  // Waits until the lock is free, for an interval at most, and locks it to write. Returns true if
  // it is locked. Throws weft::error: cannot_block (a tasklet that would have to wait). May switch.
  // Callable from any.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& interval) {
    return lock_in_time(weft_rwlock_write_lock_until(&lock_, detail::deadline_in(interval)));
  }
  // Waits until the lock is free, until the deadline at most, and locks it to write. Returns true
  // if it is locked. Throws weft::error: cannot_block (a tasklet that would have to wait). May
  // switch. Callable from any.
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    const auto attempt = [this](std::uint64_t ns) { return weft_rwlock_write_lock_until(&lock_, ns); };
    return lock_in_time(detail::attempt_until(deadline, attempt));
  }

  // Waits until no writer holds or awaits the lock, and locks it to read. Throws weft::error:
  // cannot_block (a tasklet that would have to wait). May switch. Callable from any.
  void lock_shared() { detail::check(weft_rwlock_read_lock(&lock_), "weft_rwlock_read_lock"); }
  // Locks the lock to read if no writer holds or awaits it. Returns true if it is locked. Throws
  // weft::error. Never switches. Callable from any.
  bool try_lock_shared() {
    return detail::check_unless(WEFT_BUSY, weft_rwlock_try_read_lock(&lock_), "weft_rwlock_try_read_lock");
  }
  // Unlocks what lock_shared() locked.
  void unlock_shared() noexcept { weft_rwlock_unlock(&lock_); }

  // Waits until no writer holds or awaits the lock, for an interval at most, and locks it to read.
  // Returns true if it is locked. Throws weft::error: cannot_block (a tasklet that would have to
  // wait). May switch. Callable from any.
  template <class Rep, class Period>
  bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& interval) {
    return lock_in_time(weft_rwlock_read_lock_until(&lock_, detail::deadline_in(interval)));
  }
  // Waits until no writer holds or awaits the lock, until the deadline at most, and locks it to
  // read. Returns true if it is locked. Throws weft::error: cannot_block (a tasklet that would have
  // to wait). May switch. Callable from any.
  template <class Clock, class Duration>
  bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    const auto attempt = [this](std::uint64_t ns) { return weft_rwlock_read_lock_until(&lock_, ns); };
    return lock_in_time(detail::attempt_until(deadline, attempt));
  }

  // Returns the read-write lock of the C interface.
  native_handle_type native_handle() noexcept { return &lock_; }

 private:
  static bool lock_in_time(weft_status status) { return detail::check_unless(WEFT_TIMEOUT, status, "weft_rwlock_..._until"); }

  weft_rwlock lock_ = WEFT_RWLOCK_INIT;
};

// Every shared mutex here can be waited for with a timeout.
using shared_timed_mutex = shared_mutex;

}  // namespace weft
