// See watermark.hpp.
#include "see/watermark.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "os/clock.hpp"
#include "os/vm.hpp"
#include "queue/spinlock.hpp"
#include "see/naming.hpp"
#include "see/observers.hpp"
#include "see/overflow.hpp"
#include "see/report.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// Entry functions by address; open addressing. Those that find no room are counted together.
struct stack_marks {
  struct mark {
    unit::function_type function;
    std::uint64_t units;
    std::size_t deepest_bytes;
    std::size_t stack_bytes;

    bool is_beneath() const { return deepest_bytes > stack_bytes; }
  };
  static constexpr std::size_t capacity = 1024;

  queue::spinlock lock;
  // guarded by lock
  mark marks[capacity];
  std::uint64_t without_room;
};

namespace {

using word = std::uintptr_t;

std::uintptr_t page_of(std::uintptr_t address) { return address & ~(os::page_bytes() - 1); }

// Refused (an emulator): then every page is looked at.
bool is_touched(std::uintptr_t from, std::size_t bytes) {
  const auto* const base = reinterpret_cast<const void*>(from);
  return os::is_touched(base, bytes);
}

// The lowest word in [from, to) that is not zero, or `to`. Frames' redzones are read as well.
__attribute__((no_sanitize("address", "thread"), noinline)) const volatile word* first_used(std::uintptr_t from,
                                                                                            std::uintptr_t to) {
  for (auto* at = reinterpret_cast<const volatile word*>(from); at != reinterpret_cast<const volatile word*>(to); ++at) {
    if (*at != 0) return at;
  }
  return reinterpret_cast<const volatile word*>(to);
}

// On the stack that it wipes: a leaf, beneath whose frame nothing is alive.
__attribute__((no_sanitize("address", "thread"), noinline)) void wipe(std::uintptr_t from, std::uintptr_t to) {
  constexpr std::uintptr_t own_frame_bytes = 256;
  const auto limit = (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - own_frame_bytes) & ~(sizeof(word) - 1);
  if (to > limit) to = limit;
  if (from >= to) return;
  for (auto* at = reinterpret_cast<volatile word*>(from); at != reinterpret_cast<volatile word*>(to); ++at) *at = 0;
}

template <class Each>
void each_touched_page(std::uintptr_t low, std::uintptr_t high, Each each) {
  const std::size_t block = 64 * os::page_bytes();
  for (std::uintptr_t page = page_of(low); page < high; page += os::page_bytes()) {
    // Of a large stack most is asked for in blocks.
    while (page + block <= high && !is_touched(page, block)) page += block;
    if (page >= high || !is_touched(page, os::page_bytes())) continue;
    const std::uintptr_t end = page + os::page_bytes();
    if (!each(page < low ? low : page, end < high ? end : high)) return;
  }
}

struct range {
  std::uintptr_t low;
  std::uintptr_t high;
};

// What its frames may write to: beneath it, and on it.
range gap_of(const mem::stack* stack) {
  const auto base = reinterpret_cast<std::uintptr_t>(stack->base);
  return {base, base + stack->gap_bytes()};
}

range usable_of(const mem::stack* stack) {
  const auto low = reinterpret_cast<std::uintptr_t>(stack->low);
  return {(low + sizeof(word) - 1) & ~(sizeof(word) - 1), reinterpret_cast<std::uintptr_t>(stack)};
}

// Or the high end.
std::uintptr_t lowest_used(range all) {
  std::uintptr_t lowest = all.high;
  each_touched_page(all.low, all.high, [&](std::uintptr_t from, std::uintptr_t to) {
    const auto found = reinterpret_cast<std::uintptr_t>(first_used(from, to));
    if (found == to) return true;
    lowest = found;
    return false;
  });
  return lowest;
}

std::size_t used_bytes(const mem::stack* stack) {
  const range gap = gap_of(stack);
  const std::uintptr_t beneath = lowest_used(gap);
  const std::uintptr_t lowest = beneath != gap.high ? beneath : lowest_used(usable_of(stack));
  return reinterpret_cast<std::uintptr_t>(stack) - lowest;
}

void wipe_touched(range all) {
  each_touched_page(all.low, all.high, [](std::uintptr_t from, std::uintptr_t to) {
    wipe(from, to);
    return true;
  });
}

stack_marks::mark* mark_of(stack_marks* all, unit::function_type function) {
  std::size_t at = reinterpret_cast<std::uintptr_t>(function) * 0x9e3779b97f4a7c15 >> 54;
  for (std::size_t tried = 0; tried < stack_marks::capacity; ++tried, at = (at + 1) % stack_marks::capacity) {
    stack_marks::mark* one = &all->marks[at];
    if (one->function == function || one->function == nullptr) return one;
  }
  return nullptr;
}

void note(stack_marks* all, unit::function_type function, std::size_t deepest_bytes, std::size_t stack_bytes) {
  const queue::guard hold(all->lock);
  stack_marks::mark* one = mark_of(all, function);
  if (one == nullptr) {
    ++all->without_room;
    return;
  }
  const stack_marks::mark found{function, ++one->units, deepest_bytes, stack_bytes};
  one->function = function;
  const bool is_deepest = deepest_bytes > one->deepest_bytes;
  if (found.is_beneath() == one->is_beneath() ? is_deepest : found.is_beneath()) *one = found;
}

int by_depth(const void* left, const void* right) {
  const auto* a = static_cast<const stack_marks::mark*>(left);
  const auto* b = static_cast<const stack_marks::mark*>(right);
  return a->deepest_bytes < b->deepest_bytes ? 1 : a->deepest_bytes > b->deepest_bytes ? -1 : 0;
}

void print(void* argument, names how) {
  auto* all = static_cast<stack_marks*>(argument);
  std::qsort(all->marks, stack_marks::capacity, sizeof *all->marks, by_depth);
  text out(STDERR_FILENO);
  out << "weft: deepest use of stacks, by entry function (the runtime's own frames included):\n";
  for (const stack_marks::mark& each : all->marks) {
    if (each.function == nullptr) continue;
    out << "weft:   ";
    start_name(out, each.function, how) << ": " << each.deepest_bytes << " of ";
    out << each.stack_bytes << " bytes, ";
    out.count(each.units, "thread", "threads") << (each.is_beneath() ? "; deeper than its stack\n" : "\n");
  }
  if (all->without_room != 0) out << "weft:   " << all->without_room << " threads of further functions were not looked at\n";
}

}  // namespace

status start_marks(runtime* rt) {
  if (!rt->settings.stack_report) return status::ok;
  rt->marks = static_cast<stack_marks*>(os::reserve(sizeof(stack_marks), os::page_bytes()));
  return rt->marks != nullptr ? status::ok : status::nomem;
}

void print_marks(runtime* rt) {
  if (rt->marks != nullptr) run_beside(print, rt->marks);
}

void stop_marks(runtime* rt) {
  if (rt->marks != nullptr) os::release(rt->marks, sizeof(stack_marks));
  rt->marks = nullptr;
}

void prepare_stack(worker* w, mem::stack* stack) {
  if (w->rt->marks == nullptr) return;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) & ~(sizeof(word) - 1);
  wipe_touched(gap_of(stack));
  wipe_touched({usable_of(stack).low, here});
}

void inspect_stack(worker* w, const unit* one, const mem::stack* stack) {
  check_canary(w, one, stack);
  if (w->rt->marks != nullptr) note(w->rt->marks, shown_function(one), used_bytes(stack), stack->usable_bytes());
  tell_stack(w->rt, w, stack);
}

}  // namespace weft::sched
