// See dump_signal.hpp.
#include "sched/dump_signal.hpp"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>

#include "base/assert.hpp"
#include "base/atomic.hpp"
#include "os/futex.hpp"
#include "os/signal.hpp"
#include "os/thread.hpp"
#include "sched/deadlock.hpp"
#include "sched/runtime.hpp"

namespace weft::sched {

namespace {

constexpr std::size_t os_stack_bytes = 256 * 1024;

// A handler is given nothing but its signal, so this is the process's: one runtime at a time uses it.
constinit base::atomic<std::uint32_t> asked{0};  // futex: twice the signals so far, and must_stop
constexpr std::uint32_t must_stop = 1;
// whoever starts and stops the runtime
constinit int signal_in_use = 0;  // 0: none
constinit os::os_thread writer{};
struct sigaction before;

void on_signal(int) {
  const int kept = errno;
  asked.fetch_add(2, base::relaxed);
  os::futex_wake(&asked, 1);
  errno = kept;
}

bool is_ours(const struct sigaction& action) { return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == on_signal; }

void* write_dumps(void*) {
  std::uint32_t seen = 0;
  for (;;) {
    const std::uint32_t now = asked.load(base::relaxed);
    const std::uint32_t signals = now & ~must_stop;
    if (signals != seen) {
      seen = signals;
      static_cast<void>(dump(STDERR_FILENO));
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
    case os::dump_signal::quit: return SIGQUIT;
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

void stop_writer() {
  asked.fetch_or(must_stop, base::relaxed);
  os::futex_wake(&asked, 1);
  os::join_thread(writer);
}

}  // namespace

void start_dump_signal(const runtime* rt) {
  const int signal = number_of(rt->settings.dump_on_signal);
  if (signal == 0) return;
  asked.store(0, base::relaxed);
  if (os::start_thread(&writer, write_dumps, nullptr, os_stack_bytes, "weft-dump") != status::ok) {
    base::report("warning: no OS thread for WEFT_DUMP_SIGNAL; the program runs without");
  } else if (!install(signal)) {
    stop_writer();
    base::report(
        "warning: WEFT_DUMP_SIGNAL: the program handles this signal itself, or sigaction is refused; it does not write a dump");
  } else {
    signal_in_use = signal;
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
  stop_writer();
}

}  // namespace weft::sched
