// qpool_*: items of one size, cut from chunks, and a list of those that were given back.
#include <qthread/qpool.h>

#include <cstdint>
#include <cstdlib>

#include "faces/common/object.hpp"
#include "faces/common/spinlock.hpp"

using namespace weft;

namespace {

struct item {
  item* next;
};

// Its items lie behind it, from the pool's first offset on.
struct chunk {
  chunk* next;
};

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
constexpr std::size_t least_items = 8;

constexpr bool is_power_of_two(std::size_t number) { return (number & (number - 1)) == 0; }

}  // namespace

struct qt_mpool_s {
  face::spinlock lock;
  std::size_t alignment;
  std::size_t item_bytes;
  std::size_t first_offset;  // of items in a chunk
  std::size_t items;         // of a chunk
  item* given_back = nullptr;
  chunk* chunks = nullptr;  // items are cut from the first one
  std::size_t cut = 0;      // items of the first one

  explicit qt_mpool_s(std::size_t aligned_to, std::size_t bytes)
      : alignment(aligned_to),
        item_bytes(bytes),
        first_offset(aligned_to < sizeof(chunk) ? sizeof(chunk) : aligned_to),
        items(chunk_bytes / bytes < least_items ? least_items : chunk_bytes / bytes) {}

  chunk* make_chunk() const {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(items, item_bytes, &bytes) || __builtin_add_overflow(bytes, first_offset, &bytes)) return nullptr;
    return static_cast<chunk*>(std::aligned_alloc(alignment, bytes));
  }

  item* cut_item() {
    char* const from = reinterpret_cast<char*>(chunks) + first_offset;
    return reinterpret_cast<item*>(from + cut++ * item_bytes);
  }

  // Null: there is none, and no fresh chunk. One that is used is no longer in *fresh.
  void* take(chunk** fresh) {
    const face::guard held{lock};
    if (given_back != nullptr) {
      item* const taken = given_back;
      given_back = taken->next;
      return taken;
    }
    if (chunks == nullptr || cut == items) {
      if (*fresh == nullptr) return nullptr;
      (*fresh)->next = chunks;
      chunks = *fresh;
      *fresh = nullptr;
      cut = 0;
    }
    return cut_item();
  }

  void give_back(item* one) {
    const face::guard held{lock};
    one->next = given_back;
    given_back = one;
  }
};

qpool* qpool_create(const size_t item_size) { return qpool_create_aligned(item_size, 0); }

qpool* qpool_create_aligned(const size_t item_size, const size_t alignment) {
  constexpr std::size_t largest = SIZE_MAX / 4;
  if (!is_power_of_two(alignment) || alignment > largest || item_size > largest) return nullptr;
  const std::size_t least = item_size < 2 * sizeof(item) ? sizeof(item) : alignof(std::max_align_t);
  const std::size_t aligned_to = alignment < least ? least : alignment;
  const std::size_t bytes = item_size < sizeof(item) ? sizeof(item) : item_size;
  return face::make_object<qt_mpool_s>(0, aligned_to, (bytes + aligned_to - 1) & ~(aligned_to - 1));
}

void qpool_destroy(qpool* pool) {
  if (pool == nullptr) return;
  while (pool->chunks != nullptr) {
    chunk* const next = pool->chunks->next;
    std::free(pool->chunks);
    pool->chunks = next;
  }
  face::free_object(pool);
}

void* qpool_alloc(qpool* pool) {
  chunk* fresh = nullptr;
  void* taken = pool->take(&fresh);
  while (taken == nullptr) {
    fresh = pool->make_chunk();
    if (fresh == nullptr) return nullptr;
    taken = pool->take(&fresh);
  }
  std::free(fresh);  // another caller gave an item back, or was faster
  return taken;
}

void qpool_free(qpool* restrict pool, void* restrict mem) {
  if (mem != nullptr) pool->give_back(static_cast<item*>(mem));
}
