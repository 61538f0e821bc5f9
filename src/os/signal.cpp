// See signal.hpp.
#include "os/signal.hpp"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>

#include "os/fault.hpp"

namespace weft::os {

bool set_signal_action(int signal, const struct sigaction* wanted, struct sigaction* before) {
  return !fault::fails(call::sigaction) && sigaction(signal, wanted, before) == 0;
}

bool set_signal_stack(const stack_t* wanted, stack_t* before) {
  return !fault::fails(call::sigaltstack) && sigaltstack(wanted, before) == 0;
}

bool make_signal_timer(int thread_id, int signal, int* timer) {
  struct sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event._sigev_un._tid = thread_id;  // its name before glibc 2.38
  if (fault::fails(call::timer)) return false;
  return syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, timer) == 0;
}

bool set_signal_timer(int timer, std::uint64_t period_ns) {
  constexpr std::uint64_t ns_per_second = 1'000'000'000;
  struct itimerspec times = {};
  times.it_value.tv_sec = static_cast<time_t>(period_ns / ns_per_second);
  times.it_value.tv_nsec = static_cast<long>(period_ns % ns_per_second);
  times.it_interval = times.it_value;
  if (fault::fails(call::timer)) return false;
  return syscall(SYS_timer_settime, timer, 0, &times, nullptr) == 0;
}

void delete_signal_timer(int timer) { syscall(SYS_timer_delete, timer); }

bool send_signal(int thread_id, int signal) { return syscall(SYS_tgkill, getpid(), thread_id, signal) == 0; }

signals_held::signals_held() {
  sigset_t held;
  sigfillset(&held);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&held, own);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): of the calling OS thread
  sigprocmask(SIG_SETMASK, &held, &before_);
}

// NOLINTNEXTLINE(concurrency-mt-unsafe): of the calling OS thread
signals_held::~signals_held() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace weft::os
