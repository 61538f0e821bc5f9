// Which unit holds what another one waits for: for reports, from any OS thread. A join's target and
// the owner of a mutex are known; a semaphore or an event has none.
//
// A mutex notes its holder as cheaply as it can (sync/mutex.hpp): by the number of the caller where
// it needs that itself, else by an address in the stack of the caller. The stacks of all units are
// read once, by known_stacks, and searched then. A stack on which two units stand, because one of
// them runs the other in its join, names none.
#pragma once

#include "see/report.hpp"
#include "worker/hooks.hpp"

namespace weft::sched {

class known_stacks {
 public:
  // Without memory no stack is known.
  explicit known_stacks(runtime* rt);
  ~known_stacks();
  known_stacks(const known_stacks&) = delete;
  known_stacks& operator=(const known_stacks&) = delete;

  // Null: unknown.
  const unit* unit_at(std::uintptr_t address) const;

 private:
  struct range {
    std::uintptr_t low, high;
    const unit* one;  // null: two units stand there
  };

  static void note_unit(void* state, unit* one);
  static int compare(const void* left, const void* right);
  void note(std::uintptr_t low, std::uintptr_t high, const unit* one);
  void note_stack(const mem::stack* stack, const unit* one);
  void note_running();

  runtime* rt_;
  range* ranges_ = nullptr;
  std::size_t count_ = 0;
  std::size_t room_ = 0;
  bool is_shared_with_main_ = false;
};

// The unit with that number of a caller (sync/caller.hpp). Null: unknown.
const unit* unit_with(runtime* rt, std::uintptr_t number);

// Null: unknown, or it is free.
const unit* holder_of(runtime* rt, const known_stacks& stacks, const unit_view& one);

}  // namespace weft::sched
