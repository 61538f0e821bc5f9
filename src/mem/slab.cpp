// See slab.hpp. The depot's lock is held for a batch at a time, and while a chunk loses its memory;
// address space is given back at the end alone.
#include "mem/slab.hpp"

#include <cstring>
#include <new>

#include "arch/cpu.hpp"
#include "os/vm.hpp"

namespace weft::mem {

namespace {

constexpr std::size_t floor_of_decay = 32 * 1024;  // blocks whose memory stays, however long they were not needed

}  // namespace

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
  fresh_ = cold_ = next_to_cool_ = looked_in_vain_ = 0;
  surplus_ = {};
  decay_due_ns_.store(surplus::never, base::relaxed);
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
  // A later one is found by the addresses of its blocks. The first one saves the calls of the
  // system.
  const bool is_first = chunks_.is_empty();
  auto* base = static_cast<char*>(os::reserve(mapped_bytes, is_first ? os::page_bytes() : mapped_bytes));
  if (base == nullptr) return false;
  chunks_.push(base);
  fresh_ = blocks_a_chunk();
  return true;
}

// Null: of the first chunk, whose memory stays.
chunk_use* slab_depot::use_of(const void* block) const {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  if (address - reinterpret_cast<std::uintptr_t>(chunks_[0]) < mapped_bytes) return nullptr;
  return reinterpret_cast<chunk_use*>((address & ~(mapped_bytes - 1)) + chunk_bytes);
}

unsigned slab_depot::take(void** out, unsigned wanted) {
  const queue::guard hold(lock_);
  unsigned count = 0;
  for (; count < wanted; ++count) {
    if (!free_.is_empty()) {
      out[count] = free_.pop();
      if (chunk_use* const use = use_of(out[count]); use != nullptr) {
        --use->free;
        if (use->is_cold) cold_ -= blocks_a_chunk();
        use->is_cold = false;
      }
    } else {
      if (fresh_ == 0 && !add_chunk()) break;
      out[count] = chunks_.last() + (blocks_a_chunk() - fresh_--) * block_bytes_;
    }
  }
  surplus_.taken_to(free_.count() - cold_);
  return count;
}

void slab_depot::give(void* const* those, unsigned count) {
  const queue::guard hold(lock_);
  free_.push(those, count);
  if (chunks_.count() < 2) return;
  for (unsigned index = 0; index < count; ++index) {
    if (chunk_use* const use = use_of(those[index]); use != nullptr) ++use->free;
  }
  if (free_.count() - cold_ > floor_of_decay && decay_due_ns() == surplus::never) decay_due_ns_.store(0, base::relaxed);
}

// Inside the lock: the next chunk of which all blocks are free loses all its memory but the page in
// which its use is noted. False: none of all chunks can.
bool slab_depot::cool_next() {
  const std::size_t page = os::page_bytes();
  for (; looked_in_vain_ < chunks_.count(); ++looked_in_vain_) {
    if (next_to_cool_ >= chunks_.count()) next_to_cool_ = 0;
    char* const chunk = chunks_[next_to_cool_++];
    chunk_use* const use = use_of(chunk);
    if (use == nullptr || use->is_cold || use->free != blocks_a_chunk()) continue;
    use->is_cold = true;
    cold_ += blocks_a_chunk();
    surplus_.taken_to(free_.count() - cold_);
    looked_in_vain_ = 0;
    // Failure leaves the memory touched, which costs nothing but memory.
    if (page < mapped_bytes) static_cast<void>(os::discard(chunk, mapped_bytes - page));
    return true;
  }
  looked_in_vain_ = 0;
  return false;
}

bool slab_depot::decay(std::uint64_t now_ns) {
  constexpr std::size_t most_chunks = 16;
  std::size_t chunks = 0;
  {
    const queue::guard hold(lock_);
    if (now_ns < decay_due_ns()) return false;  // another worker was here
    std::uint64_t next_ns;
    const std::size_t a_chunk = blocks_a_chunk();
    const std::size_t going = surplus_.ask(now_ns, free_.count() - cold_, floor_of_decay, most_chunks * a_chunk, &next_ns);
    chunks = (going + a_chunk - 1) / a_chunk;
    decay_due_ns_.store(next_ns, base::relaxed);
  }
  for (std::size_t index = 0; index < chunks; ++index) {  // others may take and give in between
    const queue::guard hold(lock_);
    if (cool_next()) continue;
    decay_due_ns_.store(surplus::never, base::relaxed);  // until more is given back
    return index != 0;
  }
  return chunks != 0;
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
