// Waits without a deadline, read quickly and of units that run meanwhile: what circles.hpp
// searches.
//
// Units lie in slabs and most records of waits on slots of stacks. Both stay mapped while the
// runtime lives, so that plain loads read them; a record counts only if its unit still waits by it
// afterwards. Other stacks, and the words of mutexes, may be unmapped at any time: these are read
// through the kernel (os/peek.hpp), which takes as long as some fifty plain reads.
//
// All that is read is counted, and a caller stops at a bound (work).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "mem/stack.hpp"
#include "see/stack_areas.hpp"
#include "unit/unit.hpp"
#include "unit/waiter.hpp"

namespace weft::sched {

struct runtime;

struct long_wait {
  const unit* one = nullptr;
  const waiter* record = nullptr;
  const void* object = nullptr;
  std::uint64_t since_ns = 0;
  const base::atomic<std::uintptr_t>* holder = nullptr;  // null: it has none that is known
  bool is_holder_address = false;
  bool is_join = false;
  const mem::stack* stack = nullptr;  // where the unit stands; null: the adopted caller's, if anywhere
  bool is_borrowing = false;          // it stands there as a guest

  // Whether it waits for a unit.
  bool is_for_unit() const { return is_join || holder != nullptr; }
};

class wait_reader {
 public:
  // What reading a unit, a record by plain loads, and anything through the kernel counts as.
  static constexpr std::uint64_t work_a_unit = 1, work_a_record = 4, work_a_peek = 128;

  void clear();

  // Before each step: what was read before is read anew.
  void begin(runtime* rt);
  // For a search that must find all in one step.
  void learn_all_areas();
  std::uint64_t work() const { return work_; }

  // False: it does not wait, or has a deadline, or goes on meanwhile.
  bool read(const unit* one, long_wait* out);

  // Notes on which stack it stands, so that it is found as the holder of a mutex.
  void note_standing(const long_wait& wait);

  // The unit for which it waits; null: unknown. Without `by_numbers` a holder that is known by the
  // number of its caller alone is unknown: a fork may have that number, too.
  const unit* awaited(const long_wait& wait, bool by_numbers);

 private:
  // A stack that is no slot: a mapping of its own, the user's memory, an adopted OS thread's.
  struct odd_stack {
    const unit* one;
    const mem::stack* stack;
    std::uintptr_t low, high;
  };
  struct holder_seen {
    const base::atomic<std::uintptr_t>* word;
    std::uintptr_t value;
  };
  static constexpr std::size_t most_seen = 64;

  bool copy(const waiter* record, unsigned char* to);
  bool peek(const void* from, void* to, std::size_t bytes);
  std::uintptr_t holder_in(const base::atomic<std::uintptr_t>* word);
  void note_odd(const long_wait& wait);
  bool read_odd(const long_wait& wait, odd_stack* out);
  odd_stack* odd_of(const unit* one);
  const unit* unit_at(std::uintptr_t address);
  const unit* in_slot(std::uintptr_t address) const;

  runtime* rt_ = nullptr;
  std::uint64_t work_ = 0;
  stack_areas areas_;
  odd_stack* odd_ = nullptr;
  std::size_t odd_count_ = 0;
  std::size_t odd_room_ = 0;
  holder_seen seen_[most_seen] = {};  // many wait for the same mutex
};

}  // namespace weft::sched
