// Runs this very program again as a child. A crash or a hang of the child is a result for the parent, not its end.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cli {

struct child_result {
  int exit_status = -1;  // -1: it did not exit by itself
  int signal = 0;        // what ended it
  bool is_timed_out = false;
  std::string output;
  std::string errors;

  // "", or "ended by signal 11 (Segmentation fault)", "took longer than 60 s", "exit status 1"
  [[nodiscard]] std::string failure(double limit_seconds) const;
};

// tick(seconds since start) is called about ten times a second. Throws std::system_error when no child can be started.
child_result run_self(const std::vector<std::string>& arguments, double limit_seconds, const std::function<void(double)>& tick);

}  // namespace cli
