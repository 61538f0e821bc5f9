// The weft command: demonstrates, measures and describes the library. See commands.hpp for the exit status.
#include <fmt/format.h>
#include <weft/version.h>

#include <CLI/CLI.hpp>

#include <exception>
#include <string>
#include <vector>

#include "commands.hpp"
#include "usage.hpp"

namespace {

int complain(std::string_view message, int status) {
  fmt::print(stderr, "weft: {}\n", message);
  return status;
}

int run(CLI::App& app, int* status, int count, char** words) {
  std::vector<std::string> const arguments(words + 1, words + count);
  try {
    app.parse(count, words);
    return *status;
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return complain(cli::explain(app, error, arguments), cli::exit_usage);
  }
}

}  // namespace

int main(int count, char** words) {
  CLI::App app("Weft: lightweight threads for C and C++", "weft");
  int status = cli::exit_usage;
  app.set_version_flag("--version", "weft " WEFT_VERSION);
  app.require_subcommand(1);
  cli::add_demo(app, &status);
  cli::add_bench(app, &status);
  cli::add_costs(app, &status);
  cli::add_list(app, &status);
  cli::add_info(app, &status);
  try {
    if (count > 1) return run(app, &status, count, words);
    fmt::print("{}", app.help());
    return cli::exit_usage;
  } catch (const cli::usage_error& error) {
    return complain(error.what(), cli::exit_usage);
  } catch (const std::exception& error) {
    return complain(error.what(), cli::exit_wrong);
  }
}
