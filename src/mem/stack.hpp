// Stacks: reserved large, touched little, recycled hot.
//
// A stack of a size class is a slot of a chunk of slots; a stack of a size without a class is a
// mapping of its own; a stack in the user's memory is that memory. In all three the header lies at
// the high end, in the page that the first frames touch anyway:
//
//      base       low                                                            high
//      | guard    | ......................... stack grows down ... | header | colour |
//
// The stack of an OS thread that was adopted has its header elsewhere.
//
// The colour (0 to 15 cache lines) differs between neighbours, so that the hot ends of many stacks
// do not fall into one cache set.
//
// What lies within the guard belongs to no other stack. The part of it next to the stack faults
// when touched. Beneath may be a gap without markers, since each marker costs 10 ns when a slot is
// first used: a frame that lands there has found more room. Frames of libraries are known to have
// up to 131 KiB, and in one case 541 KiB.
//
// The first slots of a depot have wide guards, which no such frame leaves. Further slots stand
// denser, for frames of the smaller of the two sizes: the page tables of a
// million blocked threads are paid by the distance between their stacks. Where address space is
// short (RLIMIT_AS) all are dense, and stacks of a size that the program did not choose become
// small.
//
// stack_depot   one a runtime and size class, any OS thread: the slots; gives and takes batches
//               under a lock
// stack_cache   one a worker and size class, its owner only: last in, first out
//
// Slots that come back while the depot holds keep_bytes of touched ones lose their memory; they
// stay reserved. So do, little by little, those that were not needed for some seconds, when a
// worker without work asks (decay). What costs a call of the system for each stack, a guard, the
// first page, and giving the memory back, is done outside of the lock, and for neighbours or a
// batch in one call. A stack that is not of the default size may be large: what it holds deeper
// than most stacks go is given back when it leaves its cache, and when its worker sleeps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/align.hpp"
#include "mem/growing_array.hpp"
#include "mem/mapped_guards.hpp"
#include "mem/surplus.hpp"
#include "os/vm.hpp"
#include "queue/spinlock.hpp"

namespace weft::mem {

// os_thread: an OS thread's own, which was adopted; its header lies elsewhere.
enum class stack_origin : std::uint8_t { slot, mapping, user, os_thread };

// Sizes of slots. Class 0 is the default size, class 1 that of forks; the others are sizes that the
// program asked for.
inline constexpr unsigned stack_classes = 16;
inline constexpr unsigned default_class = 0;
inline constexpr unsigned fork_class = 1;

// How a depot lays out the slots of a chunk.
enum class spread : std::uint8_t { wide, dense, small };
inline constexpr unsigned spreads = 3;
inline constexpr std::size_t usual_wide_slots = 256;

// The guard beneath a stack of so many bytes. asked_bytes: what the user wants it to be; 0:
// nothing.
std::size_t guard_bytes(std::size_t stack_bytes, os::guard_kind kind, spread how, std::size_t asked_bytes);

struct alignas(base::cache_line) stack {
  char* low;                // lowest usable address
  char* base;               // of the slot, mapping or user memory
  std::size_t total_bytes;  // from base
  stack_origin origin;
  os::guard_kind guard;
  std::uint8_t size_class;  // of a slot
  bool is_special;          // guarded by a canary, or not of the default size
  std::uint32_t run;        // of the context on it: the number of its runtime
  void* sanitizer;          // TSan's fiber, while one exists
  unsigned long valgrind;   // its name for this stack
  const void* resumer;      // the unit that switched to the context on it (user_context.hpp); null: no context's
  spread how;               // of a slot

  char* top() { return reinterpret_cast<char*>(this); }  // where the first frame goes; aligned to a cache line
  bool is_os_threads() const { return origin == stack_origin::os_thread; }
  std::size_t usable_bytes() const {
    if (is_os_threads()) [[unlikely]]
      return total_bytes;
    return static_cast<std::size_t>(reinterpret_cast<const char*>(this) - low);
  }
  std::size_t guard_bytes() const { return static_cast<std::size_t>(low - base); }
  std::size_t gap_bytes() const;  // of the guard, from base: what a frame may write to without a fault
};

// Memory for chunks and mappings; null functions mean os::reserve.
struct stack_memory {
  void* (*map)(void* state, std::size_t bytes) = nullptr;
  void (*unmap)(void* state, void* base, std::size_t bytes) = nullptr;
  void* state = nullptr;
};

// What a builder is told of a stack whose unit has ended. tell null: there is none.
struct stack_sink {
  void (*tell)(void* state, void* base, std::size_t bytes) = nullptr;
  void* state = nullptr;
};

struct stack_settings {
  std::size_t stack_bytes;  // of a slot, without its guard: a multiple of the page
  os::guard_kind guard;
  std::size_t keep_bytes;  // each idle stack counts as a page
  stack_memory memory;
  std::uint8_t size_class = default_class;
  std::size_t most = SIZE_MAX;                // slots
  mapped_guards* guards = nullptr;            // that count those which are mappings; null: uncounted
  std::size_t guard_bytes = 0;                // asked for; 0: as large as guard_bytes() says
  std::size_t address_bytes = SIZE_MAX;       // that its slots should take at most; SIZE_MAX: there is no limit
  bool may_shrink = false;                    // where these are used up, to slots of small stacks
  std::size_t wide_slots = usual_wide_slots;  // the first ones, where there is no limit
  // Null: keep_bytes are kept at most. Else the depot asks for more once, when it holds as many;
  // the answer may read files.
  std::size_t (*more_keep_bytes)() = nullptr;
};

class stack_depot {
  // Without memory.
  struct cold_slot {
    char* base;
    os::guard_kind guard;
    bool is_guarded;  // false: it was never used, or its guard could not be made
    spread how;
    unsigned long valgrind;
  };
  struct cold_batch {
    cold_slot slots[os::most_spans];
    unsigned count = 0;
  };

