#include "family.hpp"

#include <cstdlib>
#include <new>

#include "task.hpp"

namespace weft::qthreads {

namespace {

constexpr std::uint32_t least_pause_ns = 50'000;
constexpr std::uint32_t most_pause_ns = 1'000'000;

std::uint64_t load(const family* shared) {
  // [Q80] acquire: what the children that have ended did; pairs with [Q81]
  return shared->word.load(base::acquire);
}

void end_as_child(family* shared) {
  // [Q81] acq_rel: what this child did, for its parent and for the free; pairs with [Q80] [Q81] [Q82]
  const std::uint64_t word = shared->word.fetch_add(family::one_ended, base::acq_rel) + family::one_ended;
  if (family::ended_in(word) != family::count_of(word)) return;
  if ((word & family::parent_ended) != 0) {
    std::free(shared);
  } else if ((word & family::parent_parks) != 0) {
    static_cast<void>(weft_word_wake(&shared->word, 1));
  }
}

void end_as_parent(const offspring* mine) {
  family* const shared = mine->shared;
  const std::uint64_t before = shared->word.load(base::relaxed) & family::lower;
  const std::uint64_t step = (family::parent_ended | mine->forked) - before;  // no sum of lower bits reaches the count of ends
  // [Q82] acq_rel: the parent is done with the word, before it is freed; pairs with [Q81]
  const std::uint64_t word = shared->word.fetch_add(step, base::acq_rel) + step;
  if (family::ended_in(word) == family::count_of(word)) std::free(shared);
}

// Announces that the parent parks until `count` children have ended. Zero: they have.
std::uint64_t announce(family* shared, std::uint64_t word, std::uint32_t count) {
  std::uint64_t parked = 0;
  do {  // children may end meanwhile
    if (family::ended_in(word) == count) return 0;
    parked = (word & ~family::lower) | family::parent_parks | count;
  } while (!shared->word.compare_exchange_weak(word, parked, base::relaxed));
  return parked;
}

void park_until(family* shared, std::uint64_t word, std::uint32_t count, std::uint64_t pause_ns) {
  const std::uint64_t deadline = weft_deadline_in(pause_ns);
  std::uint64_t parked = announce(shared, word, count);
  if (parked == 0) return;
  while (family::ended_in(parked) != count && weft_word_wait(&shared->word, sizeof shared->word, parked, deadline) == WEFT_AGAIN)
    parked = load(shared);
  static_cast<void>(shared->word.fetch_and(~family::parent_parks, base::relaxed));
}

}  // namespace

void add_to_family(task* caller, task* child) {
  offspring* const mine = &caller->made;
  if (mine->shared == nullptr) {
    void* const memory = std::malloc(sizeof(family));
    if (memory == nullptr) return;
    caller->flags |= uses_more;
    *mine = {new (memory) family, 0, 0, 0, 0, true};
  }
  if (mine->has_parked) {
    mine->has_parked = false;
    mine->kept = (mine->forked - family::ended_in(load(mine->shared))) & family::most;
  }
  mine->forked = (mine->forked + 1) & family::most;
  child->flags |= uses_more;
  child->parent = mine->shared;
}

void end_family(task* one) {
  if (one->made.shared != nullptr) end_as_parent(&one->made);
  if (one->parent != nullptr) end_as_child(one->parent);
}

bool yield_to_children(task* caller) {
  offspring* const mine = &caller->made;
  if (mine->shared == nullptr) return false;
  const std::uint64_t word = load(mine->shared);
  const std::uint32_t ended = family::ended_in(word);
  const std::uint32_t left = (mine->forked - ended) & family::most;
  if (ended != mine->seen) {  // since the caller's last look
    mine->seen = ended;
    mine->pause_ns = 0;
    return left != 0;
  }
  if (left == 0) return false;
  // At first all children of the group; after a wake-up that did not end the wait, each child.
  const std::uint32_t awaited = !mine->has_parked && left > mine->kept ? left - mine->kept : 1;
  if (mine->has_parked) wake_parent(caller);
  mine->has_parked = true;
  mine->pause_ns = mine->pause_ns == 0 ? least_pause_ns : mine->pause_ns < most_pause_ns / 2 ? 2 * mine->pause_ns : most_pause_ns;
  park_until(mine->shared, word, (ended + awaited) & family::most, mine->pause_ns);
  mine->seen = family::ended_in(load(mine->shared));
  if (mine->seen != ended) mine->pause_ns = 0;
  return true;
}

void wake_parent(const task* caller) {
  family* const shared = caller->parent;  // it is there until the caller has ended
  if (shared != nullptr && (shared->word.load(base::relaxed) & family::parent_parks) != 0)
    static_cast<void>(weft_word_wake(&shared->word, 1));
}

}  // namespace weft::qthreads
