// See leaving.hpp.
#include "see/leaving.hpp"

#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "arch/signal_registers.hpp"
#include "os/module.hpp"
#include "os/peek.hpp"
#include "os/symbol.hpp"
#include "see/blame.hpp"
#include "see/naming.hpp"
#include "see/report.hpp"
#include "unit/details.hpp"
#include "unwind/walk.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

struct leave {
  bool has_ended;
  worker::held_locks locks;
  const void* pinned_at = nullptr;  // null: it holds locks
  unit_view who = {};
  arch::registers registers = {};  // of the caller here
  std::uintptr_t code = 0;
};

// The library's own, and the functions of its headers.
bool is_wefts(std::uintptr_t code) {
  char name[128];
  const auto* const address = reinterpret_cast<const void*>(code);
  if (os::is_header_code(address)) return true;
  os::name_code(address, os::code_place::after_call, name, sizeof name);
  return std::strncmp(name, "weft_", 5) == 0;
}

bool is_frame_of_weft(void* state, const unwind::frame& one) {
  if (is_wefts(one.code)) return true;
  *static_cast<std::uintptr_t*>(state) = one.code;
  return false;
}

// What called Weft; 0: not found.
std::uintptr_t find_call(const leave& what) {
  std::uintptr_t found = 0;
  unwind::memory from(os::peek);
  static_cast<void>(unwind::walk_all(&from, what.registers, what.code, is_frame_of_weft, &found));
  return found;
}

text& tell_call(text& out, const leave& what, names how) {
  const std::uintptr_t call = what.has_ended ? 0 : find_call(what);
  return call != 0 ? code_with_line(out << ", in ", call, false, how) : out;
}

void write_pinned(void* argument, names how) {
  const auto& what = *static_cast<const leave*>(argument);
  text out(STDERR_FILENO);
  identity(out << "weft: fatal: ", what.who, how) << (what.has_ended ? " ended" : " waits or yields");
  tell_call(out, what, how) << ", inside weft_pinned_begin";
  code_with_line(out << " of ", reinterpret_cast<std::uintptr_t>(what.pinned_at), false, how);
  out << ": threads that its worker runs meanwhile find its locks and state of OS threads; cure: weft_pinned_end before\n";
}

void write_locks(void* argument, names how) {
  const auto& what = *static_cast<const leave*>(argument);
  const auto taken_at = reinterpret_cast<std::uintptr_t>(what.locks.place());
  os::code_module module;
  text out(STDERR_FILENO);
  identity(out << "weft: warning: ", what.who, how) << (what.has_ended ? " ended" : " waits or yields");
  tell_call(out, what, how) << ", and its OS thread holds ";
  out.count(what.locks.count, "lock of OS threads", "locks of OS threads") << " (pthread_mutex_t), taken in ";
  if (os::find_module(taken_at, &module)) out << module.name << ", ";
  code_with_line(out, taken_at, false, how);
  out << "\nweft:   a thread that asks for it here gets it, or waits for ever; cure: give it back before, or take a weft_mutex; "
         "in a "
         "callback of the library that took it do not wait (WEFT_HELD_LOCKS=off ends these lines)\n";
}

[[gnu::noinline]] void look_here(leave* what) {
  ucontext_t here;
  if (getcontext(&here) != 0) return;
  what->code = arch::registers_of_signal(&here, &what->registers);
}

constexpr unsigned most_places = 8;
constinit base::atomic<const void*> told_places[most_places] = {};

bool is_first_told(const void* place) {
  for (auto& each : told_places) {
    const void* known = nullptr;
    if (each.compare_exchange_strong(known, place, base::relaxed)) return true;
    if (known == place) return false;
  }
  return false;
}

}  // namespace

void tell_leaving(worker* w, unit* self, bool has_ended) {
  leave what{.has_ended = has_ended, .locks = w->os_locks};
  w->os_locks.count = 0;
  const bool is_pinned = is_in_pinned_scope(self);
  if (!is_pinned && (!w->rt->settings.held_locks || !is_first_told(what.locks.place()))) return;
  if (is_pinned) what.pinned_at = details_if_any(self)->pinned_at;
  static_cast<void>(look_at_own(self, &what.who));
  look_here(&what);
  run_beside(is_pinned ? write_pinned : write_locks, &what);
  if (is_pinned) abort_after_report();
}

}  // namespace weft::sched
