// What the main functions of the weft command and of the rivals' programs share.
#pragma once

#include <CLI/App.hpp>

namespace cli {

// Parses the command line, which runs what was chosen; says what is wrong with it, or what went
// wrong. Returns the exit status.
int run_program(CLI::App& app, const int* status, int count, char** words);

}  // namespace cli
