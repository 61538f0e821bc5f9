// See feb_table.hpp.
#include "sync/feb_table.hpp"

#include <cstdlib>
#include <new>

#include "os/heap.hpp"

namespace weft::sync {

constinit feb_stripe feb_stripes[std::size_t{1} << feb_stripe_bits];

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

feb_entry* feb_stripe::allocate() {
  void* const memory = os::allocate(sizeof(feb_entry));
  return memory != nullptr ? new (memory) feb_entry : nullptr;
}

void feb_stripe::give_back(feb_entry* one) { std::free(one); }

}  // namespace weft::sync
