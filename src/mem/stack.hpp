// Stacks: reserved large, touched little, recycled hot.
//
// A stack of the default size is a slot of a chunk of slots; one of another size is a mapping of its own; one of the user's is the
// user's memory. In all three the header lies at the high end, in the page that the first frames touch anyway:
//
//      base       low                                                            high
//      | guard    | ......................... stack grows down ... | header | colour |
//
// The colour (0 to 15 cache lines) differs between neighbours, so that the hot ends of many stacks do not fall into one cache set.
//
// stack_depot   one a runtime, any OS thread: the slots; gives and takes batches under a lock
// stack_cache   one a worker, its owner only: last in, first out
//
// Slots that come back while the depot holds keep_bytes of touched ones lose their memory; they stay reserved.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/align.hpp"
#include "mem/growing_array.hpp"
#include "os/vm.hpp"
#include "queue/spinlock.hpp"

namespace weft::mem {

enum class stack_origin : std::uint8_t { slot, mapping, user };

struct alignas(base::cache_line) stack {
  char* low;                // lowest usable address
  char* base;               // of the slot, mapping or user memory
  std::size_t total_bytes;  // from base
  stack_origin origin;
  os::guard_kind guard;
  void* sanitizer;         // TSan's fiber, while one exists
  unsigned long valgrind;  // its name for this stack

  char* top() { return reinterpret_cast<char*>(this); }  // where the first frame goes; aligned to a cache line
  std::size_t usable_bytes() const { return static_cast<std::size_t>(reinterpret_cast<const char*>(this) - low); }
  std::size_t guard_bytes() const { return static_cast<std::size_t>(low - base); }
};

// Memory for chunks and mappings; null functions mean os::reserve.
struct stack_memory {
  void* (*map)(void* state, std::size_t bytes) = nullptr;
  void (*unmap)(void* state, void* base, std::size_t bytes) = nullptr;
  void* state = nullptr;
};

struct stack_settings {
  std::size_t slot_bytes;  // a multiple of the page, guard included
  os::guard_kind guard;
  std::size_t keep_bytes;
  stack_memory memory;
};

class stack_depot {
  struct cold_slot {
    char* base;
    os::guard_kind guard;
    unsigned long valgrind;
  };

 public:
  void start(const stack_settings& settings) { settings_ = settings; }
  void stop();  // every stack must have come back; unmaps all

  // Up to `wanted` slots into out; returns how many: fewer when no memory is to be had.
  unsigned take(stack** out, unsigned wanted);
  void give(stack* const* those, unsigned count);

  stack* make_mapping(std::size_t usable_bytes);         // null: no memory
  static stack* adopt(void* memory, std::size_t bytes);  // the user's memory; no guard
  void destroy(stack* one);                              // a mapping or the user's

  os::guard_kind guard() const { return settings_.guard; }

  // So far: slots and mappings laid out in fresh memory; slots whose memory was given back.
  struct counts {
    std::uint64_t made;
    std::uint64_t cooled;
  };
  counts count();

 private:
  static constexpr unsigned slots_per_chunk = 64;

  stack* take_one();
  void cool(stack* one);
  bool add_chunk();
  char* map(std::size_t bytes);
  void unmap(void* base, std::size_t bytes);
  bool install_guard(char* base, os::guard_kind* kind);
  static stack* lay_out(char* base, std::size_t bytes, stack_origin origin, os::guard_kind guard, unsigned colour,
                        unsigned long valgrind);

  stack_settings settings_{};
  queue::spinlock lock_;
  // guarded by lock_
  // Lists of slots are arrays: a list through the headers would miss the cache at each step.
  growing_array<stack*> warm_;     // touched
  growing_array<cold_slot> cold_;  // whose memory was given back
  growing_array<char*> chunks_;
  unsigned fresh_ = 0;  // slots of the newest chunk that were never used
  counts counts_{};
};

class stack_cache {
 public:
  void start(stack_depot* depot) { depot_ = depot; }
  void stop();  // gives all back

  // At least one stack is in the cache afterwards; false: no memory.
  bool ensure_one() { return count_ != 0 || refill(); }
  bool is_empty() const { return count_ == 0; }
  bool has_two() const { return count_ > 1; }
  stack* take() {  // after ensure_one
    stack* one = slots_[--count_];
    if (cold_ != 0 && count_ < cold_ + ahead) [[unlikely]]
      warm_one();
    return one;
  }
  void give(stack* one) {
    if (count_ == most) [[unlikely]]
      spill();
    slots_[count_++] = one;
  }

 private:
  static constexpr unsigned most = 64;
  static constexpr unsigned batch = 32;
  static constexpr unsigned ahead = 4;

  // The lines of the header and of the first frames.
  static void will_be_used(stack* one) {
    const char* top = one->top();
    for (int line = -8; line <= 0; ++line) __builtin_prefetch(top + line * static_cast<int>(base::cache_line), 1);
  }

  void warm_one() {
    cold_ = count_ > ahead ? count_ - ahead : 0;
    will_be_used(slots_[cold_]);
  }

  bool refill();
  void spill();

  stack_depot* depot_ = nullptr;
  unsigned count_ = 0;
  unsigned cold_ = 0;  // so many, the oldest, came from the depot and were not taken since: hardly in the CPU's cache
  stack* slots_[most];
};

}  // namespace weft::mem
