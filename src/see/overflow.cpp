// See overflow.hpp. All but start and stop runs in a signal handler.
#include "see/overflow.hpp"

#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstring>

#include "arch/signal_registers.hpp"
#include "base/atomic.hpp"
#include "os/clock.hpp"
#include "os/signal.hpp"
#include "os/symbol.hpp"
#include "os/vm.hpp"
#include "queue/spinlock.hpp"
#include "run/fork.hpp"
#include "see/blame.hpp"
#include "see/naming.hpp"
#include "see/overflow_place.hpp"
#include "see/report.hpp"
#include "see/tracing.hpp"
#include "worker/adoption.hpp"
#include "worker/context_record.hpp"
#include "worker/hooks.hpp"
#include "worker/runner.hpp"
#include "worker/runtime.hpp"
#include "worker/seam.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// Room for the report, and for handlers of the program that print a backtrace.
constexpr std::size_t fault_stack_bytes = 64 * 1024;

// What a frame may jump over and still be recognised, where nothing is mapped beneath the guard.
constexpr std::uintptr_t reach_bytes = 16 * 1024;
constexpr std::uintptr_t callers_reach_bytes = 64 * 1024;

struct handled {
  int signal;
  const char* name;
  bool is_fault;  // of a fault of the running code, unless it was sent
  bool is_installed;
  struct sigaction before;
};
constinit queue::spinlock installing;
constinit handled signals[] = {{SIGSEGV, "SIGSEGV", true, false, {}},
                               {SIGBUS, "SIGBUS", true, false, {}},
                               {SIGFPE, "SIGFPE", true, false, {}},
                               {SIGILL, "SIGILL", true, false, {}},
                               {SIGABRT, "SIGABRT", false, false, {}}};

void on_fault(int signal, siginfo_t* info, void* context);

