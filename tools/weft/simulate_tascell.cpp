// weft simulate tascell: how n-queens would do on more workers than there are here. All figures are
// simulated.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/usage.hpp"
#include "commands.hpp"
#include "tascell_model.hpp"

namespace cli {

namespace {

constexpr int most_workers = 1 << 17;
// D. Muraoka et al., ICPP Workshops 2016, doi:10.1109/ICPPW.2016.36: 19-queens on the K computer.
constexpr int published_workers = 7168, published_rows = 19;
constexpr double published_speed_up = 4615;

struct tascell_options {
  std::vector<int> workers = {8, 64, 512, 7168};
  int workers_a_node = 8;
  int rows = published_rows;
  double work_s = 13'600;
  double leaf_us = 20'000;
  double near_us = 2;
  double frame_us = 46;
  double door_us = 2;
  double give_us = 3;
  std::uint64_t seed = 1;
};

void check(const tascell_options& options) {
  require(!options.workers.empty(), "simulate tascell wants numbers of workers");
  for (int const each : options.workers)
    require(each >= 1 && each <= most_workers, fmt::format("--workers {}: 1 to {} are wanted", each, most_workers));
  require(options.workers_a_node >= 1, "--node wants a number of workers from 1");
  require(options.rows >= 4 && options.rows <= most_rows, fmt::format("--rows {}: 4 to {} are wanted", options.rows, most_rows));
  require(options.work_s > 0 && options.work_s < 1e7, "--work wants seconds from above 0 to 10000000");
  require(options.leaf_us >= 1 && options.leaf_us < 1e9, "--leaf wants microseconds from 1 to 1000000000");
  require(options.work_s * 1e6 / options.leaf_us <= 1e9, "--leaf is too short for --work: at most 1e9 leaves are simulated");
  for (double const each : {options.near_us, options.frame_us, options.door_us, options.give_us})
    require(each > 0 && each < 1e6, "microseconds from above 0 to 1000000 are wanted");
}

tascell_setting setting_of(const tascell_options& options, int workers) {
  tascell_setting set;
  set.workers = workers;
  set.workers_a_node = options.workers_a_node;
  set.rows = options.rows;
  set.work_ns = options.work_s * 1e9;
  set.leaf_ns = options.leaf_us * 1e3;
  set.near_ns = options.near_us * 1e3;
  set.frame_ns = options.frame_us * 1e3;
  set.door_ns = options.door_us * 1e3;
  set.give_ns = options.give_us * 1e3;
  set.seed = options.seed;
  return set;
}

int simulate_tascell(const tascell_options& options) {
  check(options);
  fmt::print("{:>8}  {:>12}  {:>10}  {:>10}  {:>10}  {:>12}  {:>12}\n", "workers", "simulated s", "speed-up", "efficiency",
             "tasks", "to nodes", "asks");
  for (int const workers : options.workers) {
    tascell_outcome const found = simulate(setting_of(options, workers));
    double const efficiency = found.efficiency(workers);
    fmt::print("{:>8}  {:>12.3f}  {:>10.1f}  {:>10.3f}  {:>10}  {:>12}  {:>12}\n", workers, found.ns / 1e9, efficiency * workers,
               efficiency, found.given, found.given_away, found.asked);
    std::fflush(stdout);
  }
  fmt::print("published, {}-queens on {} workers of the K computer: speed-up {:.0f}, efficiency {:.2f} (measured there)\n",
             published_rows, published_workers, published_speed_up, published_speed_up / published_workers);
  return 0;
}

}  // namespace

void add_simulate_tascell(CLI::App* to, int* status) {
  CLI::App* const command =
      to->add_subcommand("tascell", "Simulate n-queens between nodes as Tascell runs it: speed-up over workers");
  auto const options = std::make_shared<tascell_options>();
  command->add_option("--workers", options->workers, "Numbers of workers")->delimiter(',');
  command->add_option("--node", options->workers_a_node, "Workers of a node");
  command->add_option("--rows", options->rows, "Rows of the board, which give the tree its shape");
  command->add_option("--work", options->work_s, "Seconds of the search on one worker");
  command->add_option("--leaf", options->leaf_us, "Microseconds of what is not divided any more");
  command->add_option("--request", options->near_us, "Microseconds of a request and its answer within a node");
  command->add_option("--frame", options->frame_us, "Microseconds of a frame from one node to another");
  command->add_option("--door", options->door_us, "Microseconds in which a node takes a frame");
  command->add_option("--give", options->give_us, "Microseconds in which a worker makes a task");
  command->add_option("--seed", options->seed, "Of the tree and of choices");
  command->callback([status, options] { *status = simulate_tascell(*options); });
}

}  // namespace cli
