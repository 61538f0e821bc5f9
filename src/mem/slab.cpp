#include "mem/slab.hpp"

#include <cstring>

#include "base/align.hpp"
#include "os/vm.hpp"

namespace weft::mem {

status slab_depot::start(std::size_t block_bytes) {
  block_bytes_ = block_bytes;
  chunks_ = static_cast<char**>(os::reserve(most_chunks * sizeof(char*), os::page_bytes()));
  free_ = static_cast<void**>(os::reserve(free_bytes(), os::page_bytes()));
  if (chunks_ != nullptr && free_ != nullptr) return status::ok;
  stop();
  return status::nomem;
}

void slab_depot::stop() {
  for (std::size_t index = 0; index < chunk_count_; ++index) os::release(chunks_[index], chunk_bytes);
  if (chunks_ != nullptr) os::release(chunks_, most_chunks * sizeof(char*));
  if (free_ != nullptr) os::release(free_, free_bytes());
  chunks_ = nullptr;
  free_ = nullptr;
  chunk_count_ = free_count_ = fresh_ = 0;
}

bool slab_depot::add_chunk() {
  if (chunk_count_ == most_chunks) return false;
  auto* base = static_cast<char*>(os::reserve(chunk_bytes, os::page_bytes()));
  if (base == nullptr) return false;
  chunks_[chunk_count_++] = base;
  fresh_ = blocks_a_chunk();
  return true;
}

unsigned slab_depot::take(void** out, unsigned wanted) {
  const queue::guard hold(lock_);
  unsigned count = 0;
  for (; count < wanted; ++count) {
    if (free_count_ != 0) {
      out[count] = free_[--free_count_];
    } else {
      if (fresh_ == 0 && !add_chunk()) break;
      out[count] = chunks_[chunk_count_ - 1] + (blocks_a_chunk() - fresh_--) * block_bytes_;
    }
  }
  return count;
}

void slab_depot::give(void* const* those, unsigned count) {
  const queue::guard hold(lock_);
  std::memcpy(free_ + free_count_, those, count * sizeof *those);
  free_count_ += count;
}

void slab_depot::walk(void (*each)(void* state, void* one), void* state) {
  const queue::guard hold(lock_);
  for (std::size_t chunk = 0; chunk < chunk_count_; ++chunk) {
    const std::size_t all = blocks_a_chunk();
    const std::size_t used = chunk + 1 == chunk_count_ ? all - fresh_ : all;
    for (std::size_t index = 0; index < used; ++index) each(state, chunks_[chunk] + index * block_bytes_);
  }
}

std::size_t slab_depot::list(std::size_t first, void** blocks, std::size_t capacity) {
  const queue::guard hold(lock_);
  const std::size_t a_chunk = blocks_a_chunk();
  const std::size_t used = chunk_count_ * a_chunk - fresh_;
  std::size_t count = 0;
  for (std::size_t number = first; number < used && count < capacity; ++number) {
    blocks[count++] = chunks_[number / a_chunk] + number % a_chunk * block_bytes_;
  }
  return count;
}

bool slab_cache::refill() {
  count_ = depot_->take(blocks_ + ahead, batch);
  return count_ != 0;
}

void slab_cache::spill() {
  // The older half goes; the hot ones stay.
  constexpr unsigned half = most / 2;
  depot_->give(blocks_ + ahead, half);
  count_ -= half;
  std::memmove(blocks_ + ahead, blocks_ + ahead + half, count_ * sizeof *blocks_);
}

void slab_cache::stop() {
  depot_->give(blocks_ + ahead, static_cast<unsigned>(count_));
  count_ = 0;
}

}  // namespace weft::mem
