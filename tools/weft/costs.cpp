// weft costs: what a child costs on this machine as a plain call, as a fork and as a thread, on one worker, from programs with next to
// no work a child to such with some. What it runs are processes of `weft bench`, so that every answer is checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <array>
#include <memory>

#include "cell.hpp"
#include "cli/text.hpp"
#include "cli/usage.hpp"
#include "commands.hpp"
#include "kernels/table.hpp"
#include "progress.hpp"

namespace cli {

namespace {

constexpr std::array measured_programs = {"fib", "queens", "fib-cutoff", "uts-t1"};
constexpr std::array runtimes = {"sequential", "fork", "ult"};  // the table's columns, cheapest first
constexpr double limit_seconds = 300;

struct costs_options {
  bool is_quick = false;
  unsigned repetitions = 5;
};

using cells = std::array<cell_result, runtimes.size()>;

cells run_program(const costs_options& options, const bench::kernel& what, progress& shown) {
  cells done;
  std::optional<std::uint64_t> expected;
  for (std::size_t place = 0; place < runtimes.size(); ++place) {
    std::string const runtime = runtimes[place];
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

// CPU time: with one worker the same as wall-clock time, but for what other programs take.
double cost_of(const cell_result& cell) {
  return cell.record.at("cpu_seconds").value("median", 0.0) / static_cast<double>(cell.units);
}

std::string show_ratio(double cost, double of) { return of <= 0 ? "-" : fmt::format("{:.2f}", cost / of); }

std::vector<std::string> make_row(const bench::kernel& what, const cells& of) {
  auto const [call, fork, thread] = std::array{cost_of(of[0]), cost_of(of[1]), cost_of(of[2])};
  return {std::string(what.name), std::string(what.unit), show_seconds(call),      show_seconds(fork),
          show_seconds(thread),   show_ratio(fork, call), show_ratio(thread, call)};
}

int run_costs(const costs_options& options) {
  table shown({"program", "each", "plain calls", "forks", "threads", "forks : calls", "threads : calls"});
  shown.align_left(1);
  progress going(measured_programs.size() * runtimes.size());
  for (const char* const name : measured_programs) {
    const bench::kernel& what = *bench::find_kernel(name);
    shown.add(make_row(what, run_program(options, what, going)));
  }
  fmt::print(
      "{}\nCPU time on one worker, median. Threads: every child is one. Forks: all but one child of each parent (fib-cutoff: "
      "all).\n",
      shown.show());
  return exit_right;
}

}  // namespace

void add_costs(CLI::App& app, int* status) {
  CLI::App* const command = app.add_subcommand("costs", "Measure what a child costs here as plain call, fork and thread");
  auto const options = std::make_shared<costs_options>();
  command->add_flag("--quick", options->is_quick, "Small sizes: a second, but rough figures");
  command->add_option("--repetitions", options->repetitions, "How often each is run")
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  command->callback([status, options] { *status = run_costs(*options); });
}

}  // namespace cli
