// What switches between contexts: a unit on its worker; or an OS thread outside, for contexts that
// have outlived the runtime in which they were made (docs/decisions/0085-contexts-that-outlive.md).
// Such contexts go on wherever they are resumed: a later runtime's units may do so, too.
#pragma once

#include <cstddef>

#include "fiber/sanitizer.hpp"
#include "mem/stack.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

struct stander {
  mem::stack** standing;  // on which it runs; null there: the OS thread's own
  const unit* identity;   // whose the frames on its own stack are; outside: the address of the OS thread's record
  worker* w;              // null: outside
};

// Whether the context on this stack was made in a runtime that has ended.
bool has_outlived(const mem::stack* stack);

// Outside. False: there is no memory for its record, or the process was forked in between.
bool find_stander_outside(stander* out);

// Goes on, on this stack. base_of: whose frames lie there; null: a context's.
inline void stand_on(const stander& me, mem::stack* stack, const unit* base_of) {
  *me.standing = stack;
  if (me.w != nullptr && me.w->current->has_parked()) me.w->current->stack = stack;
  if (base_of == nullptr) stack->resumer = me.identity;
}

// Where `me` stands now, for the sanitizers. Outside it is kept before the own stack is left.
fiber::sanitizer::side side_of(const stander& me);
void keep_side_of(const stander& me);

// What the C++ run time keeps for the frames that are left, while it is not zero.
class put_away {
 public:
  explicit put_away(const worker* w);
  // By the side that goes on, wherever that is.
  void put_back() const;

 private:
  std::size_t bytes_ = 0;
  alignas(16) unsigned char words_[most_carried_bytes];
};

// Whether put_away would find something.
bool is_something_carried(const worker* w);

// Frees the stack of a context that has outlived its runtime.
void release_outlived(mem::stack* stack);

[[noreturn, gnu::cold, gnu::noinline]] void refuse_context_caller(const char* call);

[[gnu::cold, gnu::noinline]] stander stander_outside_for(const mem::stack* stack, const char* call);

// A unit, or, for what runs on a stack that has outlived its runtime, an OS thread outside; ends
// the program with the call's name otherwise.
inline stander stander_for(const mem::stack* stack, const char* call) {
  worker* const w = local::current_worker();
  if (w != nullptr && w->current != nullptr) [[likely]]
    return {&w->standing, w->current, w};
  return stander_outside_for(stack, call);
}

}  // namespace weft::sched
