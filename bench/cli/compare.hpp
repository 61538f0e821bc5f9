// `weft bench compare A.json B.json`: what became faster or slower between two measurements.
#pragma once

#include <CLI/App.hpp>

namespace cli {

// Adds the sub-command to `weft bench`; when it is called, it sets *status (see cli/usage.hpp).
void add_compare(CLI::App& bench, int* status);

}  // namespace cli
