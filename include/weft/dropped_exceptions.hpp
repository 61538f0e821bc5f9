// Exceptions that reach nobody. A call that waits for several children can throw one exception: that of the first child in program
// order. Whatever else they throw is dropped: counted here, and shown to the program's handler. So is what a fork throws that only the
// end of its scope joined.
#pragma once

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <cstdint>
#include <exception>

namespace weft {

// Called once for each, where it was found to be superfluous: on any worker, so that it must not block. No handler: they are only counted.
using dropped_exception_handler = void (*)(const std::exception_ptr& dropped) noexcept;

namespace detail {

inline std::atomic<std::uint64_t> dropped_exceptions_so_far = 0;
inline std::atomic<dropped_exception_handler> handler_of_dropped_exceptions = nullptr;

inline void drop_exception(const std::exception_ptr& dropped) noexcept {
  dropped_exceptions_so_far.fetch_add(1, std::memory_order_relaxed);
  // acquire: what the handler needs; pairs with the exchange below
  const dropped_exception_handler handler = handler_of_dropped_exceptions.load(std::memory_order_acquire);
  if (handler != nullptr) handler(dropped);
}

}  // namespace detail

// The process's handler, as std::set_terminate's: returns the one before; null for none. Callable from any. Never switches.
inline dropped_exception_handler on_dropped_exception(dropped_exception_handler handler) noexcept {
  return detail::handler_of_dropped_exceptions.exchange(handler, std::memory_order_acq_rel);
}

// Dropped by the process so far.
inline std::uint64_t dropped_exceptions() noexcept { return detail::dropped_exceptions_so_far.load(std::memory_order_relaxed); }

}  // namespace weft
