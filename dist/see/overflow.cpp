// Overflows of a rank's stack, which lies in the region, above a guard: a handler of SIGSEGV on a
// stack of its own tells them. The process then dies of the signal where it stands. Every other
// fault goes to the action that was there before, and so does a SIGSEGV that a process sent.
#include <signal.h>
#include <stdio.h>

#include "arch/signal_registers.hpp"
#include "base/assert.hpp"
#include "dist/rank/rank.hpp"
#include "dist/see/check.hpp"
#include "dist/see/report.hpp"
#include "os/env_ranks.hpp"
#include "os/signal.hpp"
#include "os/symbol.hpp"
#include "os/vm.hpp"

namespace weft::dist {
namespace {

constexpr std::size_t handler_stack_bytes = 256 * 1024;

struct sigaction before;

bool is_in_guard(std::uintptr_t address) { return address >= all.guard && address < all.guard + guard_bytes; }

// Of a stack that one thread has: its lowest page.
bool is_in_own_guard(std::uintptr_t address) {
  const std::uintptr_t at = address - all.own_stacks_at;
  return at < all.own_stack_bytes && at % own_stacks::bytes < os::page_bytes();
}

void name_newest(void (*run)(void* work), char* out, std::size_t capacity) {
  char name[200];
  name_fork(run, name, sizeof name);
  (void)snprintf(out, capacity, ", the newest one %s,", name);
}

// What a reader can do about it.
const char* cure(bool is_own) {
  if (is_own) return "the policy iso-address gives each thread as much: unset WEFT_DIST_POLICY";
  const bool is_largest = all.set.stack_bytes >= os::dist_stack_info.most;
  return is_largest ? "WEFT_DIST_STACK is at its maximum: fork less deep, or keep large arrays off the stack"
                    : "set WEFT_DIST_STACK higher";
}

// is_own: of a stack of one thread.
void tell(const void* context, bool is_own) {
  arch::registers registers;
  const std::uintptr_t code = arch::registers_of_signal(context, &registers);
  char name[256];
  os::name_readably(reinterpret_cast<const void*>(code), os::code_place::exact, os::spelling::short_first, name, sizeof name);
  char newest[256] = "";
  const slot* const top = all.mine->top;
  if (top > all.mine->base) name_newest(top[-1].place->run, newest, sizeof newest);
  const unsigned threads = is_own ? 1 : all.mine->index_of(top);
  const std::size_t bytes = is_own ? own_stacks::bytes : all.set.stack_bytes;
  base::report("stack overflow on rank %d: %u thread%s%s %s used up %zu KiB, now in %s; %s", all.job.rank, threads,
               threads == 1 ? "" : "s", newest, threads == 1 ? "has" : "have", bytes >> 10, name, cure(is_own));
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool was_sent = info->si_code <= 0;  // by kill(2) and the like: it has no address
  const bool is_own = is_in_own_guard(address);
  if (was_sent && before.sa_handler == SIG_IGN) return;
  if (!was_sent && (is_own || is_in_guard(address))) tell(context, is_own);
  (void)os::set_signal_action(signal, &before, nullptr);  // a fault comes again when this returns
  if (was_sent) (void)raise(signal);                      // pending until then
}

}  // namespace

void watch_for_overflow() {
  stack_t stack = {};
  stack.ss_size = handler_stack_bytes;
  stack.ss_sp = os::reserve(handler_stack_bytes, base::page);
  if (stack.ss_sp == nullptr || !os::set_signal_stack(&stack, nullptr)) return;
  struct sigaction ours = {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  (void)os::set_signal_action(SIGSEGV, &ours, &before);
}

}  // namespace weft::dist
