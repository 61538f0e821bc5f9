// Runs one program on one runtime, checks its answer, and prints what was measured or writes it as
// JSON.
#include "cli/bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/text.hpp"
#include "cli/usage.hpp"
#include "harness/listing.hpp"
#include "harness/measure.hpp"
#include "harness/record.hpp"
#include "harness/statistics.hpp"
#include "kernels/table.hpp"

namespace cli {

namespace {

constexpr unsigned most_workers = 1024;
constexpr unsigned most_repetitions = 1'000'000;

struct bench_options {
  std::string name;
  std::string runtime;
  std::optional<std::uint64_t> size;
  std::optional<std::uint64_t> expected;
  unsigned workers = 0;
  unsigned repetitions = 1;
  double enough_seconds = 0;
  unsigned warm_ups = 0;
  bool is_listing = false;
  std::string directory = "/usr/share";
  std::string json;
};

std::vector<std::string> names_of_programs() {
  std::vector<std::string> names;
  for (const bench::kernel* const each : bench::all_kernels()) names.emplace_back(each->name);
  return names;
}

std::vector<std::string> names_of_runtimes() {
  std::vector<std::string> names;
  for (const bench::runtime& each : bench::all_runtimes()) names.emplace_back(each.name);
  return names;
}

const bench::kernel& choose_program(const std::string& name) {
  const bench::kernel* const found = bench::find_kernel(name);
  if (found == nullptr) throw no_such("program", name, names_of_programs());
  return *found;
}

bool can_run(const bench::cell* cell) { return cell != nullptr && cell->body != nullptr; }

std::vector<std::string> names_of_runtimes_for(const bench::kernel& to_run) {
  std::vector<std::string> names;
  for (const bench::runtime& each : bench::all_runtimes()) {
    if (can_run(bench::find_cell(each, to_run))) names.emplace_back(each.name);
  }
  return names;
}

const bench::runtime& choose_runtime(const bench::kernel& to_run, const std::string& name) {
  const bench::runtime* const found = bench::find_runtime(name);
  const bench::cell* const cell = found == nullptr ? nullptr : bench::find_cell(*found, to_run);
  if (can_run(cell)) return *found;
  std::vector<std::string> const others = names_of_runtimes_for(to_run);
  if (cell == nullptr) throw no_such(fmt::format("{} runtime", to_run.name), name, others);
  throw usage_error(fmt::format("{} does not run {}: {}\n{} runtimes: {}", name, to_run.name, cell->why_not, to_run.name,
                                fmt::join(others, ", ")));
}

void check_size(const bench::kernel& of, std::optional<std::uint64_t> size) {
  if (!size.has_value()) return;
  if (of.size_word.empty()) throw usage_error(fmt::format("{} has no --size; it takes a --dir", of.name));
  if (*size >= 1 && *size <= of.max_size) return;
  throw usage_error(fmt::format("--size {}: {}'s {} must be from 1 to {}", *size, of.name, of.size_word, of.max_size));
}

void check_workers(const bench::runtime& with, unsigned workers) {
  if (!with.is_parallel() && workers > 1) throw usage_error(fmt::format("--workers {}: {} has one worker", workers, with.name));
}

void check_directory(const bench::kernel& of, const std::string& directory) {
  std::error_code ignored;
  if (!of.size_word.empty() || std::filesystem::is_directory(directory, ignored)) return;
  throw usage_error(fmt::format("--dir {}: there is no such directory", directory));
}

bench::order make_order(const bench_options& options) {
  const bench::kernel& what = choose_program(options.name);
  const bench::runtime& with = choose_runtime(what, options.runtime);
  check_size(what, options.size);
  check_workers(with, options.workers);
  check_directory(what, options.directory);
  return {.what = &what,
          .with = &with,
          .body = bench::find_cell(with, what)->body,
          .size = options.size,
          .expected = options.expected,
          .workers = options.workers,
          .repetitions = options.repetitions,
          .enough_seconds = options.enough_seconds,
          .warm_ups = options.warm_ups,
          .directory = options.directory};
}

std::string show_metric(const bench::metric& metric) {
  return fmt::format(
      "  {:<26} {}\n", metric.name,
      metric.value >= 1000 ? show_count(static_cast<std::uint64_t>(metric.value)) : fmt::format("{:.4g}", metric.value));
}

void print_for_people(const bench::order& order, const bench::measurement& result) {
  bench::spread const seconds = bench::summarise(result.seconds);
  bench::spread const cpu = bench::summarise(result.cpu_seconds);
  std::string const size =
      order.what->size_word.empty() ? result.input.directory : fmt::format("{} {}", order.what->size_word, result.input.size);
  fmt::print("{}: {}\n", order.what->name, order.what->title);
  fmt::print("  {:<26} {}, {}, workers: {}\n", "run", size, order.with->name, result.input.workers);
  fmt::print("  {:<26} {} ({})\n", "answer", result.answer,
             result.is_correct ? "right" : fmt::format("WRONG: {} is right", result.expected));
  fmt::print("  {:<26} {} (from {} to {}, repetitions: {})\n", "time, median", show_seconds(seconds.median),
             show_seconds(seconds.least), show_seconds(seconds.most), result.seconds.size());
  fmt::print("  {:<26} {}\n", "CPU time, median", show_seconds(cpu.median));
  double const per_unit = result.units == 0 ? 0.0 : seconds.median / static_cast<double>(result.units);
  fmt::print("  {:<26} {} ({} each)\n", fmt::format("{}s", order.what->unit), show_count(result.units), show_seconds(per_unit));
  fmt::print("  {:<26} {}\n", "peak memory", show_bytes(static_cast<double>(result.peak_resident_bytes)));
  for (const bench::metric& metric : result.metrics) fmt::print("{}", show_metric(metric));
  if (!result.settings.empty()) fmt::print("  {:<26} {}\n", "settings", result.settings);
  if (!result.note.empty()) fmt::print("  {:<26} {}\n", "note", result.note);
}

void write_record(const std::string& file, const std::string& text) {
  if (file == "-") {
    fmt::print("{}\n", text);
    return;
  }
  std::ofstream out(file);
  if (!(out << text << '\n') || !out.flush()) throw std::runtime_error(fmt::format("--json {}: cannot be written", file));
}

int run_bench(const bench_options& options) {
  bench::order const order = make_order(options);
  bench::measurement const result = bench::measure(order);
  if (options.json != "-") print_for_people(order, result);
  if (!options.json.empty()) write_record(options.json, bench::make_record(order, result).dump(2));
  return result.is_correct ? exit_right : exit_wrong;
}

}  // namespace

void add_bench_options(CLI::App& app, int* status, const std::string& default_runtime) {
  auto const options = std::make_shared<bench_options>();
  options->runtime = default_runtime;
  app.add_option("program", options->name, "One of those that 'weft list' shows");
  app.add_option("--runtime", options->runtime, fmt::format("What runs it: {}", fmt::join(names_of_runtimes(), ", ")))
      ->capture_default_str();
  app.add_option("--workers", options->workers, "Workers; 0: as many as the machine offers")
      ->check(CLI::Range(0U, most_workers))
      ->capture_default_str();
  app.add_option("--size", options->size, "Size, in the program's own measure");
  app.add_option("--repetitions", options->repetitions, "How often it is run")
      ->check(CLI::Range(1U, most_repetitions))
      ->capture_default_str();
  app.add_option("--enough", options->enough_seconds,
                 "Seconds: no further repetition begins when those before took so long together; 0: all are run")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--warm-ups", options->warm_ups, "Runs before each repetition that are checked, but not measured")
      ->check(CLI::Range(0U, most_repetitions))
      ->capture_default_str();
  app.add_option("--dir", options->directory, "Directory, for programs that work on files")->capture_default_str();
  app.add_option("--json", options->json, "Write the record to this file; '-': to standard output, and nothing else");
  app.add_option("--expect", options->expected, "The right answer; otherwise it is found in another way first");
  app.add_flag("--list", options->is_listing, "Write programs, runtimes and which runs which as JSON, and run nothing");
  app.callback([&app, status, options] {
    if (!app.get_subcommands().empty()) return;  // it was that which was chosen, and has run
    if (options->is_listing) {
      fmt::print("{}\n", bench::make_listing().dump(2));
      *status = exit_right;
      return;
    }
    if (options->name.empty())
      throw usage_error(fmt::format("bench: which program?\nprograms: {}", fmt::join(names_of_programs(), ", ")));
    *status = run_bench(*options);
  });
}

}  // namespace cli