bool is_ours(const struct sigaction& action) { return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_fault; }
bool is_function(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

// Of one that on_fault handles; a program that chains its own handlers may ask about any other.
handled* record_if_any(int signal) {
  for (handled& each : signals) {
    if (each.signal == signal) return &each;
  }
  return nullptr;
}
handled& record_of(int signal) { return *record_if_any(signal); }
// Of an access to memory, which an overflow is, too.
bool is_of_memory(int signal) { return signal == SIGSEGV || signal == SIGBUS; }

void set_default(int signal) {
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
}

// ---- whose fault it is ----

bool is_in_guard(const mem::stack* stack, std::uintptr_t address) {
  const auto low = reinterpret_cast<std::uintptr_t>(stack->low);
  const auto base = reinterpret_cast<std::uintptr_t>(stack->base);
  return low != base && address < low && address >= base - reach_bytes;
}

// Of the adopted caller's own stack. Memory is missing inside of it only where the kernel refused
// to let main's stack grow.
bool is_beneath_callers(const void* lowest, std::size_t bytes, const siginfo_t* about) {
  const auto low = reinterpret_cast<std::uintptr_t>(lowest);
  const auto address = reinterpret_cast<std::uintptr_t>(about->si_addr);
  if (low == 0 || address < low - callers_reach_bytes || address >= low + bytes) return false;
  return address < low || (about->si_signo == SIGSEGV && about->si_code == SEGV_MAPERR);
}

// A fault whose stack pointer lies beneath the stack that it came from, wherever its address lies.
// Without tables to tell that, its address must lie between the two.
bool is_beneath(const mem::stack* stack, const overflow_place& where, const siginfo_t* about) {
  constexpr std::uintptr_t red_zone = 4096;
  const auto low = reinterpret_cast<std::uintptr_t>(stack->low);
  if (where.stack_pointer == 0 || where.stack_pointer >= low) return false;
  if (where.comes_from_stack) return true;
  const auto address = reinterpret_cast<std::uintptr_t>(about->si_addr);
  return where.is_walk_cut && address < low && address >= where.stack_pointer - red_zone;
}

bool is_overflow(const runner& running, const siginfo_t* about, const overflow_place& where) {
  const mem::stack* stack = running.standing;
  if (stack == nullptr)
    return running.rt->has_adopted_caller && is_beneath_callers(running.rt->main_low, running.rt->main_bytes, about);
  if (stack->is_os_threads()) return is_beneath_callers(stack->low, stack->total_bytes, about);
  return is_in_guard(stack, reinterpret_cast<std::uintptr_t>(about->si_addr)) || is_beneath(stack, where, about);
}

bool is_fault(int signal, const siginfo_t* about) {
  const handled* record = record_if_any(signal);
  return record != nullptr && record->is_fault && about != nullptr && about->si_code > 0;
}

bool is_of_default_size(const mem::stack* stack) {
  return stack->origin == mem::stack_origin::slot && stack->size_class == mem::default_class;
}

seam::stack_setting setting_of(const unit* one) {
  return one != nullptr ? seam::stack_setting_of(function_of(one)) : seam::stack_setting{};
}

// As it was asked for; stack null: that of the caller of weft_init.
std::size_t nominal_bytes(const runner& running, const mem::stack* stack) {
  if (stack == nullptr) return running.rt->main_bytes;
  if (is_of_default_size(stack)) {
    const std::size_t asked = running.rt->settings.stack_bytes;
    const std::size_t has = stack->total_bytes - stack->guard_bytes();
    return (asked <= has && has - asked < os::page_bytes() ? asked : has) - setting_of(running.one).added_bytes;
  }
  return stack->usable_bytes() / os::page_bytes() * os::page_bytes();
}

void tell_cure_of_fork(text& out, const runner& running, const mem::stack* stack) {
  if (stack->size_class > mem::fork_class) {
    out << "raise stack_bytes of its forker's weft_thread_attr (now ";
    out.bytes(nominal_bytes(running, stack)) << ")\n";
  } else if (stack->size_class == running.rt->fork_class) {
    out << "raise WEFT_FORK_STACK_SIZE (now ";
    out.bytes(running.rt->settings.fork_stack_bytes)
        << "): the stack of a fork that another worker took, or that its forker left behind\n";
  } else {
    out << "raise WEFT_STACK_SIZE (now ";
    out.bytes(running.rt->settings.stack_bytes) << "): no larger stack could be had for this fork\n";
  }
}

// stack: as in nominal_bytes.
void tell_cure_for_caller(text& out, const runner& running, const mem::stack* stack) {
  const int id = stack == nullptr ? running.rt->main_os_thread_id : adoption_of(stack)->os_thread_id;
  const bool is_main_thread = id == getpid();
  out << (is_main_thread ? "raise the limit of main's stack (ulimit -s, now "
                         : "give its OS thread a larger stack (pthread_attr_setstacksize, now ");
  out.bytes(nominal_bytes(running, stack)) << "), or run it in a thread with stack_bytes of its weft_thread_attr\n";
}

void tell_cure(text& out, const runner& running, const mem::stack* stack) {
  const unit* const one = running.one;
  const std::size_t default_bytes = running.rt->settings.stack_bytes;
  out << "weft:   cure: ";
  if (is_os_threads(stack)) return tell_cure_for_caller(out, running, stack);
  const bool is_own = !is_of_default_size(stack) && stack->size_class != mem::fork_class;
  if (stack->resumer != nullptr) {
    out << "raise stack_bytes of its weft_context_attr (in C++ the stack's size where it is made; now ";
    out.bytes(nominal_bytes(running, stack)) << ")\n";
  } else if (one != nullptr && one->has(is_tasklet)) {
    out << "WEFT_STACK_SIZE (now ";
    out.bytes(default_bytes) << ") or stack_bytes of weft_config; or make it a thread, with stack_bytes of weft_thread_attr\n";
  } else if (one != nullptr && one->has(is_fork)) {
    tell_cure_of_fork(out, running, stack);
  } else if (const char* const words = setting_of(one).words; is_own || words != nullptr) {
    out << "raise " << (words != nullptr ? words : "stack_bytes of its weft_thread_attr") << " (now ";
    out.bytes(nominal_bytes(running, stack)) << ")\n";
  } else {
    out << "raise stack_bytes of its weft_thread_attr, or for all threads WEFT_STACK_SIZE (now ";
    out.bytes(default_bytes) << ")\n";
  }
}

// A frame that is compiled with -fstack-clash-protection touches each page on its way: its fault
// lies in the page beneath the stack, or, with what it leaves out, in the one below that.
void tell_jump(text& out, const mem::stack* stack, const void* address, const overflow_place& where) {
  if (address == nullptr || is_os_threads(stack)) return;
  const auto low = reinterpret_cast<std::uintptr_t>(stack->low);
  std::uintptr_t deepest = low;
  const auto touched = reinterpret_cast<std::uintptr_t>(address);
  if (is_in_guard(stack, touched)) deepest = touched;
  if (where.stack_pointer != 0 && where.stack_pointer < deepest && where.comes_from_stack) deepest = where.stack_pointer;
  const std::size_t down = low - deepest;
  if (down <= 2 * os::page_bytes()) return;
  constexpr std::size_t unit_of_needs = 64 * 1024;
  const std::size_t needed = down + stack->usable_bytes();
  out << "\nweft:   a frame jumped there, to ";
  out.bytes(down / 1024 * 1024) << " beneath it: the thread needs at least ";
  out.bytes((needed + unit_of_needs - 1) / unit_of_needs * unit_of_needs);
  if (where.code == 0 || where.is_in_program) out << "; compile with -fstack-clash-protection";
}

// For name_maker.
unit_view maker_view(const mem::stack* stack) {
  unit_view view;
  view.made_at = start_on(stack)->made_at;
  return view;
}

// A unit that runs on a context's stack, and is not the context's resumer, stands on its joiner's.
bool is_in_context(const mem::stack* stack) { return stack != nullptr && stack->resumer != nullptr; }

void tell_overflow(const runner& running, const char* how_noticed, const void* address, const overflow_place& where) {
  unit* one = running.one;
  const mem::stack* stack = running.standing;
  text out(STDERR_FILENO);
  out << "weft: fatal: stack overflow in ";
  if (is_in_context(stack)) out << "a context that is run by ";
  unit_view view;
  if (one != nullptr && look_at_own(one, &view)) {
    identity(out, view, names::raw);
  } else {
    out << "a callback that worker " << running.w->index << " ran";
  }
  if (running.w == nullptr) out << ", in a blocking region";
  out << "\nweft:   its stack of ";
  out.bytes(nominal_bytes(running, stack)) << " is used up: " << how_noticed;
  if (address != nullptr) out.address(address);
  tell_jump(out, stack, address, where);
  tell_overflow_place(out, where);
  if (where.is_in_fork) out << "\nweft:   in a fork that no other worker took: it runs on its forker's stack";
  if (view.is_borrowing)
    out << "\nweft:   it ran on the stack of the thread that joins it, as a thread with default attributes may";
  if (is_in_context(stack)) name_maker(out, "\nweft:   the context was made in ", maker_view(stack), names::raw);
  name_maker(out, is_in_context(stack) ? "\nweft:   the thread was made in " : "\nweft:   made in ", view, names::raw) << "\n";
  tell_cure(out, running, stack);
}

// Several workers may overflow at once, and the end of one is the end of all: those that come later
// wait until the first has told.
constinit base::atomic<int> teller{0};  // an OS thread
constinit base::atomic<bool> has_told{false};

void tell_overflow_once(const runner& running, const char* how_noticed, const void* address, const overflow_place& where) {
  const int own = os::thread_id();
  int first = 0;
  if (teller.compare_exchange_strong(first, own, base::relaxed)) {
    tell_overflow(running, how_noticed, address, where);
    write_trace_of_dying("stack overflow");
  } else if (first != own) {
    while (!has_told.load(base::relaxed)) os::sleep_until(os::now_ns() + 1'000'000);
  }
  for (const handled& each : signals) set_default(each.signal);  // the same fault again, or one while we told, is the end
  has_told.store(true, base::relaxed);
}

// ---- other deaths ----

// A signal that another process sent says nothing of the thread that happens to run.
bool is_own_doing(int signal, const siginfo_t* about) {
  return is_fault(signal, about) || (signal == SIGABRT && about->si_code == SI_TKILL && about->si_pid == getpid());
}

// Whether the fault came on another stack than the unit's.
bool is_elsewhere(const runner& running, const void* context) {
  arch::registers registers;
  if (context == nullptr) return false;
  static_cast<void>(arch::registers_of_signal(context, &registers));
  const std::uintptr_t here = registers.get(arch::dwarf::stack_pointer);
  const mem::stack* stack = running.standing;
  const auto low = reinterpret_cast<std::uintptr_t>(stack != nullptr ? stack->low : running.rt->main_low);
  return here - low >= (stack != nullptr ? stack->usable_bytes() : running.rt->main_bytes);
}

void tell_death(int signal, const siginfo_t* about, const void* context) {
  const runner running = runner_here();
  if (running.rt == nullptr || !is_own_doing(signal, about)) return;
  const mem::stack* stack = running.standing;
  const void* low = stack != nullptr ? stack->low : running.rt->main_low;
  const bool is_abort = signal == SIGABRT;
  blame_death({record_of(signal).name, is_abort ? nullptr : about->si_addr, low, nominal_bytes(running, stack), is_abort,
               is_elsewhere(running, context), context});
}

// Pending until the handler returns, so that a core shows where it was raised.
void raise_behind(int signal) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): of the calling OS thread
  sigprocmask(SIG_BLOCK, &one, nullptr);
  static_cast<void>(raise(signal));
}

