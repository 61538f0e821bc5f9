// See kernel_sleep.hpp.
#include "see/kernel_sleep.hpp"

#include <limits.h>

#include <cstring>

#include "arch/signal_registers.hpp"
#include "os/module.hpp"
#include "os/peek.hpp"
#include "os/source_line.hpp"
#include "os/symbol.hpp"
#include "os/system_call.hpp"
#include "os/thread_state.hpp"
#include "see/naming.hpp"
#include "see/running_frames.hpp"
#include "unwind/walk.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

enum class owner { c_library, weft, header, program };

template <std::size_t Count>
bool begins_with_any(const char* name, const char* const (&beginnings)[Count]) {
  for (const char* each : beginnings) {
    if (std::strncmp(name, each, std::strlen(each)) == 0) return true;
  }
  return false;
}

// Sanitizers put functions of theirs in front of the C library's.
bool is_c_library(const os::code_module& module) {
  constexpr const char* names[] = {"libc.", "libc-", "ld-", "libpthread", "linux-vdso", "libasan", "libtsan", "libubsan"};
  return begins_with_any(module.name, names);
}

// Where the C library is part of the program: names that are reserved for it, and those of calls.
// Weft's library with checks stands in for its locks (os_locks.cpp).
bool is_c_library(const char* name, long call) {
  if (begins_with_any(name, {"__", "syscall+", "pthread_"})) return true;
  const char* const call_name = os::call_name(call);
  const std::size_t length = call_name != nullptr ? std::strlen(call_name) : 0;
  return length != 0 && std::strncmp(name, call_name, length) == 0 && name[length] == '+';
}

bool is_core(const char* name) {
  return begins_with_any(name, {"weft_", "_ZN4weft5sched", "_ZN4weft4sync", "_ZN4weft5fiber", "_ZN4weft4capi", "_ZN4weft2os"});
}

os::code_place place_of(const unwind::frame& one) { return one.is_exact ? os::code_place::exact : os::code_place::after_call; }

owner owner_of(const unwind::frame& one, long call) {
  os::code_module module;
  const bool is_known = os::find_module(one.is_exact ? one.code : one.code - 1, &module);
  if (!is_known || is_c_library(module)) return owner::c_library;
  char name[256];
  const auto* const address = reinterpret_cast<const void*>(one.code);
  os::name_code(address, place_of(one), name, sizeof name);
  if (is_c_library(name, call)) return owner::c_library;
  if (begins_with_any(module.name, {"libweft"})) return owner::weft;
  if (is_core(name)) return owner::weft;
  return os::is_header_code(address) ? owner::header : owner::program;
}

enum class line { none, of_header, of_source };

line line_of(const unwind::frame& one) {
  char words[64];  // "main.cpp:31"
  if (!os::write_source_line(reinterpret_cast<const void*>(one.code), place_of(one), words, sizeof words)) return line::none;
  const char* const dot = std::strrchr(words, '.');
  return dot != nullptr && (dot[1] == 'c' || dot[1] == 'C') ? line::of_source : line::of_header;
}

struct search {
  long call;
  bool may_be_wefts;  // a futex wait with a deadline: while it runs a unit, Weft makes no other call that sleeps
  calling_code found;
  bool is_in_header = false;    // found.at is
  unsigned program_frames = 0;  // each takes a look through debug information
};

constexpr unsigned most_program_frames = 8;

// False: the search is over.
bool look_at_frame(search* all, const unwind::frame& one) {
  calling_code* const found = &all->found;
  const owner whose = owner_of(one, all->call);
  if (whose == owner::c_library) return true;
  if (whose == owner::weft) {
    found->is_wefts = found->at == 0 && all->may_be_wefts;  // else the program's, by a jump in place of a call
    return false;
  }
  if (++all->program_frames > most_program_frames) return false;
  const line its = line_of(one);
  const bool is_programs = whose == owner::program || its == line::of_source;  // else inlined into what a header has
  if (found->at == 0 || (all->is_in_header && is_programs)) {
    all->is_in_header = !is_programs;
    found->at = one.code;
    found->is_exact = one.is_exact;
    return its != line::of_source;
  }
  if (its != line::of_source) return true;
  found->line_at = one.code;
  return false;
}

calling_code search_frames(const unwind::backtrace& frames, long call, bool waits_for_others) {
  search all{call, os::is_futex(call) && !waits_for_others, {}};
  for (unsigned index = 0; index < frames.count; ++index) {
    if (!look_at_frame(&all, {frames.code[index], frames.is_exact(index), 0})) break;
  }
  return all.found;
}

}  // namespace

calling_code find_calling_code(const worker* w, const unit* in, const os::thread_state& state) {
  unit_view view;
  unwind::backtrace frames;
  if (!look_at(in, &view)) return {.has_returned = true};
  const char* const obstacle = find_frames_in_kernel(w, view, state, &frames);
  return obstacle == nullptr ? search_frames(frames, state.call, state.waits_for_others)
                             : calling_code{.has_returned = obstacle == went_on};
}

calling_code find_interrupted_code(const void* context, long call) {
  arch::registers registers;
  const std::uintptr_t code = arch::registers_of_signal(context, &registers);
  unwind::memory from(os::peek);
  unwind::backtrace frames;
  unwind::walk(&from, nullptr, registers, code, &frames);
  return search_frames(frames, call, true);
}

text& tell_calling_code(text& out, const calling_code& one, names how) {
  if (one.at == 0) return out;
  code_with_line(out << ", called in ", one.at, one.is_exact, how);
  return one.line_at != 0 ? code_with_line(out << ", from ", one.line_at, false, how) : out;
}

text& tell_call(text& out, long call, std::uintptr_t first_argument) {
  const char* const name = os::call_name(call);
  if (name == nullptr) return out << "system call " << static_cast<std::uint64_t>(call);
  out << name;
  char what[128];
  const bool is_on_descriptor = os::takes_descriptor(call) && os::name_descriptor(first_argument, what, sizeof what);
  return is_on_descriptor ? out << " of " << what : out;
}

text& tell_kernel_place(text& out, int os_thread, const os::thread_state& state) {
  if (state.place == os::kernel_place::call) return tell_call(out << ", in ", state.call, state.first_argument);
  if (state.place == os::kernel_place::no_call) return out << ", in no call: it waits for memory that is read from a file";
  char channel[64];
  if (os::read_wait_channel(os_thread, channel, sizeof channel)) out << ", in the kernel's function " << channel;
  return out << "; the system does not tell the call";
}

text& tell_cure_of_call(text& out, const char* before, long call, unsigned waiting) {
  out << before;
  if (os::is_sleep(call)) {
    out << "cure: sleep by weft_sleep_ns (C++: weft::this_thread::sleep_for), so that the worker runs others meanwhile";
  } else {
    out << "cure: wrap the call in weft_blocking (C++: weft::blocking), so that the worker runs others meanwhile, or add workers";
  }
  if (waiting == 0) return out << "; until then this worker waits\n";
  out << "; until then this worker and ";
  return out.count(waiting, "ready thread", "ready threads") << " behind it wait\n";
}

}  // namespace weft::sched
