#include "mem/slab.hpp"

#include "base/align.hpp"
#include "os/vm.hpp"

namespace weft::mem {

status slab_depot::start(std::size_t block_bytes) {
  block_bytes_ = block_bytes;
  chunks_ = static_cast<char**>(os::reserve(most_chunks * sizeof(char*), os::page_bytes()));
  return chunks_ != nullptr ? status::ok : status::nomem;
}

void slab_depot::stop() {
  for (std::size_t index = 0; index < chunk_count_; ++index) os::release(chunks_[index], chunk_bytes);
  if (chunks_ != nullptr) os::release(chunks_, most_chunks * sizeof(char*));
  chunks_ = nullptr;
  free_ = nullptr;
  chunk_count_ = fresh_ = 0;
}

bool slab_depot::add_chunk() {
  if (chunk_count_ == most_chunks) return false;
  auto* base = static_cast<char*>(os::reserve(chunk_bytes, os::page_bytes()));
  if (base == nullptr) return false;
  chunks_[chunk_count_++] = base;
  fresh_ = chunk_bytes / block_bytes_;
  return true;
}

block* slab_depot::take(unsigned wanted, unsigned* taken) {
  const queue::guard hold(lock_);
  block* chain = nullptr;
  unsigned count = 0;
  for (; count < wanted; ++count) {
    block* one = free_;
    if (one != nullptr) {
      free_ = one->next;
    } else {
      if (fresh_ == 0 && !add_chunk()) break;
      const std::size_t index = chunk_bytes / block_bytes_ - fresh_--;
      one = reinterpret_cast<block*>(chunks_[chunk_count_ - 1] + index * block_bytes_);
    }
    one->next = chain;
    chain = one;
  }
  *taken = count;
  return chain;
}

void slab_depot::give(block* chain) {
  const queue::guard hold(lock_);
  while (chain != nullptr) {
    block* one = chain;
    chain = one->next;
    one->next = free_;
    free_ = one;
  }
}

void slab_depot::walk(void (*each)(void* state, void* one), void* state) {
  const queue::guard hold(lock_);
  for (std::size_t chunk = 0; chunk < chunk_count_; ++chunk) {
    const std::size_t all = chunk_bytes / block_bytes_;
    const std::size_t used = chunk + 1 == chunk_count_ ? all - fresh_ : all;
    for (std::size_t index = 0; index < used; ++index) each(state, chunks_[chunk] + index * block_bytes_);
  }
}

std::size_t slab_depot::list(std::size_t first, void** blocks, std::size_t capacity) {
  const queue::guard hold(lock_);
  const std::size_t a_chunk = chunk_bytes / block_bytes_;
  const std::size_t used = chunk_count_ * a_chunk - fresh_;
  std::size_t count = 0;
  for (std::size_t number = first; number < used && count < capacity; ++number) {
    blocks[count++] = chunks_[number / a_chunk] + number % a_chunk * block_bytes_;
  }
  return count;
}

bool slab_cache::refill() {
  unsigned taken = 0;
  head_ = depot_->take(batch, &taken);
  count_ = taken;
  return head_ != nullptr;
}

void slab_cache::spill() {
  block* last_kept = head_;
  for (unsigned kept = 1; kept < most / 2; ++kept) last_kept = last_kept->next;
  block* chain = last_kept->next;
  last_kept->next = nullptr;
  count_ = most / 2;
  depot_->give(chain);
}

void slab_cache::stop() {
  if (head_ != nullptr) depot_->give(head_);
  head_ = nullptr;
  count_ = 0;
}

}  // namespace weft::mem
