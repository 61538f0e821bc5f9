// See moves.hpp.
#include "see/moves.hpp"

#include <sys/auxv.h>

#include "arch/signal_registers.hpp"
#include "base/config.hpp"
#include "os/clock.hpp"
#include "os/module.hpp"
#include "os/peek.hpp"
#include "see/naming.hpp"
#include "unwind/walk.hpp"
#include "worker/arrivals.hpp"
#include "worker/hooks.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

struct search {
  os::code_module program;
  os::code_module own;
  std::uintptr_t above = 0;  // frames that lie higher
  std::uintptr_t found = 0;
};

// The outermost of them is the last one.
bool look_at_frame(void* state, const unwind::frame& one) {
  auto* const all = static_cast<search*>(state);
  os::code_module module;
  const std::uintptr_t inside = one.is_exact ? one.code : one.code - 1;
  const bool is_librarys = !all->program.holds(inside) && !all->own.holds(inside) && os::find_module(inside, &module);
  if (is_librarys && one.stack_pointer > all->above) all->found = one.code;
  return true;
}

// 0: it is in none.
std::uintptr_t find_library_call(const arrival& last, const void* context) {
  search all;
  all.above = last.stack_pointer;
  static_cast<void>(os::find_module(getauxval(AT_ENTRY), &all.program));
  static_cast<void>(os::find_module(reinterpret_cast<std::uintptr_t>(tell_move), &all.own));
  arch::registers registers;
  const std::uintptr_t code = arch::registers_of_signal(context, &registers);
  unwind::memory from(os::peek);
  static_cast<void>(unwind::walk_all(&from, registers, code, look_at_frame, &all));
  return all.found;
}

void tell_library_call(text& out, std::uintptr_t call) {
  os::code_module module;
  out << ", in a call of ";
  if (os::find_module(call - 1, &module)) out << module.name << ", ";
  code_name(out, reinterpret_cast<const void*>(call), false, names::raw);
}

}  // namespace

void tell_move(text& out, const worker* w, const unit* one, const void* context) {
  arrival last;
  const std::uint64_t now_ns = os::now_ns();
  if (!config::checked || !find_arrival(w, one, &last) || now_ns < last.at_ns) return;
  out << "weft:   it went on on another OS thread ", out.interval(now_ns - last.at_ns);
  out << " before, on that of worker " << w->index << " in place of worker " << last.from << "'s";
  if (const std::uintptr_t call = context != nullptr ? find_library_call(last, context) : 0; call != 0)
    tell_library_call(out, call);
  out << ": a library that keeps locks or state by OS thread wants no wait in its callbacks, or weft_pin before its call\n";
}

}  // namespace weft::sched
