// Blocks of one size, such as unit descriptors: recycled hot, never returned before stop(), never
// unmapped while in use, and enumerable (reports walk all units).
//
// slab_depot   one a runtime, any OS thread: chunks; gives and takes batches under a lock
// slab_cache   one a worker (and one for OS threads outside, which share it under a lock): last in,
// first out
//
// A block goes back to the cache of the worker that frees it, so memory follows the consumer;
// whole batches return through the depot. That replaced a list of remote frees a worker (protocol
// M): no atomic at all, and no owner that must come back to collect.
//
// Chunks whose blocks are all free, and that were not needed for some seconds, lose their memory
// little by little, when a worker without work asks (decay). They stay in the list of free blocks:
// a block whose memory is gone reads as zero, which is a block that was never used.
//
// Free blocks are noted in arrays: a list through the blocks would miss the cache at each step when
// a batch moves, and could not say early enough which block comes next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/align.hpp"
#include "base/debug_fields.hpp"
#include "mem/growing_array.hpp"
#include "mem/surplus.hpp"
#include "queue/spinlock.hpp"

namespace weft::mem {

// A chunk that stays when its depot stops, for as long as blocks in it are in use. It lies at the
// chunk's high end.
struct left_chunk {
  queue::spinlock lock;
  std::size_t blocks;  // in use; guarded by lock
};

// Of a chunk that its depot may let decay, in the same place; guarded by the depot's lock.
struct chunk_use {
  std::size_t free;  // of its blocks, those in the depot's list
  bool is_cold;      // its memory went, and none of its blocks was taken since
};

class slab_depot {
 public:
  // False: something holds the lock and keeps it, as a program may that dies inside. For callers
  // that would wait for ever.
  bool can_be_listed();

  void start(std::size_t block_bytes) { block_bytes_ = block_bytes; }  // a multiple of the cache line
  void stop();
  // As stop, except that each block of which keeps(block, chunk) is true stays where it is until
  // let_go(chunk) is called for it, once. No block is taken or given meanwhile. Returns how many
  // stay.
  std::size_t stop_without(bool (*keeps)(void* block, left_chunk* of));
  static void let_go(left_chunk* of);

  // Up to `wanted` blocks into out; returns how many: fewer when no memory is to be had.
  unsigned take(void** out, unsigned wanted);
  void give(void* const* those, unsigned count);

  // Gives the memory of a few chunks back that were not needed for a while. Any OS
  // thread, as often as decay_due_ns() says. True: some went.
  bool decay(std::uint64_t now_ns);
  std::uint64_t decay_due_ns() const { return decay_due_ns_.load(base::relaxed); }  // as of stack_depot

  // Calls each(state, block) for every block that was ever handed out, in use or not. Others may
  // take and give meanwhile.
  void walk(void (*each)(void* state, void* one), void* state);

  // Whether a block begins there, in use or not.
  bool contains(const void* block);

  // The blocks of that walk from number `first` on, up to `capacity` of them; how many. For those
  // that may not hold the lock for long.
  std::size_t list(std::size_t first, void** blocks, std::size_t capacity);

 private:
  friend struct weft::debug_fields;

  static constexpr std::size_t mapped_bytes = 256 * 1024;
  static constexpr std::size_t chunk_bytes = mapped_bytes - base::cache_line;  // of blocks
  static_assert(sizeof(left_chunk) <= base::cache_line && sizeof(chunk_use) <= base::cache_line);

  bool add_chunk();
  std::size_t keep_in(std::size_t chunk, bool (*keeps)(void* block, left_chunk* of));
  chunk_use* use_of(const void* block) const;
  bool cool_next();
  std::size_t blocks_a_chunk() const { return chunk_bytes / block_bytes_; }

  std::size_t block_bytes_ = 0;
  queue::spinlock lock_;
  // guarded by lock_
  growing_array<void*> free_;
  growing_array<char*> chunks_;
  std::size_t fresh_ = 0;           // blocks of the newest chunk that were never used
  std::size_t cold_ = 0;            // blocks of chunks whose memory went; free_ has them, too
  surplus surplus_;                 // of the free ones with memory
  std::size_t next_to_cool_ = 0;    // the chunk at which decay goes on
  std::size_t looked_in_vain_ = 0;  // chunks since it found one whose memory could go

  base::atomic<std::uint64_t> decay_due_ns_{surplus::never};  // written inside the lock
};

class slab_cache {
 public:
  void start(slab_depot* depot) {
    depot_ = depot;
    for (std::size_t index = 0; index < ahead; ++index) blocks_[index] = blocks_;
  }
  bool is_started() const { return depot_ != nullptr; }
  void stop();

  void* take() {  // null: no memory
    if (is_empty() && !refill()) [[unlikely]]
      return nullptr;
    return take_one();
  }
  bool is_empty() const { return count_ == 0; }
  bool has(std::size_t wanted) const { return count_ >= wanted; }
  void* take_one() {  // of a cache that is not empty
    --count_;
    __builtin_prefetch(blocks_[count_], 1);
    return blocks_[count_ + ahead];
  }
  bool is_full() const { return count_ == most; }
  // One comparison for: it was started, and is not full. False, too, for an empty one.
  bool has_some_and_room() const { return count_ - 1 < most - 1; }
  void give(void* memory) {
    if (is_full()) [[unlikely]]
      spill();
    give_one(memory);
  }
  void give_one(void* memory) { blocks_[ahead + count_++] = memory; }  // to a cache that is not full

 private:
  // A thousand joins in a row must not touch the depot.
  static constexpr std::size_t most = 4096;
  static constexpr unsigned batch = 64;
  static constexpr std::size_t ahead = 2;

  [[gnu::noinline]] bool refill();
  [[gnu::noinline]] void spill();

  slab_depot* depot_ = nullptr;
  std::size_t count_ = 0;
  void* blocks_[ahead + most];  // from `ahead` on; those before are what is prefetched when few are left
};

}  // namespace weft::mem
