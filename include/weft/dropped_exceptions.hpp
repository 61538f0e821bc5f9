// Exceptions that reach no caller. A call that waits for several children can throw one exception:
// that of the first child in program order. Whatever else they throw is dropped: counted here, and
// shown to the program's handler. So is what a fork throws that only the end of its scope joined.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <cstdint>
#include <exception>

namespace weft {

// A handler that is called once for each dropped exception, on the worker that drops it. It may run
// on any worker, and must not block. Without a handler, dropped exceptions are only counted.
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

// Sets the process's handler, as std::set_terminate does; null removes it. Returns the handler
// before. Never switches. Callable from any.
inline dropped_exception_handler on_dropped_exception(dropped_exception_handler handler) noexcept {
  return detail::handler_of_dropped_exceptions.exchange(handler, std::memory_order_acq_rel);
}

// Returns how many exceptions the process has dropped so far.
inline std::uint64_t dropped_exceptions() noexcept { return detail::dropped_exceptions_so_far.load(std::memory_order_relaxed); }

}  // namespace weft
