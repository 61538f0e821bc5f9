// See slab.hpp. The depot's lock is held for a batch at a time; chunks are given back at the end
// alone.
#include "mem/slab.hpp"

#include <cstring>
#include <new>

#include "arch/cpu.hpp"
#include "os/vm.hpp"

namespace weft::mem {

void slab_depot::stop() {
  static_cast<void>(stop_without([](void*, left_chunk*) { return false; }));
}

// How many blocks of the chunk stay.
std::size_t slab_depot::keep_in(std::size_t chunk, bool (*keeps)(void* block, left_chunk* of)) {
  char* const first = chunks_[chunk];
  auto* const left = new (first + chunk_bytes) left_chunk{};
  const std::size_t all = blocks_a_chunk();
  const std::size_t used = chunk + 1 == chunks_.count() ? all - fresh_ : all;
  for (std::size_t index = 0; index < used; ++index) {
    if (keeps(first + index * block_bytes_, left)) ++left->blocks;
  }
  return left->blocks;
}

std::size_t slab_depot::stop_without(bool (*keeps)(void* block, left_chunk* of)) {
  std::size_t all_left = 0;
  for (std::size_t index = 0; index < chunks_.count(); ++index) {
    const std::size_t left = keep_in(index, keeps);
    if (left == 0) os::release(chunks_[index], mapped_bytes);
    all_left += left;
  }
  chunks_.clear();
  free_.clear();
  fresh_ = 0;
  return all_left;
}

void slab_depot::let_go(left_chunk* of) {
  {
    const queue::guard hold(of->lock);
    if (--of->blocks != 0) return;
  }
  os::release(reinterpret_cast<char*>(of) - chunk_bytes, mapped_bytes);
}

// With room for every block to be free at once, so that giving back cannot fail.
bool slab_depot::add_chunk() {
  const std::size_t chunks = chunks_.count() + 1;
  if (!chunks_.make_room(chunks) || !free_.make_room(chunks * blocks_a_chunk())) return false;
  auto* base = static_cast<char*>(os::reserve(mapped_bytes, os::page_bytes()));
  if (base == nullptr) return false;
  chunks_.push(base);
  fresh_ = blocks_a_chunk();
  return true;
}

unsigned slab_depot::take(void** out, unsigned wanted) {
  const queue::guard hold(lock_);
  unsigned count = 0;
  for (; count < wanted; ++count) {
    if (!free_.is_empty()) {
      out[count] = free_.pop();
    } else {
      if (fresh_ == 0 && !add_chunk()) break;
      out[count] = chunks_.last() + (blocks_a_chunk() - fresh_--) * block_bytes_;
    }
  }
  return count;
}

void slab_depot::give(void* const* those, unsigned count) {
  const queue::guard hold(lock_);
  free_.push(those, count);
}

void slab_depot::walk(void (*each)(void* state, void* one), void* state) {
  const queue::guard hold(lock_);
  for (std::size_t chunk = 0; chunk < chunks_.count(); ++chunk) {
    const std::size_t all = blocks_a_chunk();
    const std::size_t used = chunk + 1 == chunks_.count() ? all - fresh_ : all;
    for (std::size_t index = 0; index < used; ++index) each(state, chunks_[chunk] + index * block_bytes_);
  }
}

bool slab_depot::can_be_listed() {
  constexpr int patience = 10'000;
  for (int round = 0; round < patience; ++round) {
    if (lock_.try_lock()) {
      lock_.unlock();
      return true;
    }
    arch::pause();
  }
  return false;
}

bool slab_depot::contains(const void* block) {
  const queue::guard hold(lock_);
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  for (std::size_t chunk = 0; chunk < chunks_.count(); ++chunk) {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(chunks_[chunk]);
    if (offset < blocks_a_chunk() * block_bytes_) return offset % block_bytes_ == 0;
  }
  return false;
}

std::size_t slab_depot::list(std::size_t first, void** blocks, std::size_t capacity) {
  const queue::guard hold(lock_);
  const std::size_t a_chunk = blocks_a_chunk();
  const std::size_t used = chunks_.count() * a_chunk - fresh_;
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
