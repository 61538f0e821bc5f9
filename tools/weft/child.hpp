// Runs this very program again, or another one, as a child. A crash or a hang of the child is a
// result for the parent, not its end.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

inline constexpr int exit_not_started = 127;  // as of a shell

struct child_result {
  int exit_status = -1;  // -1: it did not exit by itself
  int signal = 0;        // what ended it
  bool is_timed_out = false;
  std::string output;
  std::string errors;

  // "", or "ended by signal 11 (Segmentation fault)", "took longer than 60 s", "exit status 1"
  [[nodiscard]] std::string failure(double limit_seconds) const;
};

struct child_order {
  std::string file;                                              // looked for in PATH when it has no slash
  std::vector<std::string> words;                                // argv, with the name of the program
  std::vector<std::pair<std::string, std::string>> environment;  // beside the inherited one, or instead of what stands there
};

// Ctrl-C, SIGTERM or SIGHUP came while a child ran: the child is gone, and so should we be.
struct interrupted {
  int signal;
};

// Whatever the child started ends with it. It reads our standard input from its beginning, if that
// is a file; else none. tick(seconds since start) is called about ten times a second. Throws
// interrupted, and std::system_error when no child can be started.
child_result run_child(const child_order& order, double limit_seconds, const std::function<void(double)>& tick);
child_result run_self(const std::vector<std::string>& arguments, double limit_seconds, const std::function<void(double)>& tick);

}  // namespace cli
