// weft bench NAME: runs one program on one runtime, checks its answer, and prints what was measured or writes it as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "harness/measure.hpp"
#include "harness/record.hpp"
#include "harness/statistics.hpp"
#include "kernels/table.hpp"
#include "text.hpp"
#include "usage.hpp"

namespace cli {

namespace {

constexpr unsigned most_workers = 1024;
constexpr unsigned most_repetitions = 1'000'000;

struct bench_options {
  std::string name;
  std::string runtime = "ult";
  std::optional<std::uint64_t> size;
  std::optional<std::uint64_t> expected;
  unsigned workers = 0;
  unsigned repetitions = 1;
  std::string directory = "/usr/share";
  std::string json;
};

std::vector<std::string> names_of_programs() {
  std::vector<std::string> names;
  for (const bench::kernel* const each : bench::all_kernels()) names.emplace_back(each->name);
  return names;
}

std::vector<std::string_view> names_of_runtimes() {
  std::vector<std::string_view> names;
  for (const bench::runtime& each : bench::all_runtimes()) names.push_back(each.name);
  return names;
}

const bench::kernel& choose_program(const std::string& name) {
  const bench::kernel* const found = bench::find_kernel(name);
  if (found == nullptr) throw no_such("program", name, names_of_programs());
  return *found;
}

const bench::variant& choose_variant(const bench::kernel& of, const std::string& runtime) {
  const bench::variant* const found = bench::find_variant(of, runtime);
  if (found != nullptr) return *found;
  std::vector<std::string> runtimes;
  for (const bench::variant& each : of.variants) runtimes.emplace_back(each.runtime);
  throw no_such(fmt::format("{} runtime", of.name), runtime, runtimes);
}

void check_size(const bench::kernel& of, std::optional<std::uint64_t> size) {
  if (!size.has_value()) return;
  if (of.size_word.empty()) throw usage_error(fmt::format("{} has no --size; it takes a --dir", of.name));
  if (*size >= 1 && *size <= of.max_size) return;
  throw usage_error(fmt::format("--size {}: {}'s {} must be from 1 to {}", *size, of.name, of.size_word, of.max_size));
}

void check_workers(const bench::runtime& with, unsigned workers) {
  if (!with.is_parallel && workers > 1) throw usage_error(fmt::format("--workers {}: {} has one worker", workers, with.name));
}

void check_directory(const bench::kernel& of, const std::string& directory) {
  std::error_code ignored;
  if (!of.size_word.empty() || std::filesystem::is_directory(directory, ignored)) return;
  throw usage_error(fmt::format("--dir {}: there is no such directory", directory));
}

bench::order make_order(const bench_options& options) {
  const bench::kernel& what = choose_program(options.name);
  const bench::variant& variant = choose_variant(what, options.runtime);
  const bench::runtime& with = *bench::find_runtime(variant.runtime);
  check_size(what, options.size);
  check_workers(with, options.workers);
  check_directory(what, options.directory);
  return {&what, &with, variant.body, options.size, options.expected, options.workers, options.repetitions, options.directory};
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

void add_bench(CLI::App& app, int* status) {
  CLI::App* const command = app.add_subcommand("bench", "Run one program, check its answer, measure it");
  auto const options = std::make_shared<bench_options>();
  command->add_option("program", options->name, "One of those that 'weft list' shows");
  command->add_option("--runtime", options->runtime, fmt::format("What runs it: {}", fmt::join(names_of_runtimes(), ", ")))
      ->capture_default_str();
  command->add_option("--workers", options->workers, "Workers; 0: as many as the machine offers")
      ->check(CLI::Range(0U, most_workers))
      ->capture_default_str();
  command->add_option("--size", options->size, "Size, in the program's own measure");
  command->add_option("--repetitions", options->repetitions, "How often it is run")
      ->check(CLI::Range(1U, most_repetitions))
      ->capture_default_str();
  command->add_option("--dir", options->directory, "Directory, for programs that work on files")->capture_default_str();
  command->add_option("--json", options->json, "Write the record to this file; '-': to standard output, and nothing else");
  command->add_option("--expect", options->expected, "The right answer; otherwise it is found in another way first");
  command->callback([status, options] {
    if (options->name.empty())
      throw usage_error(fmt::format("bench: which program?\nprograms: {}", fmt::join(names_of_programs(), ", ")));
    *status = run_bench(*options);
  });
}

}  // namespace cli
