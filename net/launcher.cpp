// See launcher.hpp.
#include "net/launcher.hpp"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "net/control.hpp"
#include "os/child.hpp"
#include "os/clock.hpp"
#include "os/signal.hpp"

namespace weft::net {
namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t look_every = 20 * ms;         // at the others, once a rank has ended
constexpr std::uint64_t grace = 1000 * ms;            // after a rank's exit with a failure
constexpr std::uint64_t death_waits_for = 500 * ms;   // ranks that are being killed, before the line
constexpr std::uint64_t orphans_wait_for = 500 * ms;  // at most: the kernel may hold one in a device
constexpr int status_of_signal = 128;                 // as shells have it
constexpr int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// What usually lies behind a signal that the program did not raise itself.
const char* hint(int signal) {
  if (signal == SIGKILL) return " (if no user killed it, the kernel's log may say that memory ran out)";
  if (signal == SIGBUS) return " (in shared memory: the machine's memory is full)";
  return "";
}

}  // namespace

bool launcher::take_signals() {
  // An inherited SIG_IGN would let the kernel reap the ranks by itself, and nothing were told.
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  if (!os::set_signal_action(SIGCHLD, &plain, &child_before_)) return false;
  sigemptyset(&waited_for_);
  sigaddset(&waited_for_, SIGCHLD);
  for (const int signal : passed_on) sigaddset(&waited_for_, signal);
  sigprocmask(SIG_BLOCK, &waited_for_, &mask_before_);
  return true;
}

