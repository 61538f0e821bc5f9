#include "child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace cli {

namespace {

using clock = std::chrono::steady_clock;

constexpr int tick_ms = 100;

class pipe_pair {
 public:
  pipe_pair() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  }
  ~pipe_pair() {
    close_end(0);
    close_end(1);
  }
  pipe_pair(const pipe_pair&) = delete;
  pipe_pair& operator=(const pipe_pair&) = delete;

  [[nodiscard]] int read_end() const { return ends_[0]; }
  [[nodiscard]] int write_end() const { return ends_[1]; }
  void close_read() { close_end(0); }
  void close_write() { close_end(1); }

 private:
  void close_end(std::size_t which) {
    if (ends_[which] >= 0) close(ends_[which]);
    ends_[which] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

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

pid_t start(const child_order& order, pipes& to) {
  std::vector<char*> words;
  for (const std::string& word : order.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t const child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    setpgid(0, 0);  // so that a hang is ended together with what it started
    dup2(to.output.write_end(), STDOUT_FILENO);
    dup2(to.errors.write_end(), STDERR_FILENO);
    become(order, words.data());
  }
  setpgid(child, child);
  to.output.close_write();
  to.errors.close_write();
  return child;
}

// False: the other end is closed.
bool read_some(int descriptor, std::string& into) {
  std::array<char, 4096> buffer{};
  ssize_t const count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) into.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

// Until both pipes are closed or the time is over; false: over.
bool collect(pipes& from, double limit_seconds, const std::function<void(double)>& tick, child_result& into) {
  clock::time_point const begin = clock::now();
  while (from.output.read_end() >= 0 || from.errors.read_end() >= 0) {
    std::array<pollfd, 2> waits = {{{from.output.read_end(), POLLIN, 0}, {from.errors.read_end(), POLLIN, 0}}};
    poll(waits.data(), waits.size(), tick_ms);
    if (waits[0].revents != 0 && !read_some(waits[0].fd, into.output)) from.output.close_read();
    if (waits[1].revents != 0 && !read_some(waits[1].fd, into.errors)) from.errors.close_read();
    double const seconds = std::chrono::duration<double>(clock::now() - begin).count();
    if (seconds > limit_seconds) return false;
    tick(seconds);
  }
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
  pipes between;
  pid_t const child = start(order, between);
  child_result result;
  result.is_timed_out = !collect(between, limit_seconds, tick, result);
  if (result.is_timed_out) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace cli
