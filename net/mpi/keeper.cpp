// See keeper.hpp.
#include "net/mpi/keeper.hpp"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "base/atomic.hpp"
#include "net/mpi/descriptors.hpp"
#include "net/mpi/load.hpp"
#include "net/mpi/node_memory.hpp"
#include "net/mpi/ranks.hpp"
#include "os/child.hpp"
#include "os/clock.hpp"

namespace weft::net {
namespace {

enum class phase : std::uint32_t { starts, runs, ends };

// What a rank tells its keeper. In memory that both share.
struct brief {
  base::atomic<phase> now;
  job all;
  int nodes[most_ranks];
  char hosts[most_ranks][host_bytes];
  char meeting[meeting_bytes];  // where the keeper of rank 0 listens
  char last_line[line_bytes];   // of a rank whose exit ends the job, or would
};

// With descriptors, from a rank to its keeper.
enum class given : std::uint8_t { memory, listener, connection };

constexpr std::uint64_t ns_a_s = 1'000'000'000;
constexpr int first_tells_within_s = 5;
constexpr int cause_is_told_within_s = 2;  // besides the time in which a node is lost
constexpr int by_parent = most_ranks;      // in place of a rank: `weft launch`
constexpr int to_the_rank_alone[] = {SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE};
constexpr int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

brief* its = nullptr;
int to_keeper = -1;
int patience = 0;                      // seconds until a node that does not answer is lost
int start_within = 0;                  // seconds for the start of all ranks; 0: any time
const char* weft_launch_at = nullptr;  // where it listens, which prints lines; null: it does not

void give(given what, int descriptor) {
  if (to_keeper >= 0) send_descriptor(to_keeper, static_cast<std::uint8_t>(what), descriptor);
}

// ---- the keeper ----

class keeper {
 public:
  keeper(const job_request& request, int rank_process, int from_rank, const sigset_t& before)
      : request_(request), process_(rank_process), from_rank_(from_rank), mask_before_(before) {}

  [[noreturn]] void keep() {
    sigset_t waited_for;
    sigemptyset(&waited_for);
    sigaddset(&waited_for, SIGCHLD);
    for (const int each : passed_on) sigaddset(&waited_for, each);
    signals_ = signalfd(-1, &waited_for, SFD_CLOEXEC | SFD_NONBLOCK);
    raise_limit_of_files();
    // The first of the ranks tells it alone, unless it is the one that is awaited.
    const int later_s = find_launcher().is_first ? 0 : first_tells_within_s;
    if (start_within != 0) start_until_ = os::now_ns() + static_cast<std::uint64_t>(start_within + later_s) * ns_a_s;
    for (;;) look();
  }

 private:
  struct line {
    int descriptor, rank;
  };

  static void raise_limit_of_files() {
    rlimit limit = {};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
  }

  void look() {
    constexpr int own = 2;
    static pollfd of[own + most_listeners + most_ranks + 1];
    const int lines = lines_, others = own + listeners_.count;
    of[0] = {signals_, POLLIN, 0};
    of[1] = {from_rank_, POLLIN, 0};
    for (int i = 0; i < listeners_.count; ++i) of[own + i] = {listeners_.of[i], POLLIN, 0};
    for (int i = 0; i < lines; ++i) of[others + i] = {line_[i].descriptor, POLLIN, 0};
    const int ready = poll(of, static_cast<nfds_t>(others) + static_cast<nfds_t>(lines), time_left());
    if (ready == 0) end_late();
    if (ready <= 0) return;
    take_signals();
    take_descriptors();
    // The rank's end of the socket is closed, and poll would return at once for ever. That the rank
    // ends comes as a signal.
    if ((of[1].revents & POLLHUP) != 0) from_rank_ = -1;
    for (int i = 0; i < lines; ++i) {
      if (of[others + i].revents != 0) hear(line_[i]);
    }
    drop_closed();
    for (int i = own; i < others; ++i) {
      if ((of[i].revents & POLLIN) != 0) welcome(of[i].fd);
    }
    if (to_come_ == 0) close_listeners(&listeners_);
  }

  // Milliseconds, for poll; -1: no limit.
  [[nodiscard]] int time_left() const {
    constexpr std::uint64_t ns_a_ms = 1'000'000;
    const std::uint64_t until = has_ended_ ? told_until_ : now() == phase::starts ? start_until_ : 0;
    if (until == 0) return -1;
    const std::uint64_t now_ns = os::now_ns();
    return now_ns >= until ? 0 : static_cast<int>((until - now_ns) / ns_a_ms) + 1;
  }

