// See overflow_place.hpp.
#include "see/overflow_place.hpp"

#include <sys/auxv.h>

#include "arch/signal_registers.hpp"
#include "os/module.hpp"
#include "os/peek.hpp"
#include "see/naming.hpp"
#include "unwind/tables.hpp"
#include "unwind/walk.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// More frames than a library has between its caller and the deepest of its own.
constexpr unsigned most_frames = 2'000;

// Of a fork's function.
struct code_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool holds(std::uintptr_t code) const { return code - begin < end - begin; }
};

struct search {
  os::code_module program;
  code_range fork;
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
  unsigned count = 0;
  overflow_place* out = nullptr;
};

bool find_program(os::code_module* out) { return os::find_module(getauxval(AT_ENTRY), out); }

// Of the fork that was joined last: a fork that no worker took is run by its join, as a plain call,
// after its place was given back.
code_range fork_joined_last(const worker* w, unwind::memory* from) {
  const fork_segment* const segment = w->forks.segment;
  if (segment == nullptr) return {};
  const weft_forked* bottom = weft_hot_load(&w->forks.hot.bottom, __ATOMIC_RELAXED);
  if (bottom == nullptr) bottom = w->forks.closed_bottom.load(base::relaxed);
  if (bottom == nullptr || !segment->holds(bottom)) return {};
  // In the midst of a further fork, or after it: the one before lies beneath.
  if (bottom->run == nullptr && bottom != segment->forks) --bottom;
  if (bottom->run == nullptr) return {};
  const auto code = reinterpret_cast<std::uintptr_t>(bottom->run);
  os::code_module module;
  unwind::function_entry function;
  if (!os::find_module(code, &module) || module.eh_frame_hdr == 0) return {};
  if (!unwind::find_function(from, module.eh_frame_hdr, code, &function)) return {};
  return {function.begin, function.end};
}

bool look_at_frame(void* state, const unwind::frame& one) {
  auto* const all = static_cast<search*>(state);
  overflow_place* const out = all->out;
  const std::uintptr_t inside = one.is_exact ? one.code : one.code - 1;
  const bool is_on_stack = one.stack_pointer >= all->low && one.stack_pointer < all->high;
  out->comes_from_stack = out->comes_from_stack || is_on_stack;
  const bool is_programs = all->program.holds(inside);
  if (all->count == 0) out->is_in_program = is_programs;
  if (is_programs && !out->is_in_program && out->own_call == 0) out->own_call = one.code;
  // Not the outermost frame, which may be the same function's.
  out->is_in_fork = out->is_in_fork || (all->fork.holds(inside) && one.stack_pointer < all->high - 256);
  return ++all->count < most_frames;
}

}  // namespace

void find_overflow_place(const worker* w, const mem::stack* stack, const void* context, overflow_place* out) {
  if (context == nullptr) return;
  arch::registers registers;
  out->code = arch::registers_of_signal(context, &registers);
  out->stack_pointer = registers.get(arch::dwarf::stack_pointer);
  if (stack == nullptr) return;
  unwind::memory from(os::peek);
  search all;
  all.out = out;
  all.low = reinterpret_cast<std::uintptr_t>(stack->low);
  all.high = all.low + stack->usable_bytes();
  static_cast<void>(find_program(&all.program));
  if (w != nullptr) all.fork = fork_joined_last(w, &from);
  const unwind::ending why = unwind::walk_all(&from, registers, out->code, look_at_frame, &all);
  out->is_walk_cut = why != unwind::ending::bottom;
}

void tell_overflow_place(text& out, const overflow_place& where) {
  os::code_module module;
  if (where.code == 0) return;
  out << "\nweft:   in ";
  if (!where.is_in_program && os::find_module(where.code, &module)) out << module.name << ", ";
  code_with_line(out, where.code, true, names::raw);
  if (where.own_call == 0) return;
  out << ", called from ";
  code_with_line(out, where.own_call, false, names::raw);
}

}  // namespace weft::sched
