// The model's weft_threads/detail/sync_word.h: full/empty variables of the threads interface on the
// explorer's memory.
#ifndef WEFT_THREADS_DETAIL_SYNC_WORD_H
#define WEFT_THREADS_DETAIL_SYNC_WORD_H

#include "base/atomic.hpp"

using threads_sync_atomic = weft::base::atomic<std::uint32_t>;
static_assert(sizeof(threads_sync_atomic) == sizeof(std::uint32_t));

inline threads_sync_atomic& threads_sync_atomic_at(const std::uint32_t* word) {
  return *reinterpret_cast<threads_sync_atomic*>(const_cast<std::uint32_t*>(word));
}
inline std::memory_order threads_sync_order(int order) {
  if (order == __ATOMIC_RELAXED) return std::memory_order_relaxed;
  return order == __ATOMIC_ACQUIRE ? std::memory_order_acquire : std::memory_order_release;
}

inline std::uint32_t threads_sync_load(const std::uint32_t* word, int order, explorer::site where = explorer::site::current()) {
  return threads_sync_atomic_at(word).load(threads_sync_order(order), where);
}
inline void threads_sync_store(std::uint32_t* word, std::uint32_t value, int order,
                               explorer::site where = explorer::site::current()) {
  threads_sync_atomic_at(word).store(value, threads_sync_order(order), where);
}
inline void threads_sync_subtract(std::uint32_t* word, std::uint32_t value, int order,
                                  explorer::site where = explorer::site::current()) {
  threads_sync_atomic_at(word).fetch_sub(value, threads_sync_order(order), where);
}
inline void threads_sync_set_bits(std::uint32_t* word, std::uint32_t bits, int order,
                                  explorer::site where = explorer::site::current()) {
  threads_sync_atomic_at(word).fetch_or(bits, threads_sync_order(order), where);
}
inline bool threads_sync_replace(std::uint32_t* word, std::uint32_t expected, std::uint32_t value, int order,
                                 explorer::site where = explorer::site::current()) {
  return threads_sync_atomic_at(word).compare_exchange_strong(expected, value, threads_sync_order(order),
                                                              std::memory_order_relaxed, where);
}

#endif
