// weft simulate steal: how stealing between nodes would do on more workers than there are here. All
// figures are simulated; the table of published runs says how far they are to be trusted.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/usage.hpp"
#include "commands.hpp"
#include "steal_model.hpp"

namespace cli {

namespace {

constexpr int most_workers = 1 << 17;
constexpr int most_leaves_log = 24;

// Shiina, Taura: Distributed Continuation Stealing is More Scalable than You Might Think (CLUSTER
// 2022), continuation stealing with greedy joins on ITO-A, 36 workers a node; the raw data of the
// paper's artefact.
struct published_run {
  const char* name;
  forked_program program;
  int leaves_log;
  int workers;
  double ms;
  double steals;  // thousands; 0: not published
};
constexpr std::array published = {published_run{"PFor 131 k", forked_program::pfor, 17, 576, 19.7, 21.8},
                                  published_run{"PFor 1 M", forked_program::pfor, 20, 576, 103.7, 38.9},
                                  published_run{"PFor 1 M", forked_program::pfor, 20, 2304, 33.0, 119.8},
                                  published_run{"PFor 1 M", forked_program::pfor, 20, 9216, 14.9, 297},
                                  published_run{"PFor 4 M", forked_program::pfor, 22, 9216, 33.8, 455},
                                  published_run{"RecPFor 131 k", forked_program::rec_pfor, 17, 576, 243.8, 258},
                                  published_run{"RecPFor 131 k", forked_program::rec_pfor, 17, 2304, 99, 0},
                                  published_run{"RecPFor 1 M", forked_program::rec_pfor, 20, 576, 1928, 402}};
constexpr double agrees_within = 0.15;

// Of ITO-A, from the paper's figures of single operations; the card's time was fitted once to all
// runs.
steal_setting ito_a(const published_run& run) {
  steal_setting set;
  set.workers = run.workers;
  set.workers_a_node = 36;
  set.program = run.program;
  set.leaves = 1U << run.leaves_log;
  set.leaf_ns = 10'100;
  set.fork_ns = 40;
  set.operations = 7;
  set.near_ns = 2800;
  set.far_ns = 4150;
  set.port_ns = 350;
  set.copy_ns = 1400;
  set.own_ns = 500;
  set.retry_ns = 4000;
  return set;
}

struct simulate_options {
  std::vector<int> workers = {64, 256, 1024, 4096, 16384, 36864};
  std::vector<int> operations = {7, 3, 2};
  int workers_a_node = 64;
  std::string program = "pfor";
  int leaves_log = 22;
  double leaf_us = 10;
  double far_us = 2;
  double near_us = 0.1;
  double port_us = 0;
  double near_part = 0.5;
  double poll_us = 0;
  double tick_us = 200;
  bool is_published = false;
  bool is_quick = false;
  std::uint64_t seed = 1;
  std::string plot;
};

int compare_published(bool is_quick) {
  int outliers = 0;
  fmt::print("{:<14} {:>7}  {:>12} {:>12} {:>7}  {:>14} {:>14}\n", "simulated", "workers", "published ms", "simulated ms",
             "ratio", "published", "simulated");
  fmt::print("{:<14} {:>7}  {:>12} {:>12} {:>7}  {:>14} {:>14}\n", "", "", "", "", "", "steals (k)", "steals (k)");
  for (const published_run& run : published) {
    if (is_quick && (run.program != forked_program::pfor || run.leaves_log > 17)) continue;
    steal_outcome const found = simulate(ito_a(run));
    double const ms = found.ns / 1e6;
    bool const agrees = std::abs(ms / run.ms - 1) <= agrees_within;
    outliers += static_cast<int>(!agrees);
    fmt::print("{:<14} {:>7}  {:>12.1f} {:>12.1f} {:>7.3f}  {:>14} {:>14.1f}{}\n", run.name, run.workers, run.ms, ms, ms / run.ms,
               run.steals != 0 ? fmt::format("{:.1f}", run.steals) : "-", static_cast<double>(found.steals) / 1e3,
               agrees ? "" : "  outlier");
  }
  fmt::print("outliers, of more than {:.0f} % in time: {}\n", 100 * agrees_within, outliers);
  return outliers == 0 ? 0 : 1;
}

struct curve {
  int operations;
  std::vector<double> efficiencies;  // of each number of workers
};

void write_picture(const simulate_options& options, const std::vector<curve>& curves) {
  constexpr double left = 60, top = 50, width = 560, height = 320;
  constexpr std::array colours = {"#888888", "#1f77b4", "#d62728", "#2ca02c"};
  std::ofstream file(options.plot);
  if (!file) throw std::runtime_error(fmt::format("{} cannot be written", options.plot));
  double const first = std::log2(options.workers.front()), last = std::log2(options.workers.back());
  auto const x_of = [&](int workers) {
    return left + width * (last > first ? (std::log2(workers) - first) / (last - first) : 0);
  };
  auto const y_of = [&](double efficiency) { return top + height * (1 - efficiency); };
  file << fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n",
      left + width + 120, top + height + 60);
  file << fmt::format(
      "<text x=\"{}\" y=\"20\">Simulated efficiency: {}, 2^{} leaves of {} us, {} us between nodes of {} workers{}</text>\n",
      left, options.program, options.leaves_log, options.leaf_us, options.far_us, options.workers_a_node,
      options.poll_us > 0 ? fmt::format(", polled every {} us", options.poll_us) : "");
  for (int tenth = 0; tenth <= 10; tenth += 2) {
    double const y = y_of(tenth / 10.0);
    file << fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{}\">{:.1f}</text>\n",
                        left, left + width, y, y, left - 30, y + 4, tenth / 10.0);
  }
  for (int const workers : options.workers)
    file << fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x_of(workers), top + height + 20, workers);
  file << fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">workers (simulated)</text>\n", left + width / 2,
                      top + height + 45);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    std::string points;
    for (std::size_t at = 0; at < options.workers.size(); ++at)
      points += fmt::format("{:.1f},{:.1f} ", x_of(options.workers[at]), y_of(curves[i].efficiencies[at]));
    const char* const colour = colours[i % colours.size()];
    file << fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" points=\"{}\"/>\n", colour, points);
    file << fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\">{} operations</text>\n", left + width + 8,
                        y_of(curves[i].efficiencies.back()) + 4 + static_cast<double>(i), colour, curves[i].operations);
  }
  file << "</svg>\n";
  if (!file.flush()) throw std::runtime_error(fmt::format("{} cannot be written", options.plot));
}

