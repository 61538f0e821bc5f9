// std::atomic's wait and notify for ULTs: a ULT that waits leaves its worker to others.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <weft/word.h>
#include <weft/error.hpp>

namespace weft {

// A type whose atomic weft::atomic_wait can wait at: trivially copyable, of 4 or 8 bytes, and such
// that std::atomic of the type holds nothing but the value.
template <class T>
concept waitable = std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) && sizeof(std::atomic<T>) == sizeof(T) &&
                   std::atomic<T>::is_always_lock_free;

namespace detail {

// Returns the bytes of a value as an integer, since std::atomic compares values by their bytes.
template <waitable T>
std::uint64_t bytes_of(const T& value) noexcept {
  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t> bytes;
  std::memcpy(&bytes, &value, sizeof bytes);
  return bytes;
}

}  // namespace detail

// Waits until word no longer has the value old, and was changed by a caller that notified it.
// Throws weft::error: cannot_block. May switch. Callable from any.
template <waitable T>
void atomic_wait(const std::atomic<T>& word, std::type_identity_t<T> old, std::memory_order order = std::memory_order_seq_cst) {
  const std::uint64_t expected = detail::bytes_of<T>(old);
  while (detail::bytes_of<T>(word.load(order)) == expected) {
    detail::check_unless(WEFT_AGAIN, weft_word_wait(&word, sizeof(T), expected, WEFT_FOREVER), "weft_word_wait");
  }
}

// Wakes the caller that has waited longest at word, if any does. Never switches. Callable from any.
template <waitable T>
void atomic_notify_one(const std::atomic<T>& word) noexcept {
  weft_word_wake(&word, 1);
}

// Wakes all callers that wait at word. Never switches. Callable from any.
template <waitable T>
void atomic_notify_all(const std::atomic<T>& word) noexcept {
  weft_word_wake(&word, std::numeric_limits<std::size_t>::max());
}

}  // namespace weft
