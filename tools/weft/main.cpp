// The weft command: demonstrates, measures and describes the library. See commands.hpp for the exit
// status.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <weft/version.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <string_view>

#include "child.hpp"
#include "cli/bench.hpp"
#include "cli/compare.hpp"
#include "cli/program.hpp"
#include "cli/usage.hpp"
#include "commands.hpp"

namespace {

// Cron jobs and daemons may start it without some of them: what it opens, and the programs that it
// becomes, would get their numbers (net/frames/standard_descriptors.hpp).
void open_standard_descriptors() {
  for (int each = STDIN_FILENO; each <= STDERR_FILENO; ++each) {
    if (fcntl(each, F_GETFD) < 0 && errno == EBADF) static_cast<void>(open("/dev/null", O_RDWR));
  }
}

}  // namespace

int main(int count, char** words) {
  open_standard_descriptors();
  CLI::App app("Weft: lightweight threads for C and C++", "weft");
  int status = cli::exit_usage;
  app.set_version_flag("--version", "weft " WEFT_VERSION);
  app.require_subcommand(1);
  cli::add_demo(app, &status);
  CLI::App& bench = *app.add_subcommand("bench", "Run one program, check its answer, measure it; or compare two measurements");
  cli::add_bench_options(bench, &status, "ult");
  cli::add_compare(bench, &status);
  cli::add_costs(app, &status);
  cli::add_explore(app, &status);
  cli::add_frames(app, &status);
  cli::add_launch(app, &status);
  cli::add_list(app, &status);
  cli::add_info(app, &status);
  cli::add_mpi(app);
  cli::add_profile(app, &status, std::ranges::find(words, words + count, std::string_view("--")) != words + count);
  cli::add_simulate(app, &status);
  cli::add_stacks(app, &status);
  cli::add_tascell(app, &status);
  cli::add_tascell_server(app, &status);
  try {
    return cli::run_program(app, &status, count, words);
  } catch (const cli::interrupted& by) {  // the starter wants to know
    static_cast<void>(raise(by.signal));
  }
  return status;
}