  void end_late() {
    if (time_left() != 0) return;
    if (has_ended_) end_as(end_);
    (void)snprintf(told_, sizeof told_,
                   "a rank (process %d) has waited %d s for other ranks to start, and ends: they run another program, or without "
                   "WEFT_LAUNCH_MPI, or are late; give all ranks one program and the same WEFT_* variables, or set "
                   "WEFT_LAUNCH_START_WITHIN higher",
                   process_, start_within);
    end_rank();
  }

  void take_signals() {
    signalfd_siginfo one;
    bool has_ended = false;
    while (read(signals_, &one, sizeof one) == static_cast<ssize_t>(sizeof one)) {
      const int signal = static_cast<int>(one.ssi_signo);
      has_ended = has_ended || signal == SIGCHLD;
      if (signal == SIGCHLD) continue;
      asked_to_end_ = signal;
      if (!has_ended_) os::send_to_child(process_, signal);
    }
    os::child_end end;
    while (has_ended && os::take_ended_child(&end)) {
      if (end.process != process_) continue;
      if (!may_be_an_effect(end)) end_as(end);
      await_cause(end);
    }
  }

  // An MPI that writes to a rank that has died gets SIGPIPE for it. The keeper of the dead rank
  // tells the cause.
  [[nodiscard]] bool may_be_an_effect(const os::child_end& end) const {
    return end.signal == SIGPIPE && now() == phase::runs && lines_ != 0;
  }

  void await_cause(const os::child_end& end) {
    has_ended_ = true;
    end_ = end;
    told_until_ = os::now_ns() + static_cast<std::uint64_t>(patience + cause_is_told_within_s) * ns_a_s;
  }

  void take_descriptors() {
    std::uint8_t byte = 0;
    for (int got = take_descriptor(from_rank_, &byte); got >= 0; got = take_descriptor(from_rank_, &byte)) {
      const auto what = static_cast<given>(byte);
      if (what == given::memory) memory_ = got;
      if (what == given::listener) take_listener(got);
      if (what == given::connection) add(got, its->all.rank == 0 ? by_parent : 0);
    }
  }

  // All come before the first of the keepers that they are for.
  void take_listener(int descriptor) {
    listeners_.of[listeners_.count++] = descriptor;
    to_come_ = its->all.ranks - 1;
  }

  void add(int descriptor, int rank) {
    if (lines_ <= most_ranks) line_[lines_++] = {descriptor, rank};
  }

  void welcome(int listener) {
    int rank = -1;
    const int made = accept_keeper(listener, its->meeting, patience, &rank);
    if (made < 0) return;
    add(made, rank);
    --to_come_;
  }

  void hear(line& from) {
    switch (listen_to(from.descriptor, &status_, told_)) {
      case heard::nothing: return;
      case heard::failed: return end_rank();
      case heard::lost: return lose(from.rank);
      default: close(from.descriptor); from.descriptor = -1;
    }
  }

  void drop_closed() {
    int kept = 0;
    for (int i = 0; i < lines_; ++i) {
      if (line_[i].descriptor >= 0) line_[kept++] = line_[i];
    }
    lines_ = kept;
  }

  // To `weft launch` first: a keeper that has its answer ends, and an MPI's launcher then kills the
  // others.
  void say_all(farewell what, const char* text) const {
    constexpr bool parent_first[] = {true, false};
    for (const bool to_parent : parent_first) {
      for (int i = 0; i < lines_; ++i) {
        if (line_[i].descriptor >= 0 && (line_[i].rank == by_parent) == to_parent) say(line_[i].descriptor, what, status_, text);
      }
    }
  }

  // Why the job ends, in told_, if this keeper is the first to know; and that it ends. An MPI's
  // launcher drops lines of processes that it kills, so `weft launch` prints it, if it is there.
  void tell_failure() {
    const bool is_passed_on = weft_launch_at != nullptr && lines_ != 0;
    const bool is_new = told_[0] != '\0';
    if (is_new && !is_passed_on) {
      base::report("%s", told_);
      let_launcher_read();
    }
    say_all(farewell::failed, is_new && !is_passed_on ? "" : told_);
    if (is_passed_on && its->all.rank != 0) await_answer(line_[0].descriptor);
  }

  [[nodiscard]] phase now() const { return its->now.load(base::acquire); }

  bool can_describe() {
    if (now() == phase::starts || request_.describe == nullptr) return false;
    if (!is_mapped_) is_mapped_ = map_memory_for_report(its->nodes, memory_, &its->all);
    return is_mapped_;
  }

