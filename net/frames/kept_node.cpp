// See kept_node.hpp.
#include "net/frames/kept_node.hpp"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/mpi/load.hpp"
#include "net/mpi/watch.hpp"

namespace weft::net {
namespace {

constexpr int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr int to_the_node_alone[] = {SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE};
constexpr int status_of_signal = 128;  // as shells have it
constexpr unsigned launcher_reads_within_us = 100'000, first_tells_within_s = 5;

char (*last_line)[line_bytes] = nullptr;  // in memory that a node and its keeper share; null: there is none

bool is_only_thread() {
  DIR* const threads = opendir("/proc/self/task");
  if (threads == nullptr) return false;
  unsigned entries = 0;  // two of them are the folder and its parent
  while (readdir(threads) != nullptr) ++entries;
  closedir(threads);
  return entries == 3;
}

// As the node was killed, so that the launcher sees the same.
[[noreturn]] void die_of(int signal, const sigset_t& mask_before) {
  const rlimit none = {0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);  // the node has left its own
  (void)::signal(signal, SIG_DFL);
  (void)sigprocmask(SIG_SETMASK, &mask_before, nullptr);
  (void)raise(signal);
  _exit(status_of_signal + signal);
}

// To `weft launch`, if it started the job: it prints the line, and ends a launcher that would wait.
bool tell_parent(int rank, int status, const char* line) {
  const char* const meeting = getenv("WEFT_LAUNCH_PARENT");
  const int connection = meeting != nullptr ? meet_keeper(meeting, rank, 0) : -1;
  if (connection < 0) return false;
  say(connection, farewell::failed, status, line);
  await_answer(connection);
  close(connection);
  return true;
}

void tell(int status, const char* line) {
  if (tell_parent(atoi(find_launcher().rank), status, line)) return;
  fprintf(stderr, "weft: %s\n", line);
  (void)usleep(launcher_reads_within_us);
}

void tell_death(int process, int signal, bool was_asked) {
  const int rank = atoi(find_launcher().rank);
  if (was_asked) return (void)tell_parent(rank, status_of_signal + signal, "");
  char host[64] = "", line[256];
  (void)gethostname(host, sizeof host - 1);
  (void)snprintf(line, sizeof line, "node %d (process %d on %s) was killed by signal %d (%s); the other nodes are ended",
                 rank + 1, process, host, signal, strsignal(signal));
  tell(status_of_signal + signal, line);
}

// The first node tells, whose end ends the others; or another, if that one has not ended.
void tell_end(int status) {
  if (status == 0 || last_line == nullptr || (*last_line)[0] == '\0') return;
  if (!find_launcher().is_first) (void)sleep(first_tells_within_s);
  tell(status, *last_line);
}

[[noreturn]] void keep(int process, const sigset_t& waited_for, const sigset_t& mask_before) {
  (void)prctl(PR_SET_NAME, "weft-keeper");
  // A launcher sends those to the node as well: they go to its process group.
  for (const int each : to_the_node_alone) (void)signal(each, SIG_IGN);
  int asked_to_end = 0, status = 0;
  while (waitpid(process, &status, WNOHANG) != process) {
    const int came = sigwaitinfo(&waited_for, nullptr);
    if (came <= 0 || came == SIGCHLD) continue;
    asked_to_end = came;
    (void)kill(process, came);
  }
  if (!WIFSIGNALED(status)) {
    tell_end(WEXITSTATUS(status));
    _exit(WEXITSTATUS(status));
  }
  tell_death(process, WTERMSIG(status), WTERMSIG(status) == asked_to_end);
  die_of(WTERMSIG(status), mask_before);
}

// Of a process; 0: unknown.
int processors_of(int process) {
  cpu_set_t of;
  return sched_getaffinity(process, sizeof of, &of) == 0 ? CPU_COUNT(&of) : 0;
}

}  // namespace

void tell_binding(unsigned workers) {
  const launcher_sign by = find_launcher();
  const int own = processors_of(0), launchers = processors_of(getppid());
  if (by.rank == nullptr || !by.is_first || own == 0 || own >= launchers || static_cast<unsigned>(own) >= workers) return;
  fprintf(
      stderr,
      "weft: tascell: --workers %u: %s has bound this node to %d of %d processors, which its workers share; give the launcher "
      "--bind-to none (weft launch --mpi-args='--bind-to none')\n",
      workers, by.name, own, launchers);
}

void keep_node() {
  if (find_launcher().rank == nullptr || !is_only_thread()) return;
  sigset_t waited_for, mask_before;
  sigemptyset(&waited_for);
  sigaddset(&waited_for, SIGCHLD);
  for (const int each : passed_on) sigaddset(&waited_for, each);
  sigprocmask(SIG_BLOCK, &waited_for, &mask_before);
  // A launcher may leave SIGCHLD ignored: the end of a node that ends before its keeper has asked
  // for the signal would be lost.
  struct sigaction by_default = {}, of_ended_children;
  by_default.sa_handler = SIG_DFL;
  (void)sigaction(SIGCHLD, &by_default, &of_ended_children);
  (void)fflush(nullptr);  // what is buffered is written once
  void* const shared = mmap(nullptr, sizeof *last_line, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared != MAP_FAILED) last_line = static_cast<char(*)[line_bytes]>(shared);
  const int keeper = getpid();
  const int process = fork();
  if (process > 0) keep(process, waited_for, mask_before);
  (void)sigaction(SIGCHLD, &of_ended_children, nullptr);
  sigprocmask(SIG_SETMASK, &mask_before, nullptr);
  if (process < 0) return;
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != keeper) _exit(1);
}

void tell_node_keeper(const char* line) {
  if (last_line != nullptr) (void)snprintf(*last_line, sizeof *last_line, "%s", line);
}

}  // namespace weft::net
