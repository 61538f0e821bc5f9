// Runs a user's program, whose input and output stay its own.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

struct program_order {
  std::vector<std::string> words;                                // the program, looked for in PATH, and its arguments
  std::vector<std::pair<std::string, std::string>> environment;  // instead of what stands there
  // Of a line that the program writes to its error output: whether it is kept from ours. Empty:
  // that stays its own, too.
  std::function<bool(const std::string&)> takes_error_line;
};

// While it runs, Ctrl-C is for it alone. Returns its wait status. Throws std::runtime_error, which
// names the program that cannot be run and says why, and std::system_error.
int run_followed(const program_order& order);

// "was ended by signal 11", "ended with status 1"
std::string show_end(int wait_status);

}  // namespace cli