  // The other node does not answer. Of a node, the keeper of its first rank says so.
  void lose(int rank) {
    const job& all = its->all;
    told_[0] = '\0';
    status_ = 1;
    if (rank == by_parent || its->nodes[all.rank] != all.rank) return end_rank();
    char ranks[64] = "", held[512] = "";
    int first = -1, last = -1;
    for (int each = 0; each < all.ranks; ++each) {
      if (its->nodes[each] != its->nodes[rank]) continue;
      if (first < 0) first = each;
      last = each;
    }
    (void)snprintf(ranks, sizeof ranks, first == last ? "rank %d" : "ranks %d to %d", first, last);
    for (int each = 0; can_describe() && each < all.ranks && strlen(held) < sizeof held / 2; ++each) {
      if (its->nodes[each] != its->nodes[all.rank]) continue;
      char text[200] = "";
      request_.describe(all, each, text, sizeof text);
      const std::size_t length = strlen(held);
      if (text[0] != '\0')
        (void)snprintf(held + length, sizeof held - length, "%s rank %d held %s", length == 0 ? "," : " and", each, text);
    }
    (void)snprintf(told_, sizeof told_,
                   "node %s (%s of %d) did not answer for %d s, as node %s saw it%s%s; the other ranks were ended",
                   its->hosts[rank], ranks, all.ranks, patience, its->hosts[all.rank], held[0] != '\0' ? ", while" : "",
                   held[0] != '\0' ? held + 1 : "");
    end_rank();
  }

  [[noreturn]] void end_rank() {
    tell_failure();
    if (!has_ended_) os::send_to_child(process_, SIGKILL);
    _exit(1);
  }

  void describe_death(int signal) {
    const job& all = its->all;
    if (now() == phase::starts) {
      (void)snprintf(told_, sizeof told_,
                     "a rank (process %d) was killed by signal %d (%s) while it started; the other ranks were ended", process_,
                     signal, strsignal(signal));
      return;
    }
    char held[256] = "";
    if (can_describe()) request_.describe(all, all.rank, held, sizeof held);
    (void)snprintf(told_, sizeof told_,
                   "rank %d of %d (process %d on node %s) was killed by signal %d (%s)%s%s; the other ranks were ended", all.rank,
                   all.ranks, process_, its->hosts[all.rank], signal, strsignal(signal), held[0] != '\0' ? " while it held " : "",
                   held);
  }

  // Before the ranks have met, `weft launch` hears no keeper, unless one calls.
  void call_parent() {
    if (weft_launch_at == nullptr || lines_ != 0) return;
    const int made = meet_keeper(weft_launch_at, 0, patience);
    if (made >= 0) add(made, by_parent);
  }

  // As the rank ended, so that the launcher sees the same.
  [[noreturn]] void end_as(const os::child_end& end) {
    constexpr int status_of_signal = 128;
    take_descriptors();
    told_[0] = '\0';
    status_ = end.signal != 0 ? status_of_signal + end.signal : end.exit_status != 0 ? end.exit_status : 1;
    if (end.signal != 0 && now() == phase::starts) call_parent();
    const bool is_right = end.signal == 0 && now() == phase::ends;
    if (end.signal != 0 && end.signal != asked_to_end_) describe_death(end.signal);
    if (end.signal == 0 && end.exit_status == 0 && now() == phase::runs)
      (void)snprintf(
          told_, sizeof told_,
          "rank %d of %d (process %d on node %s) ended by _exit(0) while it belonged to the job; the other ranks were ended",
          its->all.rank, its->all.ranks, process_, its->hosts[its->all.rank]);
    if (end.signal == 0 && end.exit_status != 0) memcpy(told_, its->last_line, sizeof told_);
    if (end.signal == 0 && told_[0] != '\0' && now() == phase::starts && !find_launcher().is_first)
      os::sleep_until(os::now_ns() + first_tells_within_s * ns_a_s);
    if (is_right)
      say_all(farewell::ended, "");
    else
      tell_failure();
    if (end.signal == 0) _exit(end.exit_status != 0 || is_right || now() == phase::starts ? end.exit_status : 1);
    const rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);  // the rank has left its own
    (void)signal(end.signal, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
    (void)raise(end.signal);
    _exit(status_);
  }

