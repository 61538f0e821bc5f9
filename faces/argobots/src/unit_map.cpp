#include "unit_map.hpp"

#include <cstdint>
#include <cstdlib>

#include "faces/common/spinlock.hpp"

namespace weft::abt {

namespace {

struct entry {
  ABT_unit unit;
  weft_thread* thread;
  entry* next;
};

struct bucket {
  face::spinlock lock;
  entry* first = nullptr;
};

constexpr unsigned bucket_bits = 8;
constinit bucket buckets[1u << bucket_bits];

bucket& bucket_of(ABT_unit unit) {
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;
  return buckets[reinterpret_cast<std::uintptr_t>(unit) * golden_ratio >> (64 - bucket_bits)];
}

}  // namespace

int map_unit(ABT_unit unit, weft_thread* thread) {
  entry* const made = static_cast<entry*>(std::malloc(sizeof(entry)));
  if (made == nullptr) return ABT_ERR_MEM;
  bucket& where = bucket_of(unit);
  const face::guard hold(where.lock);
  *made = {unit, thread, where.first};
  where.first = made;
  return ABT_SUCCESS;
}

void unmap_unit(ABT_unit unit) {
  bucket& where = bucket_of(unit);
  entry* found = nullptr;
  {
    const face::guard hold(where.lock);
    entry** link = &where.first;
    while (*link != nullptr && (*link)->unit != unit) link = &(*link)->next;
    found = *link;
    if (found != nullptr) *link = found->next;
  }
  std::free(found);
}

weft_thread* find_unit(ABT_unit unit) {
  bucket& where = bucket_of(unit);
  const face::guard hold(where.lock);
  const entry* one = where.first;
  while (one != nullptr && one->unit != unit) one = one->next;
  return one != nullptr ? one->thread : nullptr;
}

void end_unit_map() {
  for (bucket& where : buckets) {
    while (entry* const left = where.first) {
      where.first = left->next;
      std::free(left);
    }
  }
}

}  // namespace weft::abt
