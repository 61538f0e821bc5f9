// Where the state of full/empty words lives: protocol F, docs/protocols/F.md. A word that has no entry is full, and nobody waits on it.
//
// Words are spread over stripes, each a hash table under a spinlock of its own. Stripes and entries stay for the life of the process:
// the words are the user's, and may be used before a runtime starts and after it ended. It is the one table of the core that is not
// reached through the runtime, because a word's address is all that a caller has.
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
  wait_queue to_read;   // wait for full, and leave it full
  wait_queue to_take;   // wait for full, and empty it
  wait_queue to_write;  // wait for empty, and fill it

  bool has_waiters() const { return !to_read.is_empty() || !to_take.is_empty() || !to_write.is_empty(); }
};

class alignas(base::cache_line) feb_stripe {
 public:
  queue::spinlock lock;

  // ---- inside lock ----

  feb_entry* find(const std::uint64_t* word);
  // Makes one, full, when there is none. Null: no memory.
  feb_entry* find_or_add(std::uint64_t* word);
  // Removes the word's entry if it says no more than its absence would.
  void tidy(const std::uint64_t* word);

 private:
  static constexpr std::uint32_t first_buckets = 16;
  static constexpr std::uint32_t most_spare = 256;  // kept for reuse; beyond that memory goes back

  feb_entry** bucket_of(const std::uint64_t* word);
  void grow();
  feb_entry* take_spare();
  void give_spare(feb_entry* one);

  std::uint32_t count_ = 0;
  std::uint32_t bucket_count_ = 0;  // a power of two; 0: all entries are in only_bucket_
  std::uint32_t spare_count_ = 0;
  feb_entry** buckets_ = nullptr;
  feb_entry* only_bucket_ = nullptr;
  feb_entry* spare_ = nullptr;
};

feb_stripe* feb_stripe_of(const std::uint64_t* word);

}  // namespace weft::sync
