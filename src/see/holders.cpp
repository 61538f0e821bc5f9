// See holders.hpp.
#include "see/holders.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "os/heap.hpp"
#include "os/peek.hpp"
#include "run/end.hpp"
#include "worker/adoption.hpp"
#include "worker/glance.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

known_stacks::known_stacks(runtime* rt) : rt_(rt) {
  room_ = static_cast<std::size_t>(live_units(rt)) + most_workers + 1;
  ranges_ = static_cast<range*>(os::allocate(room_ * sizeof(range)));
  if (ranges_ == nullptr) return;
  walk_units(rt, note_unit, this);
  note_running();
  if (const unit* main = main_of(rt); main != nullptr) {
    const auto low = reinterpret_cast<std::uintptr_t>(rt->main_low);
    note(low, low + rt->main_bytes, is_shared_with_main_ ? nullptr : main);
  }
  std::qsort(ranges_, count_, sizeof *ranges_, compare);
}

known_stacks::~known_stacks() { std::free(ranges_); }

int known_stacks::compare(const void* left, const void* right) {
  const std::uintptr_t one = static_cast<const range*>(left)->low;
  const std::uintptr_t other = static_cast<const range*>(right)->low;
  return one < other ? -1 : one > other ? 1 : 0;
}

void known_stacks::note(std::uintptr_t low, std::uintptr_t high, const unit* one) {
  if (count_ < room_ && low < high) ranges_[count_++] = {low, high, one};
}

// The header of a stack lies at its top; the stack may go meanwhile.
void known_stacks::note_stack(const mem::stack* stack, const unit* one) {
  alignas(mem::stack) unsigned char memory[sizeof(mem::stack)];
  if (!os::peek(stack, memory, sizeof memory)) return;
  const auto* copy = reinterpret_cast<const mem::stack*>(memory);
  const auto low = reinterpret_cast<std::uintptr_t>(copy->low);
  note(low, copy->is_os_threads() ? low + copy->total_bytes : reinterpret_cast<std::uintptr_t>(stack), one);
}

void known_stacks::note_unit(void* state, unit* one) {
  auto* all = static_cast<known_stacks*>(state);
  unit_view view;
  if (!look_at(one, &view) || view.has_ended || (view.flags & is_main) != 0) return;
  const bool stands_apart = !view.is_borrowing;
  if (view.stack == nullptr) {
    // It stands on main's stack, where main runs it in a join, or has not parked yet.
    if (!stands_apart) all->is_shared_with_main_ = true;
    return;
  }
  if (view.saved == nullptr && stands_apart) return;
  all->note_stack(view.stack, stands_apart ? one : nullptr);
}

void known_stacks::note_running() {
  for (unsigned index = 0; index < rt_->worker_slots.load(base::relaxed); ++index) {
    const worker* w = worker_in_slot(rt_, index);
    if (w == nullptr) continue;
    const unit* one = glance(w->current);
    const mem::stack* stack = glance(w->standing);
    unit_view view;
    if (one == nullptr || stack == nullptr || !look_at(one, &view)) continue;
    note_stack(stack, view.is_borrowing ? nullptr : one);
  }
}

const unit* known_stacks::unit_at(std::uintptr_t address) const {
  std::size_t first = 0, last = count_;
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (ranges_[middle].low <= address) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  if (first == 0 || address >= ranges_[first - 1].high) return nullptr;
  const std::uintptr_t low = ranges_[first - 1].low;
  const unit* found = ranges_[first - 1].one;
  for (std::size_t other = first - 1; other-- > 0 && ranges_[other].low == low;) {
    if (ranges_[other].one != found) return nullptr;
  }
  return found;
}

// Whose OS thread has this number; null: none of those that are adopted.
static const unit* adopted_with(const runtime* rt, std::uintptr_t os_caller) {
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* w = worker_in_slot(rt, index);
    const adopted* record = w != nullptr ? glance(w->adoption) : nullptr;
    adopted copy;
    if (record != nullptr && os::peek(record, &copy, offsetof(adopted, is_bound)) && copy.os_caller == os_caller)
      return copy.caller;
  }
  return nullptr;
}

const unit* unit_with(runtime* rt, std::uintptr_t number) {
  if (rt->has_adopted_caller && number == rt->main_caller) return main_of(rt);
  const auto* one = reinterpret_cast<const unit*>(number);
  return rt->unit_depot.contains(one) ? one : adopted_with(rt, number);
}

const unit* holder_of(runtime* rt, const known_stacks& stacks, const unit_view& one) {
  if (!one.waits) return nullptr;
  if (std::strcmp(one.what, "join") == 0) return static_cast<const unit*>(one.object);
  if (one.holder == 0) return nullptr;
  if (one.is_holder_address) return stacks.unit_at(one.holder);
  return unit_with(rt, one.holder);
}

}  // namespace weft::sched
