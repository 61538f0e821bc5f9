// What programs take from the inside of Boost.Fiber and Context: words for declarations, the lock
// that a fiber leaves when it is suspended, and apply.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <tuple>
#include <utility>

#include <weft/ext.h>

// Boost's words for what a library exports: these are headers.
#ifndef BOOST_FIBERS_DECL
#define BOOST_FIBERS_DECL
#endif
#ifndef BOOST_CONTEXT_DECL
#define BOOST_CONTEXT_DECL
#endif
#ifndef BOOST_COROUTINES2_DECL
#define BOOST_COROUTINES2_DECL
#endif

namespace boost {
namespace context {
namespace detail {

// Calls function with the elements of a tuple.
template <class F, class Tuple>
decltype(auto) apply(F&& function, Tuple&& arguments) {
  return std::apply(std::forward<F>(function), std::forward<Tuple>(arguments));
}

}  // namespace detail
}  // namespace context
namespace fibers {

class context;

namespace detail {

// A lock for short parts of a program, in which no call switches; context::suspend may end such a
// part. An OS thread that waits for it spins, and lets others run now and then.
class spinlock {
 public:
  spinlock() = default;
  spinlock(const spinlock&) = delete;
  spinlock& operator=(const spinlock&) = delete;

  // Waits for the lock. Never switches.
  void lock() noexcept {
    if (!try_lock()) static_cast<void>(weft_ext_try_until(try_once, this, "boost::fibers::detail::spinlock"));
  }
  // Takes the lock if it is free. Never switches.
  bool try_lock() noexcept { return std::atomic_ref(word_).exchange(1, std::memory_order_acquire) == 0; }
  // Gives the lock back. Undefined: the caller does not hold it.
  void unlock() noexcept { std::atomic_ref(word_).store(0, std::memory_order_release); }

 private:
  friend class boost::fibers::context;
  static bool try_once(void* self) { return static_cast<spinlock*>(self)->try_lock(); }
  std::uint32_t word_ = 0;
};

// Holds a spinlock.
using spinlock_lock = std::unique_lock<spinlock>;

}  // namespace detail
}  // namespace fibers
}  // namespace boost
