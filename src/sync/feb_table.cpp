// See feb_table.hpp.
#include "sync/feb_table.hpp"

#include <cstdlib>
#include <new>

#include "os/heap.hpp"

namespace weft::sync {

namespace {

constexpr unsigned stripe_bits = 8;
constexpr std::size_t stripe_count = std::size_t{1} << stripe_bits;

constinit feb_stripe stripes[stripe_count];

// Fibonacci hashing (Knuth, TAOCP 3, 6.4): the upper bits depend on all bits of the address. Stripes use the topmost, buckets the next.
std::uint64_t hash_of(const std::uint64_t* word) {
  return (reinterpret_cast<std::uintptr_t>(word) >> 3) * std::uint64_t{0x9e3779b97f4a7c15};
}

}  // namespace

feb_stripe* feb_stripe_of(const std::uint64_t* word) { return &stripes[hash_of(word) >> (64 - stripe_bits)]; }

feb_entry** feb_stripe::bucket_of(const std::uint64_t* word) {
  if (bucket_count_ == 0) return &only_bucket_;
  return &buckets_[(hash_of(word) >> (32 - stripe_bits)) & (bucket_count_ - 1)];
}

feb_entry* feb_stripe::find(const std::uint64_t* word) {
  feb_entry* one = *bucket_of(word);
  while (one != nullptr && one->word != word) one = one->next;
  return one;
}

feb_entry* feb_stripe::find_or_add(std::uint64_t* word) {
  if (feb_entry* one = find(word); one != nullptr) return one;
  feb_entry* one = take_spare();
  if (one == nullptr) return nullptr;
  if (count_ >= 2 * bucket_count_) grow();
  feb_entry** bucket = bucket_of(word);
  one->next = *bucket;
  one->word = word;
  one->is_full = true;  // its queues are empty, as they were when it was given up
  *bucket = one;
  ++count_;
  return one;
}

void feb_stripe::tidy(const std::uint64_t* word) {
  feb_entry** link = bucket_of(word);
  while (*link != nullptr && (*link)->word != word) link = &(*link)->next;
  feb_entry* one = *link;
  if (one == nullptr || !one->is_full || one->has_waiters()) return;
  *link = one->next;
  --count_;
  give_spare(one);
}

// Without memory the chains just get longer.
void feb_stripe::grow() {
  const std::uint32_t wanted = bucket_count_ == 0 ? first_buckets : 2 * bucket_count_;
  auto** fresh = static_cast<feb_entry**>(os::allocate(wanted * sizeof(feb_entry*)));
  if (fresh == nullptr) return;
  feb_entry** old = bucket_count_ == 0 ? &only_bucket_ : buckets_;
  const std::uint32_t old_count = bucket_count_ == 0 ? 1 : bucket_count_;
  feb_entry** to_free = buckets_;
  feb_entry* all = nullptr;
  for (std::uint32_t i = 0; i < old_count; ++i) {
    while (feb_entry* one = old[i]) {
      old[i] = one->next;
      one->next = all;
      all = one;
    }
  }
  std::free(to_free);
  buckets_ = fresh;
  bucket_count_ = wanted;
  while (feb_entry* one = all) {
    all = one->next;
    feb_entry** bucket = bucket_of(one->word);
    one->next = *bucket;
    *bucket = one;
  }
}

feb_entry* feb_stripe::take_spare() {
  feb_entry* one = spare_;
  if (one == nullptr) {
    void* memory = os::allocate(sizeof(feb_entry));
    return memory != nullptr ? new (memory) feb_entry : nullptr;
  }
  spare_ = one->next;
  --spare_count_;
  return one;
}

void feb_stripe::give_spare(feb_entry* one) {
  if (spare_count_ >= most_spare) {
    std::free(one);
    return;
  }
  one->next = spare_;
  spare_ = one;
  ++spare_count_;
}

}  // namespace weft::sync
