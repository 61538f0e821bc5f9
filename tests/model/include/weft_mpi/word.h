// The model's weft_mpi/word.h: the words of libweft-mpi's engine on the explorer's memory.
#ifndef WEFT_MPI_WORD_H
#define WEFT_MPI_WORD_H

#include "base/atomic.hpp"
#include "os/futex.hpp"

struct mpi_link;

struct mpi_word {
  weft::base::atomic<std::uint32_t> value{0};
};
struct mpi_slot {
  weft::base::atomic<mpi_link*> value{nullptr};
};

inline std::memory_order mpi_order(int order) {
  switch (order) {
    case __ATOMIC_RELAXED: return std::memory_order_relaxed;
    case __ATOMIC_ACQUIRE: return std::memory_order_acquire;
    case __ATOMIC_RELEASE: return std::memory_order_release;
    case __ATOMIC_ACQ_REL: return std::memory_order_acq_rel;
    default: return std::memory_order_seq_cst;
  }
}
// A mutation may give a load or a store both halves.
inline std::memory_order mpi_load_order(int order) {
  return order == __ATOMIC_ACQ_REL ? std::memory_order_acquire : mpi_order(order);
}
inline std::memory_order mpi_store_order(int order) {
  return order == __ATOMIC_ACQ_REL ? std::memory_order_release : mpi_order(order);
}

inline std::uint32_t mpi_word_load(const mpi_word* word, int order, explorer::site where = explorer::site::current()) {
  return word->value.load(mpi_load_order(order), where);
}
inline void mpi_word_store(mpi_word* word, std::uint32_t value, int order, explorer::site where = explorer::site::current()) {
  word->value.store(value, mpi_store_order(order), where);
}
inline std::uint32_t mpi_word_exchange(mpi_word* word, std::uint32_t value, int order,
                                       explorer::site where = explorer::site::current()) {
  return word->value.exchange(value, mpi_order(order), where);
}
inline void mpi_word_add(mpi_word* word, std::uint32_t by, int order, explorer::site where = explorer::site::current()) {
  word->value.fetch_add(by, mpi_order(order), where);
}
inline void mpi_word_subtract(mpi_word* word, std::uint32_t by, int order, explorer::site where = explorer::site::current()) {
  word->value.fetch_sub(by, mpi_order(order), where);
}

inline mpi_link* mpi_slot_load(const mpi_slot* slot, int order, explorer::site where = explorer::site::current()) {
  return slot->value.load(mpi_load_order(order), where);
}
inline mpi_link* mpi_slot_exchange(mpi_slot* slot, mpi_link* value, int order, explorer::site where = explorer::site::current()) {
  return slot->value.exchange(value, mpi_order(order), where);
}
inline bool mpi_slot_replace(mpi_slot* slot, mpi_link** expected, mpi_link* value, int order,
                             explorer::site where = explorer::site::current()) {
  return slot->value.compare_exchange_weak(*expected, value, mpi_order(order), std::memory_order_relaxed, where);
}

// The core has an atomic there.
inline std::uint64_t mpi_number_load(const std::uint64_t* number, int order, explorer::site where = explorer::site::current()) {
  return reinterpret_cast<const weft::base::atomic<std::uint64_t>*>(number)->load(mpi_load_order(order), where);
}
inline void mpi_number_store(std::uint64_t* number, std::uint64_t value, int order,
                             explorer::site where = explorer::site::current()) {
  reinterpret_cast<weft::base::atomic<std::uint64_t>*>(number)->store(value, mpi_store_order(order), where);
}

inline void mpi_futex_wait(mpi_word* word, std::uint32_t expected, std::uint64_t most_ns,
                           explorer::site where = explorer::site::current()) {
  static_cast<void>(weft::os::futex_wait_until(&word->value, expected, most_ns, where));
}
inline void mpi_futex_wake(mpi_word* word, explorer::site where = explorer::site::current()) {
  weft::os::futex_wake(&word->value, 1, where);
}

#endif
