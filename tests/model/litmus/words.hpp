// The words of C11's atomics that the litmus tests use, as the explorer's.
#pragma once

#include "base/atomic.hpp"
#include "explorer/explorer.hpp"

using namespace explorer::words;

using atomic_int = weft::base::atomic<int>;

// A type of its own, so that none of std's functions is found by it.
struct litmus_order {
  std::memory_order std;
};
constexpr litmus_order memory_order_relaxed{std::memory_order_relaxed};
constexpr litmus_order memory_order_acquire{std::memory_order_acquire};
constexpr litmus_order memory_order_release{std::memory_order_release};
constexpr litmus_order memory_order_acq_rel{std::memory_order_acq_rel};
constexpr litmus_order memory_order_seq_cst{std::memory_order_seq_cst};

inline void atomic_store_explicit(atomic_int* at, int value, litmus_order o) { at->store(value, o.std); }
inline int atomic_load_explicit(atomic_int* at, litmus_order o) { return at->load(o.std); }
inline int atomic_exchange_explicit(atomic_int* at, int value, litmus_order o) { return at->exchange(value, o.std); }
inline int atomic_fetch_add_explicit(atomic_int* at, int value, litmus_order o) { return at->fetch_add(value, o.std); }
inline void atomic_thread_fence(litmus_order o) { explorer::atomic_fence(o.std, explorer::site::current()); }
