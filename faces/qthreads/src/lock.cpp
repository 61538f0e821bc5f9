// qthread_lock and its kin: full/empty words, but for those that were made mutexes, which lie in a
// table by address.
#include <cstdint>
#include <cstdlib>

#include "faces/common/spinlock.hpp"
#include "spinlock.hpp"

namespace {

using weft::face::guard;
using weft::qthreads::atomic;

struct entry {
  entry* next;
  const aligned_t* word;
  qthread_spinlock_t lock;
};

struct row {
  weft::face::spinlock lock;
  entry* first;
};

constexpr unsigned rows_as_power = 6;
constinit row table[1u << rows_as_power] = {};
// How many entries there are: programs without any look no further.
constinit atomic<std::uint32_t> entries{0};

row* row_of(const aligned_t* word) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  return &table[reinterpret_cast<std::uintptr_t>(word) * golden >> (64 - rows_as_power)];
}

entry** link_of(row* in, const aligned_t* word) {
  entry** link = &in->first;
  while (*link != nullptr && (*link)->word != word) link = &(*link)->next;
  return link;
}

// Null: the word is a full/empty word.
qthread_spinlock_t* mutex_at(const aligned_t* word) {
  if (entries.load(weft::base::relaxed) == 0) return nullptr;
  row* const in = row_of(word);
  const guard inside(in->lock);
  entry* const found = *link_of(in, word);
  return found != nullptr ? &found->lock : nullptr;
}

}  // namespace

using namespace weft::qthreads;

extern "C" {

int qthread_lock_init(aligned_t const* a, bool const is_recursive) {
  if (a == nullptr) return QTHREAD_BADARGS;
  auto* const made = static_cast<entry*>(std::calloc(1, sizeof(entry)));
  if (made == nullptr) return QTHREAD_MALLOC_ERROR;
  made->word = a;
  lay_out(&made->lock, is_recursive);
  row* const in = row_of(a);
  {
    const guard inside(in->lock);
    entry** const link = link_of(in, a);
    if (*link == nullptr) {
      *link = made;
      entries.fetch_add(1, weft::base::relaxed);
      return QTHREAD_SUCCESS;
    }
  }
  std::free(made);
  return QTHREAD_OPFAIL;
}

int qthread_lock_destroy(aligned_t* a) {
  row* const in = row_of(a);
  entry* found = nullptr;
  {
    const guard inside(in->lock);
    entry** const link = link_of(in, a);
    found = *link;
    if (found == nullptr) return QTHREAD_SUCCESS;
    *link = found->next;
    entries.fetch_sub(1, weft::base::relaxed);
  }
  std::free(found);
  return QTHREAD_SUCCESS;
}

int qthread_lock(aligned_t const* a) {
  qthread_spinlock_t* const mutex = mutex_at(a);
  return mutex != nullptr ? lock(mutex) : qthread_readFE(nullptr, a);
}

int qthread_trylock(aligned_t const* a) {
  qthread_spinlock_t* const mutex = mutex_at(a);
  return mutex != nullptr ? try_lock(mutex) : qthread_readFE_nb(nullptr, a);
}

int qthread_unlock(aligned_t const* a) {
  qthread_spinlock_t* const mutex = mutex_at(a);
  return mutex != nullptr ? unlock(mutex) : qthread_fill(a);
}
}