steal_setting setting_of(const simulate_options& options, int workers, int operations) {
  steal_setting set;
  set.workers = workers;
  set.workers_a_node = options.workers_a_node;
  set.program = options.program == "pfor" ? forked_program::pfor : forked_program::rec_pfor;
  set.leaves = 1U << options.leaves_log;
  set.leaf_ns = options.leaf_us * 1000;
  set.operations = operations;
  set.near_ns = options.near_us * 1000;
  set.far_ns = options.far_us * 1000;
  set.port_ns = options.port_us * 1000;
  set.near_part = options.near_part;
  set.poll_ns = options.poll_us * 1000;
  set.is_weft = operations != 7;
  set.tick_ns = options.tick_us * 1000;
  set.seed = options.seed;
  return set;
}

void check(const simulate_options& options) {
  require(!options.workers.empty() && !options.operations.empty(), "simulate steal wants numbers of workers, and of operations");
  for (int const each : options.workers)
    require(each >= 1 && each <= most_workers, fmt::format("--workers {}: 1 to {} are wanted", each, most_workers));
  for (int const each : options.operations)
    require(each == 7 || each == 3 || each == 2, fmt::format("--operations {}: 7, 3 or 2 are simulated", each));
  require(options.program == "pfor" || options.program == "recpfor",
          fmt::format("--program {}: pfor or recpfor is wanted", options.program));
  require(options.leaves_log >= 1 && options.leaves_log <= most_leaves_log,
          fmt::format("--leaves-log {}: 1 to {} is wanted", options.leaves_log, most_leaves_log));
  require(options.workers_a_node >= 1, "--node wants a number of workers from 1");
  for (double const each : {options.leaf_us, options.far_us, options.near_us})
    require(each > 0 && each < 1e6, "microseconds from above 0 to 1000000 are wanted");
  require(options.port_us >= 0 && options.poll_us >= 0 && options.port_us < 1e6 && options.poll_us < 1e6,
          "--card and --poll want microseconds from 0 to 1000000");
  require(options.tick_us >= 0.001 && options.tick_us < 1e6, "--tick wants microseconds from 0.001 to 1000000");
  require(options.near_part >= 0 && options.near_part <= 1, "--near wants a part from 0 to 1");
}

