// weft costs: what a child costs on this machine as a plain call, as a fork, as a thread and as a
// Tascell task, on one worker, from programs with next to no work a child to such with some. What
// it runs are processes of `weft bench`, so that every answer is checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <array>
#include <memory>

#include "cell.hpp"
#include "cli/text.hpp"
#include "cli/usage.hpp"
#include "commands.hpp"
#include "harness/runtimes.hpp"
#include "kernels/table.hpp"
#include "progress.hpp"

namespace cli {

namespace {

constexpr std::array measured_programs = {"fib", "queens", "queens-board", "fib-cutoff", "uts-t1"};
constexpr std::array runtimes = {"sequential", "fork", "ult", "tascell"};  // the table's columns
constexpr double limit_seconds = 300;

struct costs_options {
  bool is_quick = false;
  unsigned repetitions = 5;
};

using cells = std::array<cell_result, runtimes.size()>;

bool runs_on(const bench::kernel& what, const char* runtime) {
  const bench::cell* const cell = bench::find_cell(runtime, what);
  return cell != nullptr && cell->body != nullptr;
}

cells run_program(const costs_options& options, const bench::kernel& what, progress& shown) {
  cells done;
  std::optional<std::uint64_t> expected;
  for (std::size_t place = 0; place < runtimes.size(); ++place) {
    std::string const runtime = runtimes[place];
    if (!runs_on(what, runtimes[place])) continue;
    shown.begin(fmt::format("{}, {}", what.name, runtime));
    cell_order order{&what, runtime, 1, {}, "", options.repetitions, limit_seconds};
    if (options.is_quick) order.size = what.quick_size;
    done[place] = run_cell(order, expected, [&](double seconds) { shown.tick(seconds); });
    shown.end(done[place].is_right() ? show_seconds(done[place].seconds.median) : done[place].failure);
    if (!done[place].is_right()) throw std::runtime_error(fmt::format("{}, {}: {}", what.name, runtime, done[place].failure));
    expected = done[place].expected;
  }
  return done;
}

// 0: it has not run. CPU time: with one worker the same as wall-clock time, but for what other
// programs take.
double cost_of(const cell_result& cell) {
  if (!cell.has_run) return 0;
  return cell.record.at("cpu_seconds").value("median", 0.0) / static_cast<double>(cell.units);
}

std::string show_ratio(double cost, double of) { return cost <= 0 || of <= 0 ? "-" : fmt::format("{:.2f}", cost / of); }
std::string show_cost(double cost) { return cost <= 0 ? "-" : show_seconds(cost); }

std::vector<std::string> make_row(const bench::kernel& what, const cells& of) {
  std::vector<std::string> row = {std::string(what.name), std::string(what.unit)};
  double const call = cost_of(of[0]);
  for (const cell_result& each : of) row.push_back(show_cost(cost_of(each)));
  for (std::size_t place = 1; place < of.size(); ++place) row.push_back(show_ratio(cost_of(of[place]), call));
  return row;
}

int run_costs(const costs_options& options) {
  table shown({"program", "each", "calls", "forks", "threads", "Tascell", "forks:call", "threads:call", "Tascell:call"});
  shown.align_left(1);
  std::size_t count = 0;
  for (const char* const name : measured_programs) {
    for (const char* const runtime : runtimes) count += runs_on(*bench::find_kernel(name), runtime) ? 1 : 0;
  }
  progress going(count);
  for (const char* const name : measured_programs) {
    const bench::kernel& what = *bench::find_kernel(name);
    shown.add(make_row(what, run_program(options, what, going)));
  }
  fmt::print(
      "{}\nCPU time on one worker, median. Threads: every child is one. Forks: all but one child of each\n"
      "parent (fib-cutoff: all). Tascell makes tasks only when another worker asks; in queens-board it\n"
      "works in one board, which threads and forks copy.\n",
      shown.show());
  return exit_right;
}

}  // namespace

void add_costs(CLI::App& app, int* status) {
  CLI::App* const command =
      app.add_subcommand("costs", "Measure what a child costs here as plain call, fork, thread and Tascell task");
  auto const options = std::make_shared<costs_options>();
  command->add_flag("--quick", options->is_quick, "Small sizes: a second, but rough figures");
  command->add_option("--repetitions", options->repetitions, "How often each is run")
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  command->callback([status, options] { *status = run_costs(*options); });
}

}  // namespace cli