void launcher::give_signals_back() const {
  (void)os::set_signal_action(SIGCHLD, &child_before_, nullptr);
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

bool launcher::adopt_orphans() {
  if (os::has_children()) return true;
  adopts_orphans_ = os::adopt_orphans();
  return adopts_orphans_;
}

int launcher::fork_ranks() {
  for (int rank = 0; rank < all_.ranks; ++rank) {
    const int process = os::fork_child();
    if (process == 0) return rank;
    if (process < 0) {
      base::report("rank %d of %d cannot start: fork failed: %s; start fewer ranks, or raise the limit of processes (ulimit -u)",
                   rank, all_.ranks, strerror(errno));
      end_all(1);
      (void)wait_for_ranks();
      _exit(1);
    }
    processes_[rank] = process;
    ++running_;
  }
  return -1;
}

int launcher::wait_for_ranks() {
  for (take_ends(); running_ != 0; take_ends()) {
    if (phase_ == phase::running) look_at_others();
    bool is_from_terminal = false;
    const int signal = os::wait_for_signal(&waited_for_, timeout(), &is_from_terminal);
    if (signal != 0 && signal != SIGCHLD) pass_on(signal, is_from_terminal);
  }
  if (phase_ == phase::ending && adopts_orphans_) end_orphans();
  if (request_.at_last != nullptr) request_.at_last(all_, status_);
  if (status_ == 0 && request_.at_end != nullptr) request_.at_end(all_);
  return status_;
}

std::uint64_t launcher::timeout() const { return phase_ == phase::running && gone_ >= 0 ? look_every : UINT64_MAX; }

void launcher::take_ends() {
  os::child_end end;
  while (os::take_ended_child(&end)) {
    const int rank = rank_of(end.process);
    if (rank >= 0) take_end(rank, end.exit_status, end.signal);
  }
}

// -1: a child that the process had before its exec.
int launcher::rank_of(int process) const {
  for (int rank = 0; rank < all_.ranks; ++rank) {
    if (processes_[rank] == process) return rank;
  }
  return -1;
}

void launcher::take_end(int rank, int exit_status, int signal) {
  processes_[rank] = -processes_[rank];
  --running_;
  exit_status_[rank] = exit_status;
  if (phase_ == phase::ending) return;
  if (signal == 0) return take_exit(rank, exit_status);
  end_all(status_of_signal + signal);
  reap_for(death_waits_for);
  if (signal != asked_to_end_) tell_death(rank, signal);
}

void launcher::take_exit(int rank, int exit_status) {
  if (gone_ < 0) gone_ = rank;  // what others wait for needs all ranks, so they miss no later one sooner
  if (exit_status == 0) return;
  if (failed_ < 0) failed_ = rank;
  if (status_ == 0) status_ = exit_status;
  if (all_.common->failed.load(base::relaxed) == failure::told) return end_all(exit_status);
  if (kill_at_ == 0) kill_at_ = os::now_ns() + grace;
}

// What the most ranks wait for that the exited rank will never do; null: nothing.
const char* launcher::awaited_in(int* waiting) const {
  const char* what = nullptr;
  *waiting = 0;
  for (int rank = 0; rank < all_.ranks; ++rank) {
    const rank_record& record = all_.common->of[rank];
    if (processes_[rank] <= 0 || !waits_for_ended(record, all_.common->of[gone_])) continue;
    what = record.together.load(base::relaxed);
    ++*waiting;
  }
  return what;
}

// Ends the job when the ranks that are left wait for one that has exited, or did not end after a
// failure.
void launcher::look_at_others() {
  if (gone_ < 0) return;
  int waiting = 0;
  const char* const what = awaited_in(&waiting);
  char why[160];
  if (what != nullptr) {
    snprintf(why, sizeof why, "while %d other%s waited for it in %s", waiting, waiting == 1 ? "" : "s", what);
    tell_exit(gone_, why);
    end_all(1);
  } else if (kill_at_ != 0 && os::now_ns() >= kill_at_) {
    snprintf(why, sizeof why, "and %d other%s still ran a second later", running_, running_ == 1 ? "" : "s");
    tell_exit(failed_, why);
    end_all(1);
  }
}

void launcher::tell_exit(int rank, const char* why) const {
  base::report("rank %d of %d (process %d) exited with status %d %s; the other ranks were ended", rank, all_.ranks,
               -processes_[rank], exit_status_[rank], why);
}

void launcher::tell_death(int rank, int signal) const {
  char held[256] = "";
  if (request_.describe != nullptr) request_.describe(all_, rank, held, sizeof held);
  base::report("rank %d of %d (process %d) was killed by signal %d (%s)%s%s%s; the other ranks were ended", rank, all_.ranks,
               -processes_[rank], signal, strsignal(signal), hint(signal), held[0] != '\0' ? " while it held " : "", held);
}

void launcher::end_all(int status) {
  phase_ = phase::ending;
  kill_at_ = 0;
  if (status_ == 0) status_ = status;
  for (int rank = 0; rank < all_.ranks; ++rank) {
    if (processes_[rank] > 0) os::send_to_child(processes_[rank], SIGKILL);
  }
}

// Until all have ended, or ns have passed.
void launcher::reap_for(std::uint64_t ns) {
  const std::uint64_t until = os::now_ns() + ns;
  for (take_ends(); running_ != 0; take_ends()) {
    const std::uint64_t now = os::now_ns();
    bool is_from_terminal = false;
    if (now >= until) return;
    (void)os::wait_for_signal(&waited_for_, until - now, &is_from_terminal);
  }
}

// Processes that the ranks had started, and those that these had started.
void launcher::end_orphans() {
  const std::uint64_t until = os::now_ns() + orphans_wait_for;
  while (os::kill_children() != 0 && os::now_ns() < until) {
    bool is_from_terminal = false;
    (void)os::wait_for_signal(&waited_for_, look_every, &is_from_terminal);
    take_ends();
  }
}

// The terminal has sent it to the ranks as well.
void launcher::pass_on(int signal, bool is_from_terminal) {
  asked_to_end_ = signal;
  for (int rank = 0; !is_from_terminal && rank < all_.ranks; ++rank) {
    if (processes_[rank] > 0) os::send_to_child(processes_[rank], signal);
  }
}

}  // namespace weft::net
