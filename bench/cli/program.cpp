#include "cli/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <exception>
#include <string>
#include <vector>

#include "cli/usage.hpp"

namespace cli {

namespace {

int complain(const CLI::App& app, std::string_view message, int status) {
  fmt::print(stderr, "{}: {}\n", app.get_name(), message);
  return status;
}

int parse(CLI::App& app, const int* status, int count, char** words) {
  std::vector<std::string> const arguments(words + 1, words + count);
  try {
    app.parse(count, words);
    return *status;
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return complain(app, explain(app, error, arguments), exit_usage);
  }
}

}  // namespace

int run_program(CLI::App& app, const int* status, int count, char** words) {
  try {
    if (count > 1) return parse(app, status, count, words);
    fmt::print("{}", app.help());
    return exit_usage;
  } catch (const usage_error& error) {
    return complain(app, error.what(), exit_usage);
  } catch (const std::exception& error) {
    return complain(app, error.what(), exit_wrong);
  }
}

}  // namespace cli
