#include "spinlock.hpp"

#include "feb.hpp"
#include "task.hpp"

namespace weft::qthreads {

namespace {

constexpr std::uint64_t is_free = 0;
constexpr std::uint64_t is_held = 1;
constexpr std::uint64_t has_waiters = 2;

atomic<std::uint64_t>* word_of(qthread_spinlock_t* one) { return reinterpret_cast<atomic<std::uint64_t>*>(&one->lock.u); }
atomic<std::int64_t>* owner_of(qthread_spinlock_t* one) { return reinterpret_cast<atomic<std::int64_t>*>(&one->state.s); }

bool is_recursive(qthread_spinlock_t* one) { return owner_of(one)->load(base::relaxed) != QTHREAD_SPINLOCK_IS_NOT_RECURSIVE; }

bool take(atomic<std::uint64_t>* word) {
  std::uint64_t expected = is_free;
  // [Q5] acquire: sees what the last holder did; pairs with [Q7]
  return word->compare_exchange_strong(expected, is_held, base::acquire, base::relaxed);
}

void take_or_wait(atomic<std::uint64_t>* word) {
  if (take(word)) return;
  if (is_simple_task()) tell_of_simple_that_waits();
  // [Q6] acquire: sees what the last holder did; pairs with [Q7]
  while (word->exchange(has_waiters, base::acquire) != is_free)
    static_cast<void>(weft_word_wait(word, sizeof *word, has_waiters, WEFT_FOREVER));
}

void give(atomic<std::uint64_t>* word) {
  // [Q7] release: publishes what this holder did; pairs with [Q5] [Q6]
  if (word->exchange(is_free, base::release) == has_waiters) weft_word_wake(word, 1);
}

// True: the caller holds it already, and holds it once more.
bool take_again(qthread_spinlock_t* one) {
  if (owner_of(one)->load(base::relaxed) != caller_identity()) return false;
  ++one->state.count;
  return true;
}

void note_owner(qthread_spinlock_t* one) {
  if (!is_recursive(one)) return;
  owner_of(one)->store(caller_identity(), base::relaxed);
  one->state.count = 1;
}

}  // namespace

std::int64_t caller_identity() {
  const void* identity = self();
  if (identity == nullptr) identity = weft_self();
  if (identity == nullptr) identity = &acting_task;
  return reinterpret_cast<std::intptr_t>(identity);
}

int lock(qthread_spinlock_t* one) {
  if (take_again(one)) return QTHREAD_SUCCESS;
  take_or_wait(word_of(one));
  note_owner(one);
  return QTHREAD_SUCCESS;
}

int try_lock(qthread_spinlock_t* one) {
  if (take_again(one)) return QTHREAD_SUCCESS;
  if (!take(word_of(one))) return QTHREAD_OPFAIL;
  note_owner(one);
  return QTHREAD_SUCCESS;
}

int unlock(qthread_spinlock_t* one) {
  if (is_recursive(one)) {
    if (owner_of(one)->load(base::relaxed) != caller_identity()) return QTHREAD_OPFAIL;
    if (--one->state.count != 0) return QTHREAD_SUCCESS;
    owner_of(one)->store(QTHREAD_SPINLOCK_IS_RECURSIVE, base::relaxed);
  }
  give(word_of(one));
  return QTHREAD_SUCCESS;
}

void lay_out(qthread_spinlock_t* one, bool is_recursive) {
  word_of(one)->store(is_free, base::relaxed);
  owner_of(one)->store(is_recursive ? QTHREAD_SPINLOCK_IS_RECURSIVE : QTHREAD_SPINLOCK_IS_NOT_RECURSIVE, base::relaxed);
  one->state.count = 0;
}

}  // namespace weft::qthreads

using namespace weft::qthreads;

extern "C" {

int qthread_spinlock_init(qthread_spinlock_t* a, bool const is_recursive) {
  if (a == nullptr) return QTHREAD_BADARGS;
  lay_out(a, is_recursive);
  return QTHREAD_SUCCESS;
}

int qthread_spinlock_destroy(qthread_spinlock_t* a) { return a != nullptr ? QTHREAD_SUCCESS : QTHREAD_BADARGS; }
int qthread_spinlock_lock(qthread_spinlock_t* a) { return a != nullptr ? lock(a) : QTHREAD_BADARGS; }
int qthread_spinlock_trylock(qthread_spinlock_t* a) { return a != nullptr ? try_lock(a) : QTHREAD_BADARGS; }
int qthread_spinlock_unlock(qthread_spinlock_t* a) { return a != nullptr ? unlock(a) : QTHREAD_BADARGS; }
int qthread_spinlocks_init(qthread_spinlock_t* a, bool const is_recursive) { return qthread_spinlock_init(a, is_recursive); }
int qthread_spinlocks_destroy(qthread_spinlock_t* a) { return qthread_spinlock_destroy(a); }
}
