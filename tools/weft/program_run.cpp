// See program_run.hpp.
#include "program_run.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "pipe_pair.hpp"

namespace cli {

namespace {

class interrupts_ignored {
 public:
  interrupts_ignored() : before_{std::signal(SIGINT, SIG_IGN), std::signal(SIGQUIT, SIG_IGN)} {}
  ~interrupts_ignored() { restore(); }
  interrupts_ignored(const interrupts_ignored&) = delete;
  interrupts_ignored& operator=(const interrupts_ignored&) = delete;

  void restore() const {
    std::signal(SIGINT, before_[0]);
    std::signal(SIGQUIT, before_[1]);
  }

 private:
  using handler = void (*)(int);
  handler before_[2];
};

void pass_on(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t const done = write(STDERR_FILENO, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) return;  // as the program would find it
    if (done > 0) bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

// Whole lines are asked about; what cannot become one of Weft's is passed on as it comes. One of
// Weft's may begin behind what the program wrote without a newline.
void follow(const pipe_pair& from, const std::function<bool(const std::string&)>& takes) {
  constexpr std::string_view ours = "weft: ";
  std::string line;
  bool is_foreign = false;
  for (std::string some; read_some(from.read_end(), some); some.clear()) {
    for (char const letter : some) {
      line += letter;
      if (line.ends_with(ours)) {
        pass_on(std::string_view(line).substr(0, line.size() - ours.size()));
        line = ours;
        is_foreign = false;
      }
      is_foreign = is_foreign || (line.size() <= ours.size() && !ours.starts_with(line));
      if (letter != '\n') continue;
      if (is_foreign || !takes(line.substr(0, line.size() - 1))) pass_on(line);
      line.clear();
      is_foreign = false;
    }
    if (is_foreign) {
      pass_on(line);  // and its rest, when it comes
      line.clear();
    }
  }
  pass_on(line);
}

// `problem`: where the error of an execvp that fails is written.
[[noreturn]] void become(const program_order& order, const interrupts_ignored& parents, const pipe_pair& errors,
                         const pipe_pair& problem) {
  std::vector<char*> words;
  words.reserve(order.words.size() + 1);
  for (const std::string& word : order.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  parents.restore();
  // NOLINTNEXTLINE(concurrency-mt-unsafe): a child of one thread
  for (const auto& [name, value] : order.environment) setenv(name.c_str(), value.c_str(), 1);
  if (order.takes_error_line) dup2(errors.write_end(), STDERR_FILENO);
  execvp(words[0], words.data());
  int const why = errno;
  static_cast<void>(!write(problem.write_end(), &why, sizeof why));
  _exit(1);
}

}  // namespace

int run_followed(const program_order& order) {
  interrupts_ignored const here;
  pipe_pair errors;
  pipe_pair problem;
  pid_t const child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) become(order, here, errors, problem);
  errors.close_write();
  problem.close_write();
  std::string told;
  while (read_some(problem.read_end(), told)) continue;
  if (order.takes_error_line) follow(errors, order.takes_error_line);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (told.size() == sizeof(int)) {
    int why = 0;
    told.copy(reinterpret_cast<char*>(&why), sizeof why);
    throw std::runtime_error(fmt::format("{} cannot be run: {}", order.words[0], std::generic_category().message(why)));
  }
  return status;
}

std::string show_end(int wait_status) {
  return WIFSIGNALED(wait_status) ? fmt::format("was ended by signal {}", WTERMSIG(wait_status))
                                  : fmt::format("ended with status {}", WEXITSTATUS(wait_status));
}

}  // namespace cli
