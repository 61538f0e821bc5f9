// Stacks by size class: the class on which a unit starts, and a worker's stacks of each.
//
// A unit carries its class in its flags. It has no stack until it starts: then a carrier runs it
// that stands on a stack of its class (carrier.cpp). So a unit of a class costs what a default one
// costs, as long as its worker finds others of the same class behind it, and one change of carriers
// otherwise.
//
// Class 1 is that of forks that became units. Their stacks are as large as the system makes those
// of main threads, because a program of forks that runs on one worker runs on the main thread's
// stack. That is address space alone, and where it is short forks get stacks of the default size.
#pragma once

#include <cstddef>

#include "base/status.hpp"
#include "unit/unit.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// The bytes that the stacks of one size should take at most: a quarter of RLIMIT_AS; SIZE_MAX:
// there is no limit.
std::size_t address_share();

// How many stacks a depot keeps: as WEFT_STACK_CACHE says, or as many as fit the machine.
void set_kept(const runtime* rt, mem::stack_settings* of);

// Of a depot: all of them while the use of stacks is measured.
inline std::size_t wide_slots_of(const runtime* rt) { return rt->settings.stack_report ? SIZE_MAX : mem::usual_wide_slots; }

// After the adopted caller is known, before any fork.
void start_fork_stacks(runtime* rt);
void stop_sized_stacks(runtime* rt);

inline mem::stack_depot* depot_of(runtime* rt, unsigned size_class) {
  return size_class == mem::default_class ? &rt->stack_depot : &rt->sized_stacks[size_class - 1];
}

inline unsigned class_of(const unit* one) {
  const unsigned flags = one->flags.load(base::relaxed);
  return flags >> size_class_shift;
}
constexpr unsigned flags_of_class(unsigned number) { return number << size_class_shift; }

// Of the forks of this identity: at least as large as its own stack.
unsigned class_of_forks(const runtime* rt, const unit* forker);

// The class for stacks of a size that the program asked for; w: the calling worker, or null.
// Errors: nomem; unsupported, if there is none left or the size is too large for one.
status find_class(runtime* rt, worker* w, std::size_t bytes, unsigned* out);

// The class on which a unit that has no stack starts on w, which then has a stack of it at hand.
// False: there is no memory for one.
bool ensure_stack_for(worker* w, const unit* one, unsigned* size_class);

// After ensure_stack_for, or as w->stacks.take() after ensure_one.
inline mem::stack* take_stack(worker* w, unsigned size_class) {
  if (size_class == mem::default_class) return w->stacks.take();
  return w->sized_stacks[size_class - 1].take();
}
inline void give_stack(worker* w, mem::stack* one) {
  if (one->size_class == mem::default_class) [[likely]]
    return w->stacks.give(one);
  w->sized_stacks[one->size_class - 1].give(one);
}

// Before a sleep: gives back what a deep unit left on the stacks here.
void trim_stacks(worker* w);
void empty_stack_caches(worker* w);

}  // namespace weft::sched
