// The atomics of the Tascell runtime, and what its loops tell the CPU while they look at one. Model
// tests put a file of the same name before this one on the include path, so that the words that
// ship run on the explorer's atomics. The compiler's builtins stand behind them, because C programs
// link the library.
//
// Every operation names its order. Every one that is not relaxed carries a tag:
// docs/protocols/Y.md.
#pragma once

#include <cstdint>

#include "arch/cpu.hpp"

namespace weft::tascell_runtime {

namespace base {  // named as the core's are, for the mutation test

inline constexpr int relaxed = __ATOMIC_RELAXED;
inline constexpr int acquire = __ATOMIC_ACQUIRE;
inline constexpr int release = __ATOMIC_RELEASE;

// ThreadSanitizer knows no fences: nothing here relies on one to hand data over.
inline void fence_seq_cst() {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
}

}  // namespace base

template <class T>
class atomic {
 public:
  constexpr atomic() noexcept : value_() {}
  constexpr atomic(T initial) noexcept : value_(initial) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  [[gnu::always_inline]] T load(int order) const { return __atomic_load_n(&value_, order); }
  [[gnu::always_inline]] void store(T value, int order) { __atomic_store_n(&value_, value, order); }
  [[gnu::always_inline]] T exchange(T value, int order) { return __atomic_exchange_n(&value_, value, order); }
  [[gnu::always_inline]] bool compare_exchange_strong(T& expected, T desired, int order) {
    return __atomic_compare_exchange_n(&value_, &expected, desired, false, order, base::relaxed);
  }
  [[gnu::always_inline]] T fetch_add(T by, int order) { return __atomic_fetch_add(&value_, by, order); }
  [[gnu::always_inline]] T fetch_or(T bits, int order) { return __atomic_fetch_or(&value_, bits, order); }
  [[gnu::always_inline]] T fetch_and(T bits, int order) { return __atomic_fetch_and(&value_, bits, order); }

 private:
  T value_;
};

// A word of a public struct, seen as an atomic: C programs read it by the builtins.
template <class T>
[[gnu::always_inline]] inline atomic<T>& as_atomic(T& word) {
  static_assert(sizeof(atomic<T>) == sizeof(T));
  return reinterpret_cast<atomic<T>&>(word);
}

// In a loop that looks until another worker has written.
inline void spin_hint() { arch::pause(); }

}  // namespace weft::tascell_runtime
