// The atomics of the core. Model tests put a file of the same name before this one on the include
// path, so that the headers that ship run on the explorer's atomics. The compiler's builtins stand
// behind them: <atomic> includes <string> and <stdexcept> in libstdc++, which took nearly half of
// the time in which the core compiles, and two thirds of clang-tidy's.
//
// Every operation names its order. Every one that is not relaxed carries a tag, see
// docs/protocols/README.md.
#pragma once

#include <cstddef>
#include <type_traits>

#include "base/config.hpp"

namespace weft::base {

enum class order : int {
  relaxed = __ATOMIC_RELAXED,
  acquire = __ATOMIC_ACQUIRE,
  release = __ATOMIC_RELEASE,
  acq_rel = __ATOMIC_ACQ_REL,
  seq_cst = __ATOMIC_SEQ_CST,
};
inline constexpr auto relaxed = order::relaxed;
inline constexpr auto acquire = order::acquire;
inline constexpr auto release = order::release;
inline constexpr auto acq_rel = order::acq_rel;
inline constexpr auto seq_cst = order::seq_cst;

// What a compare-exchange with one order does when it fails.
constexpr order order_of_failure(order o) { return o == acq_rel ? acquire : o == release ? relaxed : o; }

// As std::atomic, without a default order, and for what the processor can change at once alone.
template <class T>
class atomic {
  static_assert(std::is_trivially_copyable_v<T> && __atomic_always_lock_free(sizeof(T), nullptr));

 public:
  using value_type = T;
  using difference_type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

  constexpr atomic() noexcept : value_() {}
  constexpr atomic(T initial) noexcept : value_(initial) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  [[gnu::always_inline]] T load(order o) const {
    T result;
    __atomic_load(&value_, &result, static_cast<int>(o));
    return result;
  }
  [[gnu::always_inline]] void store(T value, order o) { __atomic_store(&value_, &value, static_cast<int>(o)); }
  [[gnu::always_inline]] T exchange(T value, order o) {
    T result;
    __atomic_exchange(&value_, &value, &result, static_cast<int>(o));
    return result;
  }

  [[gnu::always_inline]] bool compare_exchange_strong(T& expected, T desired, order success, order failure) {
    return __atomic_compare_exchange(&value_, &expected, &desired, false, static_cast<int>(success), static_cast<int>(failure));
  }
  [[gnu::always_inline]] bool compare_exchange_strong(T& expected, T desired, order o) {
    return compare_exchange_strong(expected, desired, o, order_of_failure(o));
  }
  [[gnu::always_inline]] bool compare_exchange_weak(T& expected, T desired, order success, order failure) {
    return __atomic_compare_exchange(&value_, &expected, &desired, true, static_cast<int>(success), static_cast<int>(failure));
  }
  [[gnu::always_inline]] bool compare_exchange_weak(T& expected, T desired, order o) {
    return compare_exchange_weak(expected, desired, o, order_of_failure(o));
  }

  [[gnu::always_inline]] T fetch_add(difference_type by, order o) {
    return __atomic_fetch_add(&value_, scaled(by), static_cast<int>(o));
  }
  [[gnu::always_inline]] T fetch_sub(difference_type by, order o) {
    return __atomic_fetch_sub(&value_, scaled(by), static_cast<int>(o));
  }
  [[gnu::always_inline]] T fetch_or(T bits, order o) { return __atomic_fetch_or(&value_, bits, static_cast<int>(o)); }
  [[gnu::always_inline]] T fetch_and(T bits, order o) { return __atomic_fetch_and(&value_, bits, static_cast<int>(o)); }

 private:
  static constexpr difference_type scaled(difference_type by) {
    if constexpr (std::is_pointer_v<T>) {
      return by * static_cast<difference_type>(sizeof(std::remove_pointer_t<T>));
    } else {
      return by;
    }
  }

  alignas(sizeof(T)) T value_;
};

// A racy look at a word that is otherwise plain.
template <class T>
inline T load_relaxed(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

// The write to a plain word at which others look by load_relaxed meanwhile.
template <class T>
inline void store_relaxed(T& word, T value) {
  __atomic_store_n(&word, value, __ATOMIC_RELAXED);
}

// A full fence. TSan does not model fences: it sees an operation on a dummy instead.
inline void fence_seq_cst() {
  if constexpr (config::thread_sanitizer) {
    static constinit atomic<int> dummy{0};
    dummy.fetch_add(1, seq_cst);
  } else {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

// The cheap half of an asymmetric fence pair: orders this thread's earlier stores before its later
// loads as seen by a thread that runs os::heavy_fence(). Costs nothing but the compiler's freedom.
// Under TSan it is a full fence.
inline void light_fence() {
  if constexpr (config::thread_sanitizer) {
    fence_seq_cst();
  } else {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
}

}  // namespace weft::base
