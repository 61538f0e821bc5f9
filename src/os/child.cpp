// See child.hpp.
#include "os/child.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/fault.hpp"
#include "os/file.hpp"

namespace weft::os {

int fork_child() {
  if (fault::fails(call::fork)) return -1;
  return fork();
}

bool die_with_parent(int parent) {
  // A parent that ended before the first call sends nothing any more; then the second one sees it.
  if (fault::fails(call::parent_death)) return false;
  return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

bool has_children() {
  int status = 0;
  return waitpid(-1, &status, WNOHANG) >= 0;
}

bool adopt_orphans() {
  if (fault::fails(call::parent_death)) return false;
  return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 || errno == EINVAL;
}

int kill_children() {
  char list[4096];
  if (!read_text(list, sizeof list, "/proc/thread-self/children")) return 0;
  int killed = 0;
  const char* rest = list;
  // The space behind each number: what is cut is no number, and its turn comes when these have
  // ended.
  for (unsigned process = 0; take_number(&rest, &process) && *rest == ' '; ++rest, ++killed) {
    (void)kill(static_cast<pid_t>(process), SIGKILL);
  }
  return killed;
}

bool take_ended_child(child_end* out) {
  int status = 0;
  const pid_t process = waitpid(-1, &status, WNOHANG);
  if (process <= 0) return false;
  out->process = process;
  out->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return true;
}

int wait_for_signal(const sigset_t* signals, std::uint64_t timeout_ns, bool* is_from_terminal) {
  constexpr std::uint64_t ns_per_second = 1'000'000'000;
  timespec limit;
  limit.tv_sec = static_cast<time_t>(timeout_ns / ns_per_second);
  limit.tv_nsec = static_cast<long>(timeout_ns % ns_per_second);
  siginfo_t about = {};
  const int signal = sigtimedwait(signals, &about, timeout_ns == UINT64_MAX ? nullptr : &limit);
  *is_from_terminal = signal > 0 && about.si_code == SI_KERNEL;
  return signal > 0 ? signal : 0;
}

void send_to_child(int process, int signal) { (void)kill(process, signal); }

bool close_standard_input() {
  if (fault::fails(call::open)) return false;
  const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (empty < 0) return false;
  const bool is_replaced = dup2(empty, STDIN_FILENO) >= 0;
  if (empty != STDIN_FILENO) close(empty);
  return is_replaced;
}

}  // namespace weft::os