// ---- workers that come later ----

void call_before(const struct sigaction& before, int signal, siginfo_t* info, void* context) {
  // As the kernel would: our own entry blocked nothing. The mask returns with the signal frame.
  sigset_t blocked = before.sa_mask;
  if ((before.sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, signal);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing else runs any more
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else {
    before.sa_handler(signal);
  }
}

void chain(int signal, siginfo_t* info, void* context) {
  handled& record = record_of(signal);
  const struct sigaction before = record.before;
  if (is_function(before)) {
    if ((before.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) record.before.sa_handler = SIG_DFL, record.before.sa_flags = 0;
    return call_before(before, signal, info, context);
  }
  const bool was_sent = info->si_code <= 0;  // by kill(2) and the like: it does not come again by itself
  if (was_sent && before.sa_handler == SIG_IGN) return;
  blame_errors_so_far();
  tell_death(signal, info, context);
  write_trace_of_dying(record_of(signal).name);
  set_default(signal);
  if (was_sent) raise_behind(signal);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  // The caller's own stack, of which the program's handler may know more than we.
  const runner running = runner_here();
  const bool is_anothers = running.rt != nullptr && is_os_threads(running.standing) && is_function(record_of(signal).before);
  if (is_anothers || !filter_fault(signal, info, context)) return chain(signal, info, context);
  // The core shows the overflowing frame. To return alone would repeat the fault, or not, where the
  // report has mapped memory there.
  raise_behind(signal);
}

void install(handled* one) {
  struct sigaction now;
  if (!os::set_signal_action(one->signal, nullptr, &now) || is_ours(now)) return;
  // Ours was followed by another that may still call it: to go in front of that one would be a
  // ring.
  if (one->is_installed && is_function(now)) return;
  if (!is_of_memory(one->signal) && is_function(now)) return;  // the program may want to go on
  one->before = now;
  struct sigaction ours = {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  one->is_installed = os::set_signal_action(one->signal, &ours, nullptr);
}

void restore(handled* one) {
  struct sigaction now;
  if (!one->is_installed || !os::set_signal_action(one->signal, nullptr, &now) || !is_ours(now)) return;
  one->is_installed = !os::set_signal_action(one->signal, &one->before, nullptr);
}

std::size_t wanted_bytes() { return fault_stack_bytes + getauxval(AT_MINSIGSTKSZ); }

}  // namespace

void install_fault_handlers() {
  os::find_exceptions();
  const queue::guard hold(installing);
  for (handled& each : signals) install(&each);
}

void restore_fault_handlers() {
  const queue::guard hold(installing);
  for (handled& each : signals) restore(&each);
}

// Without memory for it there is no report, and nothing else is lost.
void start_fault_stack(signal_stack* out) {
  stack_t now;
  *out = {};
  if (!os::set_signal_stack(nullptr, &now) || ((now.ss_flags & SS_DISABLE) == 0 && now.ss_size >= wanted_bytes())) return;
  out->memory = os::reserve(wanted_bytes(), os::page_bytes());
  if (out->memory == nullptr) return;
  out->base_before = now.ss_sp;
  out->bytes_before = now.ss_size;
  out->flags_before = now.ss_flags;
  stack_t ours = {};
  ours.ss_sp = out->memory;
  ours.ss_size = wanted_bytes();
  if (os::set_signal_stack(&ours, nullptr)) return;
  os::release(out->memory, wanted_bytes());
  out->memory = nullptr;
}

void stop_fault_stack(signal_stack* ours) {
  if (ours->memory == nullptr) return;
  stack_t before = {};
  before.ss_sp = ours->base_before;
  before.ss_size = ours->bytes_before;
  before.ss_flags = ours->flags_before & SS_DISABLE;
  // Refused, the kernel goes on using it: then it stays.
  if (os::set_signal_stack(&before, nullptr)) os::release(ours->memory, wanted_bytes());
  ours->memory = nullptr;
}

bool filter_fault(int signal, void* info, const void* context) {
  const auto* about = static_cast<const siginfo_t*>(info);
  const runner running = runner_here();
  if (!is_of_memory(signal) || !is_fault(signal, about)) return false;
  if (running.rt == nullptr) return false;
  overflow_place where;
  find_overflow_place(running.w, running.standing, context, &where);
  if (!is_overflow(running, about, where)) return false;
  tell_overflow_once(running, "fault at ", about->si_addr, where);
  return true;
}

void check_canary(worker* w, const unit* one, const mem::stack* stack) {
  if (os::guard_intact(stack->base, stack->guard_bytes(), stack->guard)) return;
  w->current = const_cast<unit*>(one);
  tell_overflow_once(runner_on(w), "when it ended, the canary beneath it was overwritten", nullptr, {});
  abort();
}

}  // namespace weft::sched
