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

// Whether `count` children have ended, or more.
bool have_ended(std::uint64_t word, std::uint32_t count) {
  return ((family::ended_in(word) - count) & family::most) <= family::most / 2;
}

// Announces that the parent parks until `count` children have ended. Zero: they have.
std::uint64_t announce(family* shared, std::uint64_t word, std::uint32_t count) {
  std::uint64_t parked = 0;
  do {  // children may end meanwhile
    if (have_ended(word, count)) return 0;
    parked = (word & ~family::lower) | family::parent_parks | count;
  } while (!shared->word.compare_exchange_weak(word, parked, base::relaxed));
  return parked;
}

// False: the pause has passed.
bool park_until(family* shared, std::uint64_t word, std::uint32_t count, std::uint64_t pause_ns) {
  const std::uint64_t deadline = weft_deadline_in(pause_ns);
  std::uint64_t parked = announce(shared, word, count);
  if (parked == 0) return true;
  weft_status status = WEFT_AGAIN;
  while (status == WEFT_AGAIN && !have_ended(parked, count)) {
    status = weft_word_wait(&shared->word, sizeof shared->word, parked, deadline);
    parked = load(shared);
  }
  static_cast<void>(shared->word.fetch_and(~family::parent_parks, base::relaxed));
  return status != WEFT_TIMEOUT;
}

}  // namespace

void add_to_family(task* caller, task* child) {
  offspring* const mine = &caller->made;
  if (mine->is_over) return;
  if (mine->shared == nullptr) {
    void* const memory = std::malloc(sizeof(family));
    if (memory == nullptr) return;
    caller->flags |= uses_more;
    *mine = offspring{};
    mine->shared = new (memory) family;
    mine->has_parked = true;
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
  const offspring made = one->made;
  family* const parent = one->parent;
  one->made = offspring{};  // what the task still calls as it ends finds no word
  one->made.is_over = true;
  one->parent = nullptr;
  if (made.shared != nullptr) end_as_parent(&made);
  if (parent != nullptr) end_as_child(parent);
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
    return false;
  }
  if (left == 0 || weft_deadline_in(0) < mine->yields_until) return false;
  // At first all children of the group; after a wake-up that did not end the wait, each child.
  const std::uint32_t awaited = !mine->has_parked && left > mine->kept ? left - mine->kept : 1;
  if (mine->has_parked) wake_parent(caller);
  mine->has_parked = true;
  const std::uint32_t pause = mine->pause_ns == 0                  ? least_pause_ns
                              : mine->pause_ns < most_pause_ns / 2 ? 2 * mine->pause_ns
                                                                   : most_pause_ns;
  const bool is_woken = park_until(mine->shared, word, (ended + awaited) & family::most, pause);
  mine->seen = family::ended_in(load(mine->shared));
  const bool is_in_vain = !is_woken && mine->seen == ended;
  mine->pause_ns = is_in_vain ? pause : 0;
  // The caller may wait for something else: it looks for that as long as it has not looked.
  mine->yields_until = is_in_vain ? weft_deadline_in(pause) : 0;
  return true;
}

void wake_parent(const task* caller) {
  family* const shared = caller->parent;  // it is there until the caller has ended
  if (shared != nullptr && (shared->word.load(base::relaxed) & family::parent_parks) != 0)
    static_cast<void>(weft_word_wake(&shared->word, 1));
}

}  // namespace weft::qthreads
