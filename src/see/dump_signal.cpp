// See dump_signal.hpp.
#include "see/dump_signal.hpp"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>

#include "base/assert.hpp"
#include "base/atomic.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"
#include "os/signal.hpp"
#include "os/thread.hpp"
#include "see/deadlock.hpp"
#include "see/trace_dump.hpp"
#include "see/watchdog.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/seam.hpp"

namespace weft::sched {

namespace {

constexpr std::size_t os_stack_bytes = 256 * 1024;

// A handler is given nothing but its signal, so this is the process's: one runtime at a time uses
// it.
constinit base::atomic<std::uint32_t> asked{0};  // futex: twice the signals so far, and must_stop
constexpr std::uint32_t must_stop = 1;
// the OS thread that starts and stops the runtime
constinit int signal_in_use = 0;  // 0: none
constinit bool has_writer = false;
constinit os::os_thread writer{};
struct sigaction before;

void on_signal(int) {
  const int kept = errno;
  asked.fetch_add(2, base::relaxed);
  os::futex_wake(&asked, 1);
  errno = kept;
}

// ---- SIGQUIT, the last signal ----

// The kernel then ends the program.
constexpr std::uint64_t longest_dump_ns = 10'000'000'000;
constexpr std::uint64_t longest_trace_ns = 110'000'000'000;  // after the dump
constinit base::atomic<int> timer_of_last_signal{-1};        // less than 0: none

void set_default(int signal) {
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
}

void on_last_signal(int signal) {
  const int kept = errno;
  set_default(signal);
  runtime* const rt = local::current_runtime();
  int timer = 0;
  if (os::make_signal_timer(os::thread_id(), signal, &timer)) {
    static_cast<void>(os::set_signal_timer(timer, longest_dump_ns));
    timer_of_last_signal.store(timer, base::relaxed);
  }
  if (rt == nullptr || !ask_watchdog_for_last_dump(rt)) dump_and_die();
  errno = kept;
}

bool is_ours(const struct sigaction& action) {
  if ((action.sa_flags & SA_SIGINFO) != 0) return false;
  return action.sa_handler == on_signal || action.sa_handler == on_last_signal;
}

void* write_dumps(void*) {
  os::name_this_thread("weft-dump");
  std::uint32_t seen = 0;
  for (;;) {
    const std::uint32_t now = asked.load(base::relaxed);
    const std::uint32_t signals = now & ~must_stop;
    if (signals != seen) {
      seen = signals;
      static_cast<void>(dump(STDERR_FILENO));
      write_kept_trace("signal");
    } else if ((now & must_stop) != 0) {
      return nullptr;
    } else {
      os::futex_wait(&asked, now);
    }
  }
}

int number_of(os::dump_signal which) {
  switch (which) {
    case os::dump_signal::usr1: return SIGUSR1;
    case os::dump_signal::usr2: return SIGUSR2;
    case os::dump_signal::quit:
    case os::dump_signal::automatic: return SIGQUIT;
    case os::dump_signal::off: break;
  }
  return 0;
}

// False: the program has a handler of its own, or the system refuses.
bool install(int signal) {
  struct sigaction now;
  if (!os::set_signal_action(signal, nullptr, &now)) return false;
  if (is_ours(now)) return true;  // it could not be taken away when the runtime before ended
  if ((now.sa_flags & SA_SIGINFO) != 0 || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)) return false;
  before = now;
  struct sigaction ours = {};
  ours.sa_handler = on_signal;
  ours.sa_flags = SA_ONSTACK | SA_RESTART;  // the stack of a thread may be too small for a handler
  sigemptyset(&ours.sa_mask);
  return os::set_signal_action(signal, &ours, nullptr);
}

// Only where nothing but the system would act.
bool install_last() {
  struct sigaction now;
  if (!os::set_signal_action(SIGQUIT, nullptr, &now)) return false;
  if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) return false;
  before = now;
  struct sigaction ours = {};
  ours.sa_handler = on_last_signal;
  ours.sa_flags = SA_ONSTACK | SA_NODEFER | SA_RESTART;  // the program goes on while the dump is written
  sigemptyset(&ours.sa_mask);
  return os::set_signal_action(SIGQUIT, &ours, nullptr);
}

bool may_install_last() { return !seam::leaves_signals() && os::privileges_of_program() == os::privileges::ordinary; }

void stop_writer() {
  asked.fetch_or(must_stop, base::relaxed);
  os::futex_wake(&asked, 1);
  os::join_thread(writer);
}

}  // namespace

namespace {

// Waits until the runtime is not held any more, so longer for the trace than for the dump alone.
void dump_and_write_trace() {
  static_cast<void>(dump(STDERR_FILENO));
  const int timer = timer_of_last_signal.load(base::relaxed);
  if (timer >= 0) static_cast<void>(os::set_signal_timer(timer, longest_trace_ns));
  write_kept_trace("SIGQUIT");
}

}  // namespace

void dump_and_die() {
  if (!local::is_holder_or_about_to_be()) {
    dump_and_write_trace();
  } else {
    base::report(
        "SIGQUIT came to the OS thread that holds the runtime, for a dump or at a start or an end: no threads are written");
  }
  static_cast<void>(kill(getpid(), SIGQUIT));
}

void start_dump_signal(const runtime* rt) {
  if (rt->settings.dump_on_signal == os::dump_signal::automatic) {
    has_writer = false;
    if (may_install_last() && install_last()) signal_in_use = SIGQUIT;
    return;
  }
  const int signal = number_of(rt->settings.dump_on_signal);
  if (signal == 0) return;
  asked.store(0, base::relaxed);
  if (os::start_thread(&writer, write_dumps, nullptr, os_stack_bytes) != status::ok) {
    base::report("warning: no OS thread for WEFT_DUMP_SIGNAL; the program runs without");
  } else if (!install(signal)) {
    stop_writer();
    base::report(
        "warning: WEFT_DUMP_SIGNAL: the program handles this signal itself, or sigaction is refused; it does not write a dump");
  } else {
    signal_in_use = signal;
    has_writer = true;
  }
}

void abandon_dump_signal() {
  if (signal_in_use == 0) return;
  struct sigaction now;
  if (os::set_signal_action(signal_in_use, nullptr, &now) && is_ours(now))
    static_cast<void>(os::set_signal_action(signal_in_use, &before, nullptr));
  signal_in_use = 0;
}

void stop_dump_signal() {
  if (signal_in_use == 0) return;
  abandon_dump_signal();
  if (has_writer) stop_writer();
}

}  // namespace weft::sched
