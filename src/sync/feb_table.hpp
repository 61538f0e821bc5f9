// Where the state of full/empty words lives: protocol F, docs/protocols/F.md. A word that has no
// entry is full, and no caller waits on it.
//
// Words are spread over stripes, each a hash table under a spinlock of its own. Stripes and entries
// stay for the life of the process: the words are the user's, and may be used before a runtime
// starts and after it ended. It is the one table of the core that is not reached through the
// runtime, because a word's address is all that a caller has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/align.hpp"
#include "queue/spinlock.hpp"
#include "sync/waiters.hpp"

namespace weft::sync {

struct feb_entry {
  feb_entry* next;  // in its bucket, or among the free ones
  std::uint64_t* word;
  bool is_full;
  bool is_of_syncvar = false;  // the word holds its state itself: the entry is there for its waiters alone
  wait_queue to_read;          // wait for full, and leave it full
  wait_queue to_overwrite;     // wait for full, write, and leave it full
  wait_queue to_take;          // wait for full, and empty it
  wait_queue to_write;         // wait for empty, and fill it

  // Of a word that is empty: the others cannot wait.
  bool has_waiters_for_full() const { return !to_read.is_empty() || !to_overwrite.is_empty() || !to_take.is_empty(); }
  sched::waiter* first_waiter() const {
    for (const wait_queue* each : {&to_overwrite, &to_read, &to_take, &to_write}) {
      if (!each->is_empty()) return each->front();
    }
    return nullptr;
  }
  bool has_waiters() const { return has_waiters_for_full() || !to_write.is_empty(); }
};

inline constexpr unsigned feb_stripe_bits = 8;

// Fibonacci hashing (Knuth, TAOCP 3, 6.4): the upper bits depend on all bits of the address.
// Stripes use the topmost, buckets the next.
inline std::uint64_t feb_hash_of(const std::uint64_t* word) {
  return (reinterpret_cast<std::uintptr_t>(word) >> 3) * std::uint64_t{0x9e3779b97f4a7c15};
}

class alignas(base::cache_line) feb_stripe {
 public:
  queue::spinlock lock;

  // ---- inside lock ----

  // What leads to the word's entry, or the null at the end of its chain. Valid until an entry comes
  // or goes.
  feb_entry** link_of(const std::uint64_t* word) {
    feb_entry** link = bucket_of(word);
    while (*link != nullptr && (*link)->word != word) link = &(*link)->next;
    return link;
  }
  feb_entry* find(const std::uint64_t* word) { return *link_of(word); }
  // Makes an entry, full, for a word that has none: at `end`, the null that link_of found. Returns
  // what leads to it; null: no memory, and nothing has changed.
  feb_entry** add(feb_entry** end, std::uint64_t* word) {
    feb_entry* const one = take_spare();
    if (one == nullptr) return nullptr;
    if (count_ >= 2 * bucket_count_) [[unlikely]] {
      grow();
      end = link_of(word);
    }
    one->next = nullptr;
    one->word = word;
    one->is_full = true;  // its queues are empty, as they were when it was given up
    *end = one;
    ++count_;
    return end;
  }
  // As add, without a call: null also if that would need memory.
  feb_entry* add_spare(feb_entry** end, std::uint64_t* word) {
    feb_entry* const one = spare_;
    if (one == nullptr || count_ >= 2 * bucket_count_) [[unlikely]]
      return nullptr;
    spare_ = one->next;
    --spare_count_;
    one->next = nullptr;
    one->word = word;
    one->is_full = true;
    *end = one;
    ++count_;
    return one;
  }
  feb_entry** find_or_add(std::uint64_t* word) {
    feb_entry** const link = link_of(word);
    return *link != nullptr ? link : add(link, word);
  }
  // Of an entry that says no more than its absence would.
  void remove(feb_entry** link) {
    feb_entry* const one = *link;
    *link = one->next;
    --count_;
    give_spare(one);
  }
  void remove_syncvars(feb_entry** link) {
    (*link)->is_of_syncvar = false;
    remove(link);
  }
  // As remove, without a call. False: that would give memory back, and nothing was done.
  bool remove_to_spare(feb_entry** link) {
    if (spare_count_ >= most_spare) [[unlikely]]
      return false;
    remove(link);
    return true;
  }
  // Removes the entry, if there is one, when it says no more. No caller waits for a full word to
  // be full.
  void tidy(feb_entry** link) {
    const feb_entry* const one = *link;
    if (one != nullptr && one->is_full && one->to_write.is_empty()) remove(link);
  }
  // visit(link) for each entry. It may remove that one, and then returns true.
  template <class Visit>
  void walk(Visit visit) {
    feb_entry** const all = bucket_count_ == 0 ? &only_bucket_ : buckets_;
    const std::uint32_t count = bucket_count_ == 0 ? 1 : bucket_count_;
    for (std::uint32_t i = 0; i < count; ++i) {
      feb_entry** link = &all[i];
      while (*link != nullptr) {
        if (!visit(link)) link = &(*link)->next;
      }
    }
  }

 private:
  static constexpr std::uint32_t first_buckets = 16;
  static constexpr std::uint32_t most_spare = 256;  // kept for reuse; beyond that memory goes back

  feb_entry** bucket_of(const std::uint64_t* word) {
    if (bucket_count_ == 0) return &only_bucket_;
    return &buckets_[(feb_hash_of(word) >> (32 - feb_stripe_bits)) & (bucket_count_ - 1)];
  }
  void grow();
  feb_entry* take_spare() {
    feb_entry* const one = spare_;
    if (one == nullptr) [[unlikely]]
      return allocate();
    spare_ = one->next;
    --spare_count_;
    return one;
  }
  void give_spare(feb_entry* one) {
    if (spare_count_ >= most_spare) return give_back(one);
    one->next = spare_;
    spare_ = one;
    ++spare_count_;
  }
  static feb_entry* allocate();
  static void give_back(feb_entry* one);

  std::uint32_t count_ = 0;
  std::uint32_t bucket_count_ = 0;  // a power of two; 0: all entries are in only_bucket_
  std::uint32_t spare_count_ = 0;
  feb_entry** buckets_ = nullptr;
  feb_entry* only_bucket_ = nullptr;
  feb_entry* spare_ = nullptr;
};

extern constinit feb_stripe feb_stripes[std::size_t{1} << feb_stripe_bits];

inline feb_stripe* feb_stripe_of(const std::uint64_t* word) { return &feb_stripes[feb_hash_of(word) >> (64 - feb_stripe_bits)]; }

}  // namespace weft::sync