 public:
  // Slots side by side, each with its guard at its low end. Stays mapped until stop().
  struct chunk {
    char* base;
    std::size_t slots;
    std::size_t slot_bytes;
    std::size_t guard_bytes;
    spread how;
  };

  void start(const stack_settings& settings);
  // Cools some of those that were not needed for a while. Any OS thread, at most as often as
  // decay_due_ns() says. True: some were cooled.
  bool decay(std::uint64_t now_ns);
  // A hint outside the lock: when decay wants to be called. 0: at once; UINT64_MAX: not at all.
  std::uint64_t decay_due_ns() const { return decay_due_ns_.load(base::relaxed); }
  // Unmaps all but the slots that have not come back: contexts that outlive the runtime are on
  // them.
  void stop();

  // Up to `wanted` slots into out; returns how many: fewer when no memory is to be had.
  unsigned take(stack** out, unsigned wanted);
  void give(stack* const* those, unsigned count);

  stack* make_mapping(std::size_t usable_bytes);         // null: no memory
  static stack* adopt(void* memory, std::size_t bytes);  // the user's memory; no guard
  void destroy(stack* one);                              // a mapping or the user's
  // A stack of any kind, after its depot has stopped. A slot of memory that is not Weft's own stays
  // mapped.
  static void destroy_left(stack* one, const stack_memory& memory);

  std::size_t stack_bytes() const { return settings_.stack_bytes; }
  // Whether all its stacks are so large, however short address space is.
  bool keeps_size() const { return !settings_.may_shrink || settings_.address_bytes == SIZE_MAX; }

  // So far: slots and mappings laid out in fresh memory; slots whose memory was given back.
  struct counts {
    std::uint64_t made;
    std::uint64_t cooled;
  };
  counts count();
  std::size_t lent();  // slots that were taken and not given back

  // The chunks from number `first` on, up to `capacity` of them; how many.
  std::size_t list_chunks(std::size_t first, chunk* out, std::size_t capacity);

 private:
  struct shape {
    std::size_t slot_bytes;
    std::size_t guard_bytes;
  };

  const shape& shape_of(spread how) const { return shapes_[static_cast<unsigned>(how)]; }
  unsigned take_batch(stack** out, unsigned wanted);
  bool pick_cold(cold_batch* picked);
  unsigned prepare(cold_batch* picked, stack** out);
  void guard_together(cold_batch* picked) const;
  bool guard_slot(cold_slot* slot) const;
  void touch_tops(const cold_batch& picked) const;
  void give_batch(stack* const* those, unsigned count);
  unsigned keep_warm(stack* const* those, unsigned count, stack** cold);
  bool may_keep_more();
  unsigned neighbours(const cold_slot* those, unsigned count) const;
  void discard(const cold_slot& first, unsigned run) const;
  void cool(stack** those, unsigned count, bool for_long);
  bool unguard(const cold_slot& first, unsigned run) const;
  void put_away(const cold_slot* those, unsigned count);
  bool add_chunk();
  bool add_chunk_of(spread how, std::size_t slots);
  bool has_address_space(spread how) const;
  bool add_small_chunk();
  char* map(std::size_t bytes);
  void unmap(void* base, std::size_t bytes);
  void unmap_but_lent(const chunk& all, bool is_newest);
  bool install_guard(char* base, std::size_t bytes, std::size_t stack_bytes, os::guard_kind* kind) const;
  stack* lay_out_slot(const cold_slot& slot) const;
  static stack* lay_out(char* base, const shape& of, stack_origin origin, os::guard_kind guard, unsigned colour,
                        unsigned long valgrind);

  stack_settings settings_{};
  shape shapes_[spreads]{};
  queue::spinlock lock_;
  // guarded by lock_
  // Lists of slots are arrays: a list through the headers would miss the cache at each step.
  growing_array<stack*> warm_;     // touched
  growing_array<cold_slot> cold_;  // whose memory was given back, or whose guard could not be made
  growing_array<chunk> chunks_;
  std::size_t slots_ = 0;         // of all chunks
  std::size_t mapped_bytes_ = 0;  // likewise
  std::size_t fresh_ = 0;         // slots of the newest chunk that were never used
  counts counts_{};
  surplus surplus_;  // of warm_

  base::atomic<std::size_t> most_warm_{0};  // as far as is known
  base::atomic<bool> has_asked_for_more_{false};
  base::atomic<std::uint64_t> decay_due_ns_{surplus::never};  // written inside the lock
};

// Most: the stacks in it; Batch: how many go to the depot at a time, and at most come from there.
// The first ones come in small batches, so that a program which needs few stacks starts sooner:
// each guard is a system call.
template <unsigned Most, unsigned Batch>
class stack_cache_of {
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
    if (count_ == Most) [[unlikely]]
      spill();
    slots_[count_++] = one;
  }

  // Gives back what the stacks here hold deeper than most stacks go.
  void trim();

 private:
  static constexpr unsigned ahead = 4;
  static constexpr unsigned first_batch = Batch < 4 ? Batch : 4;

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
  unsigned batch_ = first_batch;
  unsigned cold_ = 0;  // so many, the oldest, came from the depot and were not taken since: hardly in the CPU's cache
  stack* slots_[Most];
};

using stack_cache = stack_cache_of<64, 32>;     // of stacks of the default size
using few_stacks_cache = stack_cache_of<8, 2>;  // of another class
extern template class stack_cache_of<64, 32>;
extern template class stack_cache_of<8, 2>;

// Gives back what the stack holds deeper than most stacks go, if it holds anything there. What runs
// on it must not go deeper meanwhile.
void trim(const stack* one);

}  // namespace weft::mem
