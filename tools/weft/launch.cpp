// weft launch: runs a program on several ranks. It only prepares the environment and becomes the
// program, whose library forks the ranks: exit status, signals and output are the program's own.
// With --mpi it runs the launcher of an MPI, which starts the ranks, on several machines if it is
// told so.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/usage.hpp"
#include "commands.hpp"
#include "launch_mpi.hpp"
#include "launch_program.hpp"
#include "launch_wait.hpp"

namespace cli {

namespace {

constexpr int most_ranks = 1024;  // as net/job.hpp has it

struct launch_options {
  std::string ranks;
  bool is_quiet = false;
  bool locks = false;
  std::string mpi;                 // the launcher of an MPI
  std::string mpi_arguments;       // for it
  std::vector<std::string> words;  // the program and its arguments
};

// 0: it is no number of ranks.
int number_of(const std::string& text) {
  bool const is_number = !text.empty() && text.size() <= 4 && text.find_first_not_of("0123456789") == std::string::npos;
  int const number = is_number ? std::stoi(text) : 0;
  return number <= most_ranks ? number : 0;
}

[[noreturn]] void become(const std::string& file, std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(file.c_str(), arguments.data());
  throw std::runtime_error(fmt::format("{} cannot be run: {}", file, std::generic_category().message(errno)));
}

void set(const char* name, const std::string& value) {
  setenv(name, value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one OS thread
}

int become_program(const launch_options& options) {
  if (number_of(options.ranks) == 0) {
    throw usage_error(fmt::format("-n {}: a number of ranks from 1 to {} is wanted", options.ranks, most_ranks));
  }
  if (options.words.empty()) throw usage_error("launch wants a program to run: weft launch -n RANKS PROGRAM [ARGUMENT...]");
  std::string const file = find_program(options.words.front());
  require_ranks(file, !options.mpi.empty());
  set("WEFT_LAUNCH_RANKS", options.ranks);
  if (options.is_quiet) set("WEFT_LAUNCH_TABLE", "off");
  if (options.locks) set("WEFT_LAUNCH_LOCK", "on");
  if (options.mpi.empty()) become(file, options.words);
  // For the launcher's arguments, which name both.
  set("WEFT_LAUNCH_MPI", "");
  set("WEFT_LAUNCH_PARENT", "");
  unsetenv("WEFT_LAUNCH_MPI_LIBRARY");  // NOLINT(concurrency-mt-unsafe): one OS thread
  mpi_launch found = find_mpi(options.mpi, options.ranks, options.mpi_arguments);
  set("WEFT_LAUNCH_MPI", found.module);
  if (!found.library.empty()) set("WEFT_LAUNCH_MPI_LIBRARY", found.library);
  found.words.push_back(file);
  found.words.insert(found.words.end(), options.words.begin() + 1, options.words.end());
  mpi_wait waiting;
  set("WEFT_LAUNCH_PARENT", waiting.meeting());
  return waiting.run(found.launcher, found.words);
}

}  // namespace

void add_launch(CLI::App& app, int* status) {
  CLI::App* const command = app.add_subcommand(
      "launch",
      "Run a program on several processes (ranks), of this machine or, with --mpi, of several: weft launch -n RANKS PROGRAM "
      "[ARGUMENT...]");
  auto const options = std::make_shared<launch_options>();
  command->add_option("-n,--ranks", options->ranks, "How many ranks, 1 to 1024")->required();
  command->add_flag("-q,--quiet", options->is_quiet, "Print no table of the ranks at the end");
  command->add_flag("--lock", options->locks, "Keep the ranks' stacks and queues in memory from the start on");
  command->add_option("--mpi", options->mpi, "The launcher of an MPI that starts the ranks: mpirun, or its path");
  command->add_option("--mpi-args", options->mpi_arguments, "More arguments for that launcher, one word for the shell");
  command->add_option("program", options->words, "The program and its arguments");
  command->positionals_at_end();
  command->callback([status, options] { *status = become_program(*options); });
}

}  // namespace cli