int simulate_steals(const simulate_options& options) {
  if (options.is_published) return compare_published(options.is_quick);
  check(options);
  std::vector<curve> curves;
  fmt::print("{:>10}  {:>8}  {:>10}  {:>10}  {:>9}  {:>9}  {:>8}\n", "operations", "workers", "simulated", "efficiency", "steals",
             "probes", "steal us");
  for (int const operations : options.operations) {
    curves.push_back({operations, {}});
    for (int const workers : options.workers) {
      steal_outcome const found = simulate(setting_of(options, workers, operations));
      curves.back().efficiencies.push_back(found.efficiency(workers));
      fmt::print("{:>10}  {:>8}  {:>7.2f} ms  {:>10.4f}  {:>9}  {:>9}  {:>8.2f}\n", operations, workers, found.ns / 1e6,
                 found.efficiency(workers), found.steals, found.steals + found.failed, found.steal_ns / 1e3);
      std::fflush(stdout);
    }
  }
  if (!options.plot.empty()) write_picture(options, curves);
  return 0;
}

}  // namespace

void add_simulate(CLI::App& app, int* status) {
  CLI::App* const command = app.add_subcommand("simulate", "Simulate what this machine has too few processors for");
  command->require_subcommand(1);
  CLI::App* const steal = command->add_subcommand(
      "steal", "Simulate work stealing between nodes: efficiency over workers, for steals of 7, 3 and 2 operations");
  auto const options = std::make_shared<simulate_options>();
  steal->add_option("--workers", options->workers, "Numbers of workers, ascending")->delimiter(',');
  steal->add_option("--operations", options->operations, "Operations of a steal that wait for one another: 7, 3, 2")
      ->delimiter(',');
  steal->add_option("--node", options->workers_a_node, "Workers of a node");
  steal->add_option("--program", options->program, "pfor: loops, one after the other; recpfor: loops, and halves in parallel");
  steal->add_option("--leaves-log", options->leaves_log, "Leaves of a loop, as a power of two");
  steal->add_option("--leaf", options->leaf_us, "Microseconds of a leaf");
  steal->add_option("--network", options->far_us, "Microseconds of an operation between nodes, as weft info --ranks tells");
  steal->add_option("--shared", options->near_us, "Microseconds of an operation within a node");
  steal->add_option("--card", options->port_us, "Microseconds in which a node's card serves an operation from outside");
  steal->add_option("--near", options->near_part, "The part of probes that go to the own node, 0 to 1");
  steal->add_option("--poll", options->poll_us,
                    "Microseconds between polls of a worker that computes; 0: the network needs none");
  steal->add_option("--tick", options->tick_us,
                    "Microseconds after which a fork looks whether something is to be offered to other nodes (WEFT_DIST_POLL)");
  steal->add_option("--seed", options->seed, "Of the choice of victims");
  steal->add_option("--plot", options->plot, "Write a picture (SVG) to this file");
  steal->add_flag("--published", options->is_published, "Simulate published runs instead, and compare; outliers are named");
  steal->add_flag("--quick", options->is_quick, "With --published: the smallest one alone");
  steal->callback([status, options] { *status = simulate_steals(*options); });
  add_simulate_tascell(command, status);
}

}  // namespace cli
