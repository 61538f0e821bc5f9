// The sub-commands. Each adds itself to the command line; when it was the one chosen, it sets
// *status to the exit status: 0 all right, 1 something ran and went wrong (an answer, a crash, a
// file), 2 the command line makes no sense.
#pragma once

#include <CLI/App.hpp>

namespace cli {

void add_demo(CLI::App& app, int* status);
void add_costs(CLI::App& app, int* status);
void add_explore(CLI::App& app, int* status);
void add_frames(CLI::App& app, int* status);
void add_launch(CLI::App& app, int* status);
void add_mpi(CLI::App& app);  // its process becomes the launcher
void add_list(CLI::App& app, int* status);
void add_info(CLI::App& app, int* status);
void add_profile(CLI::App& app, int* status, bool has_dashes);  // "--" is among the words: a program follows
void add_simulate(CLI::App& app, int* status);
void add_simulate_tascell(CLI::App* to, int* status);  // below simulate
void add_stacks(CLI::App& app, int* status);
void add_tascell(CLI::App& app, int* status);
void add_tascell_server(CLI::App& app, int* status);

}  // namespace cli
