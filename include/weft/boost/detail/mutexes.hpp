// boost::fibers' mutexes and conditions: Weft's, which throw lock_error as Boost.Fiber's do when a
// fiber locks what it holds, or unlocks what it does not hold.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <system_error>

#include <weft/boost/detail/errors.hpp>
#include <weft/condition_variable_any.hpp>
#include <weft/fiber/detail/library.hpp>
#include <weft/mutex.hpp>

namespace weft::detail {

// Inner: a mutex of Weft's. depth: how often a recursive one is held.
template <class Inner, bool IsRecursive>
class boost_mutex {
 public:
  boost_mutex() = default;
  boost_mutex(const boost_mutex&) = delete;
  boost_mutex& operator=(const boost_mutex&) = delete;

  // Waits for the mutex. Throws lock_error: resource_deadlock_would_occur (the caller holds it).
  void lock() {
    refuse_holder();
    inner_.lock();
    note_locked();
  }
  // Locks it if it is free. If it is not, other fibers run first, as in Boost: programs try again
  // in a loop. Throws lock_error: resource_deadlock_would_occur (the caller holds it).
  bool try_lock() {
    refuse_holder();
    if (noted(inner_.try_lock())) return true;
    weft_yield();
    return false;
  }
  // Waits for an interval at most.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& interval) {
    refuse_holder();
    return noted(inner_.try_lock_for(interval));
  }
  // Waits until the deadline at most.
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    refuse_holder();
    return noted(inner_.try_lock_until(deadline));
  }
  // Throws lock_error: operation_not_permitted (the caller does not hold it).
  void unlock() {
    if (holder_.load(std::memory_order_relaxed) != caller()) throw boost::fibers::lock_error(std::errc::operation_not_permitted);
    if (--depth_ == 0) holder_.store(nullptr, std::memory_order_relaxed);
    inner_.unlock();
  }

 private:
  // Of a fiber its handle, of an OS thread's own flow of control an address, before the OS thread's
  // first fiber and after.
  static const void* caller() noexcept {
    static thread_local char own;
    const void* const self = weft_self();
    return self != nullptr && self != fibers::detail::flow_here() ? self : &own;
  }
  void refuse_holder() const {
    if (!IsRecursive && holder_.load(std::memory_order_relaxed) == caller())
      throw boost::fibers::lock_error(std::errc::resource_deadlock_would_occur);
  }
  void note_locked() noexcept {
    holder_.store(caller(), std::memory_order_relaxed);  // others only ask whether it is they
    ++depth_;
  }
  bool noted(bool is_locked) noexcept {
    if (is_locked) note_locked();
    return is_locked;
  }

  Inner inner_;
  std::atomic<const void*> holder_ = nullptr;
  std::uint32_t depth_ = 0;  // by the holder
};

}  // namespace weft::detail

namespace boost {
namespace fibers {

using mutex = weft::detail::boost_mutex<weft::timed_mutex, false>;
// Its own type, so that overloads may tell it from mutex.
class timed_mutex : public weft::detail::boost_mutex<weft::timed_mutex, false> {};
using recursive_mutex = weft::detail::boost_mutex<weft::recursive_timed_mutex, true>;
// Its own type, as timed_mutex.
class recursive_timed_mutex : public weft::detail::boost_mutex<weft::recursive_timed_mutex, true> {};

using weft::condition_variable_any;
using weft::cv_status;
// For std::unique_lock<mutex>, and for any other lock.
class condition_variable : public weft::condition_variable_any {};

}  // namespace fibers
}  // namespace boost
