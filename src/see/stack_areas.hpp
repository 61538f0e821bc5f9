// Where the slots of stacks lie: for what reads stacks by plain loads, and finds the unit to whose
// stack an address belongs. Slots stay mapped while the runtime lives (mem/stack.hpp).
//
// A step takes note of a bounded number of chunks, so that a step costs the same in a program of a
// million threads. One user at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mem/stack.hpp"

namespace weft::sched {

struct runtime;
struct unit;

class stack_areas {
 public:
  void clear();

  // Takes note of chunks that were added. True: there may be more. Without memory they stay
  // unknown.
  bool take_note(runtime* rt);

  // Whether all these bytes lie in one slot, and not in its guard.
  bool hold(const void* first, std::size_t bytes) const;

  // The last unit noted as standing in the slot of `address`. Null: none, or it lies in no slot.
  const unit* standing_at(std::uintptr_t address) const;
  // False: it lies in no slot that is known, or there is no memory.
  bool note_standing(std::uintptr_t address, const unit* one);
  bool is_same_slot(std::uintptr_t one, std::uintptr_t other) const;

 private:
  struct area {
    std::uintptr_t low;
    std::uintptr_t high;
    std::size_t slot_bytes;
    std::size_t guard_bytes;
    const unit** standing;  // by slot; null: none was noted
  };

  static constexpr std::size_t most_new = 256;

  std::size_t list_new(runtime* rt);
  void merge(std::size_t count);
  area* area_of(std::uintptr_t address) const;

  area* areas_ = nullptr;  // by address
  std::size_t count_ = 0;
  std::size_t room_ = 0;
  std::size_t known_[mem::stack_classes] = {};  // chunks of each class
  area fresh_[most_new] = {};                   // by address; not on a stack, which may be small
};

}  // namespace weft::sched
