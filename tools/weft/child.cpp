#include "child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "pipe_pair.hpp"

namespace cli {

namespace {

using clock = std::chrono::steady_clock;

constexpr int tick_ms = 100;

struct pipes {
  pipe_pair output;
  pipe_pair errors;
};

[[noreturn]] void become(const child_order& order, char* const* words) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the child has one thread
  for (const auto& [name, value] : order.environment) setenv(name.c_str(), value.c_str(), 1);
  execvp(order.file.c_str(), words);
  dprintf(STDERR_FILENO, "%s: %s\n", order.file.c_str(), strerror(errno));
  _exit(exit_not_started);
}

// Each child finds the same input: the file's, from its beginning; what can be read but once, none
// of them reads.
void read_from_the_beginning() {
  if (lseek(STDIN_FILENO, 0, SEEK_SET) == 0) return;
  close(STDIN_FILENO);
  open("/dev/null", O_RDONLY);  // takes the lowest number, which that is
}

pid_t start(const child_order& order, pipes& to) {
  std::vector<char*> words;
  for (const std::string& word : order.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t const child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    setpgid(0, 0);  // so that it is ended together with what it started
    read_from_the_beginning();
    dup2(to.output.write_end(), STDOUT_FILENO);
    dup2(to.errors.write_end(), STDERR_FILENO);
    become(order, words.data());
  }
  setpgid(child, child);
  to.output.close_write();
  to.errors.close_write();
  return child;
}

// glibc 2.36 declares pidfd_open for C alone.
int open_end(pid_t child) { return static_cast<int>(syscall(SYS_pidfd_open, child, 0)); }

// Where the caller has inherited that children are ignored, they vanish when they end.
class children_are_kept {
 public:
  children_are_kept() {
    struct sigaction plain = {};
    plain.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &plain, &before_);
  }
  ~children_are_kept() { sigaction(SIGCHLD, &before_, nullptr); }
  children_are_kept(const children_are_kept&) = delete;
  children_are_kept& operator=(const children_are_kept&) = delete;

 private:
  struct sigaction before_ = {};
};

class running_child {
 public:
  running_child(const child_order& order, pipes& to) : child_(start(order, to)), end_(open_end(child_)) {
    if (end_ >= 0) return;
    int const why = errno;
    reap();
    throw std::system_error(why, std::generic_category(), "pidfd_open");
  }
  ~running_child() {
    if (child_ > 0) reap();
    if (end_ >= 0) close(end_);
  }
  running_child(const running_child&) = delete;
  running_child& operator=(const running_child&) = delete;

  // Readable once it has ended.
  [[nodiscard]] int end() const { return end_; }
  // And what it started; as long as it was not reaped its number is its own.
  void kill_group() const { kill(-child_, SIGKILL); }
  // Its wait status.
  int reap() {
    kill_group();
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) continue;
    child_ = -1;
    return status;
  }

 private:
  children_are_kept kept_;
  pid_t child_;
  int end_;
};

// While a child runs, the signals that would end this program end the child first.
volatile std::sig_atomic_t ending_signal = 0;

class ending_signals {
 public:
  ending_signals() {
    ending_signal = 0;
    struct sigaction noting = {};
    noting.sa_handler = [](int signal) { ending_signal = signal; };
    for (std::size_t index = 0; index < signals.size(); ++index) {
      sigaction(signals[index], nullptr, &before_[index]);
      if (before_[index].sa_handler != SIG_IGN) sigaction(signals[index], &noting, nullptr);
    }
  }
  ~ending_signals() {
    for (std::size_t index = 0; index < signals.size(); ++index) sigaction(signals[index], &before_[index], nullptr);
  }
  ending_signals(const ending_signals&) = delete;
  ending_signals& operator=(const ending_signals&) = delete;

 private:
  static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_{};
};

void read_the_rest(const pipe_pair& from, std::string& into) {
  if (from.read_end() < 0) return;
  fcntl(from.read_end(), F_SETFL, O_NONBLOCK);  // a process that cannot be ended may hold the other end
  while (read_some(from.read_end(), into)) continue;
}

// Until the child ends, the time is over (false), or this program is to end.
bool collect(pipes& from, const running_child& child, double limit_seconds, const std::function<void(double)>& tick,
             child_result& into) {
  clock::time_point const begin = clock::now();
  while (ending_signal == 0) {
    std::array<pollfd, 3> waits = {
        {{from.output.read_end(), POLLIN, 0}, {from.errors.read_end(), POLLIN, 0}, {child.end(), POLLIN, 0}}};
    if (poll(waits.data(), waits.size(), tick_ms) < 0) continue;
    if (waits[0].revents != 0 && !read_some(waits[0].fd, into.output)) from.output.close_read();
    if (waits[1].revents != 0 && !read_some(waits[1].fd, into.errors)) from.errors.close_read();
    if (waits[2].revents != 0) break;
    double const seconds = std::chrono::duration<double>(clock::now() - begin).count();
    if (seconds > limit_seconds) return false;
    tick(seconds);
  }
  child.kill_group();
  read_the_rest(from.output, into.output);
  read_the_rest(from.errors, into.errors);
  return true;
}

}  // namespace

std::string child_result::failure(double limit_seconds) const {
  if (is_timed_out) return fmt::format("took longer than {:.0f} s and was ended", limit_seconds);
  if (signal != 0) return fmt::format("ended by signal {} ({})", signal, strsignal(signal));
  return exit_status == 0 ? "" : fmt::format("exit status {}", exit_status);
}

child_result run_self(const std::vector<std::string>& arguments, double limit_seconds, const std::function<void(double)>& tick) {
  child_order order{"/proc/self/exe", {"weft"}, {}};
  order.words.insert(order.words.end(), arguments.begin(), arguments.end());
  return run_child(order, limit_seconds, tick);
}

child_result run_child(const child_order& order, double limit_seconds, const std::function<void(double)>& tick) {
  ending_signals const held_back;
  pipes between;
  running_child child(order, between);
  child_result result;
  result.is_timed_out = !collect(between, child, limit_seconds, tick, result);
  int const status = child.reap();
  if (ending_signal != 0) throw interrupted{ending_signal};
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace cli
