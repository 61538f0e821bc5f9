// The model's weft/detail/hot_word.h: hot.h on the explorer's memory.
#ifndef WEFT_DETAIL_HOT_WORD_H
#define WEFT_DETAIL_HOT_WORD_H

#include "base/atomic.hpp"

struct weft_forked;
struct weft_hot_line;

struct weft_hot_word {
  weft::base::atomic<weft_forked*> value{nullptr};
};

#define WEFT_HOT_INLINE static inline __attribute__((always_inline))

inline std::memory_order weft_hot_order(int order) {
  if (order == __ATOMIC_RELAXED) return std::memory_order_relaxed;
  return order == __ATOMIC_ACQUIRE ? std::memory_order_acquire : std::memory_order_release;
}
inline weft_forked* weft_hot_load(const weft_hot_word* word, int order, explorer::site where = explorer::site::current()) {
  return word->value.load(weft_hot_order(order), where);
}
// The core has an atomic there.
inline std::uintptr_t weft_hot_load_address(const std::uintptr_t* word, int order,
                                            explorer::site where = explorer::site::current()) {
  return reinterpret_cast<const weft::base::atomic<std::uintptr_t>*>(word)->load(weft_hot_order(order), where);
}
inline void weft_hot_store(weft_hot_word* word, weft_forked* value, int order, explorer::site where = explorer::site::current()) {
  word->value.store(value, weft_hot_order(order), where);
}
inline bool weft_hot_is(const weft_hot_word* word, const weft_forked* wanted, explorer::site where = explorer::site::current()) {
  return word->value.load(std::memory_order_relaxed, where) == wanted;
}
inline bool weft_hot_is_above(const weft_hot_word* word, const weft_forked* place,
                              explorer::site where = explorer::site::current()) {
  return word->value.load(std::memory_order_relaxed, where) > place;
}
inline void weft_hot_light_fence(explorer::site where = explorer::site::current()) { weft::base::light_fence(where); }

// The model's own: the hot line of the logical thread's worker.
weft_hot_line* weft_hot_here();

#endif
