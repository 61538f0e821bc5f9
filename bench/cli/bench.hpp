// The command line of a measurement: `weft bench NAME ...`, and that of each rival's program, which
// takes the same options.
#pragma once

#include <CLI/App.hpp>

#include <string>

namespace cli {

// Adds the options to the command; when it is called, it measures and sets *status (see
// cli/usage.hpp). The runtimes are the program's own.
void add_bench_options(CLI::App& command, int* status, const std::string& default_runtime);

}  // namespace cli
