// The model's weft_threads_word/word.h: the words of the threads interface's objects for libraries,
// on the explorer's memory.
#ifndef WEFT_THREADS_WORD_H
#define WEFT_THREADS_WORD_H

#include "base/atomic.hpp"
#include "os/futex.hpp"

using threads_word = weft::base::atomic<std::uint32_t>;
static_assert(sizeof(threads_word) == sizeof(std::uint32_t));

inline threads_word& word_at(const std::uint32_t* word) {
  return *reinterpret_cast<threads_word*>(const_cast<std::uint32_t*>(word));
}
inline std::memory_order word_order(int order) {
  switch (order) {
    case __ATOMIC_RELAXED: return std::memory_order_relaxed;
    case __ATOMIC_ACQUIRE: return std::memory_order_acquire;
    case __ATOMIC_RELEASE: return std::memory_order_release;
    case __ATOMIC_ACQ_REL: return std::memory_order_acq_rel;
    default: return std::memory_order_seq_cst;
  }
}

inline std::uint32_t word_load(const std::uint32_t* word, int order, explorer::site where = explorer::site::current()) {
  return word_at(word).load(word_order(order), where);
}
inline void word_store(std::uint32_t* word, std::uint32_t value, int order, explorer::site where = explorer::site::current()) {
  word_at(word).store(value, word_order(order), where);
}
inline std::uint32_t word_exchange(std::uint32_t* word, std::uint32_t value, int order,
                                   explorer::site where = explorer::site::current()) {
  return word_at(word).exchange(value, word_order(order), where);
}
inline void word_add(std::uint32_t* word, std::uint32_t by, int order, explorer::site where = explorer::site::current()) {
  word_at(word).fetch_add(by, word_order(order), where);
}
inline bool word_replace(std::uint32_t* word, std::uint32_t* expected, std::uint32_t value, int order,
                         explorer::site where = explorer::site::current()) {
  return word_at(word).compare_exchange_strong(*expected, value, word_order(order), std::memory_order_relaxed, where);
}
template <class T>
weft::base::atomic<T>& wide_word_at(const T* word) {
  static_assert(sizeof(weft::base::atomic<T>) == sizeof(T));
  return *reinterpret_cast<weft::base::atomic<T>*>(const_cast<T*>(word));
}
inline std::uint64_t word64_load(const std::uint64_t* word, int order, explorer::site where = explorer::site::current()) {
  return wide_word_at(word).load(word_order(order), where);
}
inline void word64_store(std::uint64_t* word, std::uint64_t value, int order, explorer::site where = explorer::site::current()) {
  wide_word_at(word).store(value, word_order(order), where);
}
inline void* word_pointer_load(void* const* word, int order, explorer::site where = explorer::site::current()) {
  return wide_word_at(word).load(word_order(order), where);
}
inline void word_pointer_store(void** word, void* value, int order, explorer::site where = explorer::site::current()) {
  wide_word_at(word).store(value, word_order(order), where);
}
inline void word_sleep(const std::uint32_t* word, std::uint32_t value, explorer::site where = explorer::site::current()) {
  weft::os::futex_wait(&word_at(word), value, where);
}
inline void word_sleep_until(const std::uint32_t* word, std::uint32_t value, std::uint64_t deadline_ns,
                             explorer::site where = explorer::site::current()) {
  static_cast<void>(weft::os::futex_wait_until(&word_at(word), value, deadline_ns, where));
}
inline void word_wake(const std::uint32_t* word, explorer::site where = explorer::site::current()) {
  weft::os::futex_wake(&word_at(word), 1, where);
}

#endif
