// The atomics of the core. Model tests put a file of the same name before this one on the include path, so that the headers that
// ship run on the explorer's atomics; nothing else in the core names std::atomic.
//
// Every operation names its order. Every one that is not relaxed carries a tag, see docs/protocols/README.md.
#pragma once

#include <atomic>

#include "base/config.hpp"

namespace weft::base {

template <class T>
using atomic = std::atomic<T>;

inline constexpr auto relaxed = std::memory_order_relaxed;
inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;
inline constexpr auto acq_rel = std::memory_order_acq_rel;
inline constexpr auto seq_cst = std::memory_order_seq_cst;

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
    static std::atomic<int> dummy{0};
    dummy.fetch_add(1, seq_cst);
  } else {
    std::atomic_thread_fence(seq_cst);
  }
}

// The cheap half of an asymmetric fence pair: orders this thread's earlier stores before its later loads as seen by a thread that
// runs os::heavy_fence(). Costs nothing but the compiler's freedom. Under TSan it is a full fence.
inline void light_fence() {
  if constexpr (config::thread_sanitizer) {
    fence_seq_cst();
  } else {
    std::atomic_signal_fence(seq_cst);
  }
}

}  // namespace weft::base