  const job_request& request_;
  int process_, from_rank_;
  sigset_t mask_before_;
  int signals_ = -1, memory_ = -1;
  keeper_listeners listeners_;
  int to_come_ = 0;  // keepers of other ranks
  line line_[most_ranks + 1] = {};
  int lines_ = 0;
  int asked_to_end_ = 0;
  std::uint64_t start_until_ = 0, told_until_ = 0;
  bool has_ended_ = false;  // the rank, perhaps because another has: whose keeper is awaited
  os::child_end end_ = {};
  char told_[line_bytes] = "";
  int status_ = 1;  // of the job, if it fails
  bool is_mapped_ = false;
};

bool has_one_node(const job& all) {
  for (int rank = 0; rank < all.ranks; ++rank) {
    if (all.nodes[rank] != all.nodes[0]) return false;
  }
  return true;
}

status refuse() {
  base::report("a rank cannot start: its keeper cannot be made: %s", strerror(errno));
  return status::unsupported;
}

}  // namespace

status fork_rank(const job_request& request, const settings& wanted) {
  int ends[2];
  patience = wanted.lost_after;
  start_within = wanted.start_within;
  weft_launch_at = wanted.parent[0] != '\0' ? wanted.parent : nullptr;
  void* const shared = mmap(nullptr, sizeof(brief), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return refuse();
  its = static_cast<brief*>(shared);
  sigset_t waited_for, before;
  sigemptyset(&waited_for);
  sigaddset(&waited_for, SIGCHLD);
  for (const int each : passed_on) sigaddset(&waited_for, each);
  sigprocmask(SIG_BLOCK, &waited_for, &before);
  // A launcher may leave SIGCHLD ignored: the end of a rank that ends before its keeper has asked
  // for the signal would be lost.
  struct sigaction by_default = {}, of_ended_children;
  by_default.sa_handler = SIG_DFL;
  (void)sigaction(SIGCHLD, &by_default, &of_ended_children);
  const int keeper_process = getpid();
  const int process = os::fork_child();
  if (process < 0) return refuse();
  if (process != 0) {
    close(ends[1]);
    // A launcher sends those to the rank as well: they go to its process group.
    for (const int each : to_the_rank_alone) (void)signal(each, SIG_IGN);
    static keeper one(request, process, ends[0], before);
    one.keep();
  }
  close(ends[0]);
  to_keeper = ends[1];
  (void)sigaction(SIGCHLD, &of_ended_children, nullptr);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (!os::die_with_parent(keeper_process)) return refuse();
  return status::ok;
}

void give_keeper_memory(int descriptor) { give(given::memory, descriptor); }

bool brief_keeper(const job& all, const char (&host)[host_bytes], const char* parent) {
  static char meetings[most_ranks][meeting_bytes];
  static bool are_met[most_ranks];
  its->all = all;
  memcpy(its->nodes, all.nodes, sizeof(int) * static_cast<std::size_t>(all.ranks));
  gather_by_mpi(all, host, sizeof host, its->hosts);
  char mine[meeting_bytes] = "";
  keeper_listeners listeners;
  if (all.rank == 0 && all.ranks > 1)
    listeners = listen_for_keepers(has_one_node(all) ? reach::this_machine : reach::other_machines, mine);
  memcpy(its->meeting, mine, sizeof mine);
  for (int i = 0; i < listeners.count; ++i) give(given::listener, listeners.of[i]);  // its keeper answers from now on
  gather_by_mpi(all, mine, sizeof mine, meetings);
  memcpy(its->meeting, meetings[0], sizeof its->meeting);
  its->now.store(phase::runs, base::release);
  const int made = all.rank != 0       ? meet_keeper(its->meeting, all.rank, patience)
                   : parent != nullptr ? meet_keeper(parent, all.rank, patience)
                                       : -1;
  if (made >= 0) give(given::connection, made);
  close_listeners(&listeners);
  if (made >= 0) close(made);
  const bool is_met = made >= 0 || all.rank == 0;
  gather_by_mpi(all, &is_met, sizeof is_met, are_met);
  for (int rank = 0; rank < all.ranks; ++rank) {
    if (!are_met[rank]) return false;
  }
  return true;
}

void let_keepers_tell() {
  if (its->now.load(base::relaxed) == phase::runs)
    os::sleep_until(os::now_ns() + static_cast<std::uint64_t>(patience + cause_is_told_within_s) * ns_a_s);
}

void tell_keeper_end() { its->now.store(phase::ends, base::release); }

void tell_keeper_line(const char* line) { (void)snprintf(its->last_line, sizeof its->last_line, "%s", line); }

void exit_with_line(int status, const char* line) {
  tell_keeper_line(line);
  (void)fflush(nullptr);  // as exit would
  _exit(status);
}

}  // namespace weft::net
