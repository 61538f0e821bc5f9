// The main function of each rival's program: weft-bench-RUNTIME NAME [options], with the options of
// `weft bench`.
#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>

#include "cli/bench.hpp"
#include "cli/program.hpp"
#include "cli/usage.hpp"
#include "harness/runtimes.hpp"

int main(int count, char** words) {
  CLI::App app("Runs one program on a runtime that Weft is compared with, checks its answer, measures it",
               std::filesystem::path(words[0]).filename());
  int status = cli::exit_usage;
  cli::add_bench_options(app, &status, std::string(bench::all_runtimes().front().name));
  return cli::run_program(app, &status, count, words);
}
