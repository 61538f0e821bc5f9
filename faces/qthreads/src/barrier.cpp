// Barriers: one word with the round and how many have come in it. The last caller of a round begins
// the next one, and wakes the others.
#include <qthread/barrier.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include <weft/weft.h>

#include "base/atomic.hpp"

namespace base = weft::base;

struct qt_barrier_s {
  base::atomic<std::uint64_t> round_and_arrived;
  base::atomic<std::uint64_t> inside;  // callers that have not left
  base::atomic<std::uint32_t> size;
};

namespace {

constexpr std::uint64_t is_ending = std::uint64_t{1} << 63;  // in `inside`
constexpr unsigned round_shift = 32;

constexpr std::uint64_t round_of(std::uint64_t word) { return word >> round_shift; }
constexpr std::uint32_t arrived_of(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

void arrive_and_wait(qt_barrier_s* one) {
  base::atomic<std::uint64_t>* const word = &one->round_and_arrived;
  std::uint64_t before = word->load(base::relaxed), after;
  do {
    const std::uint32_t size = one->size.load(base::relaxed);
    const bool is_last = size != 0 && arrived_of(before) + 1 >= size;
    after = is_last ? (round_of(before) + 1) << round_shift : before + 1;
    // [Q70] acq_rel: what each caller did before it came; pairs with [Q70] [Q71]
  } while (!word->compare_exchange_weak(before, after, base::acq_rel, base::relaxed));
  if (arrived_of(after) == 0) {
    weft_word_wake(word, SIZE_MAX);
    return;
  }
  while (round_of(after) == round_of(before)) {
    static_cast<void>(weft_word_wait(word, sizeof after, after, WEFT_FOREVER));
    // [Q71] acquire: sees what the others did before they came; pairs with [Q70]
    after = word->load(base::acquire);
  }
}

void leave(qt_barrier_s* one) {
  base::atomic<std::uint64_t>* const word = &one->inside;
  // [Q72] release: done with the barrier; pairs with [Q73] [Q74]
  if (word->fetch_sub(1, base::release) == (is_ending | 1)) weft_word_wake(word, SIZE_MAX);
}

void wait_for_leavers(qt_barrier_s* one) {
  // [Q73] acquire: all are done with the barrier; pairs with [Q72]
  std::uint64_t seen = one->inside.fetch_or(is_ending, base::acquire) | is_ending;
  while (seen != is_ending) {
    static_cast<void>(weft_word_wait(&one->inside, sizeof seen, seen, WEFT_FOREVER));
    // [Q74] acquire: as above; pairs with [Q72]
    seen = one->inside.load(base::acquire);
  }
}

}  // namespace

extern "C" {

qt_barrier_t* qt_barrier_create(size_t max_threads, qt_barrier_btype /*type*/) {
  if (max_threads > UINT32_MAX) return nullptr;
  void* const memory = std::malloc(sizeof(qt_barrier_s));
  return memory != nullptr ? new (memory) qt_barrier_s{{0}, {0}, {static_cast<std::uint32_t>(max_threads)}} : nullptr;
}

void qt_barrier_enter(qt_barrier_t* b) {
  if (b == nullptr) return;
  b->inside.fetch_add(1, base::relaxed);
  arrive_and_wait(b);
  leave(b);
}

void qt_barrier_enter_id(qt_barrier_t* b, size_t /*id*/) { qt_barrier_enter(b); }

void qt_barrier_destroy(qt_barrier_t* b) {
  if (b == nullptr) return;
  wait_for_leavers(b);
  std::free(b);
}

void qt_barrier_resize(qt_barrier_t* b, size_t size) {
  if (b != nullptr && size <= UINT32_MAX) b->size.store(static_cast<std::uint32_t>(size), base::relaxed);
}
}
