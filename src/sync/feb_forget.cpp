// Forgets the state of all words in a range: see feb.hpp.
#include <cstring>
#include <iterator>

#include "base/assert.hpp"
#include "base/config.hpp"
#include "sync/feb.hpp"
#include "sync/feb_table.hpp"
#include "unit/details.hpp"
#include "worker/extras.hpp"
#include "worker/failure.hpp"

namespace weft::sync::feb {

namespace {

struct word_range {
  std::uintptr_t first;  // addresses of words
  std::uintptr_t last;

  bool has(const feb_entry* one) const {
    const auto at = reinterpret_cast<std::uintptr_t>(one->word);
    return first <= at && at <= last;
  }
};

// The first word found at which a caller waits.
struct obstacle {
  const std::uint64_t* word = nullptr;  // null: there is none
  std::uint64_t thread = 0;             // 0: no thread, or none that has an id
  bool is_awaiter = false;
  char name[sched::name_bytes] = {};
  const char* awaited = nullptr;
};

// Inside the stripe's lock, which keeps the waiter's record.
void note(const feb_entry* one, obstacle* found) {
  if (found->word != nullptr) return;
  found->word = one->word;
  if constexpr (!config::checked) return;
  const sched::waiter* const first = one->first_waiter();
  found->awaited = first->what;
  found->is_awaiter = sched::is_awaiters(first);
  if (first->who == nullptr) return;
  found->thread = sched::id_of(first->who);
  const sched::details* const extra = sched::details_if_any(first->who);
  if (extra != nullptr) std::memcpy(found->name, extra->name, sizeof found->name);
}

// True: the entry is gone.
bool forget_entry(feb_stripe* stripe, feb_entry** link, obstacle* found) {
  if ((*link)->has_waiters()) {
    note(*link, found);
    return false;
  }
  stripe->remove(link);
  return true;
}

void forget_one_by_one(const word_range& range, obstacle* found) {
  for (std::uintptr_t at = range.first;; at += sizeof(std::uint64_t)) {
    const auto* const word = reinterpret_cast<const std::uint64_t*>(at);
    feb_stripe* const stripe = feb_stripe_of(word);
    const queue::guard inside(stripe->lock);
    feb_entry** const link = stripe->link_of(word);
    if (*link != nullptr) static_cast<void>(forget_entry(stripe, link, found));
    if (at == range.last) return;
  }
}

void forget_by_a_walk(const word_range& range, obstacle* found) {
  for (feb_stripe& each : feb_stripes) {
    const queue::guard inside(each.lock);
    each.walk([&](feb_entry** link) { return range.has(*link) && forget_entry(&each, link, found); });
  }
}

// Checked builds: says which caller waits there.
[[maybe_unused]] void name_waiter(const obstacle& found) {
  const auto* const word = static_cast<const void*>(found.word);
  if (found.thread != 0) {
    base::report("weft_feb_forget: thread %llu \"%s\" waits at word %p (%s), which is not forgotten",
                 static_cast<unsigned long long>(found.thread), found.name, word, found.awaited);
  } else {
    base::report("weft_feb_forget: an %s waits at word %p, which is not forgotten",
                 found.is_awaiter ? "awaiter" : "OS thread outside", word);
  }
}

}  // namespace

status forget(const void* base, std::size_t bytes) {
  if (bytes == 0) return status::ok;
  constexpr std::uintptr_t beside_words = sizeof(std::uint64_t) - 1;
  const auto begin = reinterpret_cast<std::uintptr_t>(base);
  const word_range range{begin & ~beside_words, (begin + (bytes - 1)) & ~beside_words};
  constexpr std::uintptr_t longest_by_words = (std::size(feb_stripes) - 1) * sizeof(std::uint64_t);
  obstacle found;
  if (range.last - range.first <= longest_by_words) {
    forget_one_by_one(range, &found);
  } else {
    forget_by_a_walk(range, &found);
  }
  if (found.word == nullptr) return status::ok;
  if constexpr (config::checked) name_waiter(found);
  return sched::because(status::busy, "base", "a caller waits at word %p", reinterpret_cast<std::uintptr_t>(found.word));
}

namespace {

void forget_waits_at(feb_entry* entry, const sched::dropped_waits& dropped) {
  for (wait_queue* queue : {&entry->to_read, &entry->to_overwrite, &entry->to_take, &entry->to_write}) {
    queue->walk([&](sched::waiter* one) {
      if (dropped.contain(one)) queue->remove(one);
    });
  }
}

}  // namespace

// The words are not touched: their memory may be the program's again, or be initialised anew. An
// entry of a syncvar goes with its last waiter; the mark that such a word keeps is taken off by the
// next operation there.
void forget_waits(const sched::dropped_waits& dropped) {
  for (feb_stripe& each : feb_stripes) {
    const queue::guard inside(each.lock);
    each.walk([&](feb_entry** link) {
      forget_waits_at(*link, dropped);
      const bool is_left = (*link)->is_of_syncvar && !(*link)->has_waiters();
      if (is_left) each.remove_syncvars(link);
      return is_left;
    });
  }
}

}  // namespace weft::sync::feb
