// Compares two files, series by series. A ratio is called a change only where its interval does not
// hold 1, and only where both sides have enough repetitions for an interval to mean something; what
// else differs between the files is said first.
#include "cli/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "cli/text.hpp"
#include "cli/usage.hpp"
#include "harness/results.hpp"
#include "harness/statistics.hpp"

namespace cli {

namespace {

constexpr double calibration_differs_from = 0.03;

struct compared_files {
  std::string a;
  std::string b;
};

struct counts {
  unsigned faster = 0;
  unsigned slower = 0;
  unsigned level = 0;
  unsigned too_few = 0;
  [[nodiscard]] unsigned judged() const { return faster + slower + level; }
};

bench::results read(const std::string& file) {
  try {
    return bench::read_results(file);
  } catch (const bench::bad_results& error) {
    throw usage_error(error.what());
  }
}

std::string name_of(const bench::series_key& key) {
  std::string const size = key.directory.empty() ? fmt::format("{}", key.size) : key.directory;
  return fmt::format("{} {} on {}, workers: {}", key.program, size, key.runtime, key.workers);
}

std::string describe(const bench::results& of) {
  if (of.is_matrix) return fmt::format("{}, a comparison of {} cells", of.file, of.all.size());
  return fmt::format("{}, a record of {}", of.file, name_of(of.all.begin()->first));
}

// ---- what differs between the files themselves

void print_fact(const std::string& name, const std::string& in_a, const std::string& in_b) {
  fmt::print("DIFFERENT {}: {} in A, {} in B\n", name, in_a.empty() ? "unknown" : in_a, in_b.empty() ? "unknown" : in_b);
}

std::string fact(const bench::results& of, const std::string& name) {
  auto const found = of.facts.find(name);
  return found == of.facts.end() ? "" : found->second;
}

void print_facts(const bench::results& a, const bench::results& b) {
  for (const char* const name : {"processor", "system", "usable CPUs", "compiler"}) {
    if (fact(a, name) != fact(b, name)) print_fact(name, fact(a, name), fact(b, name));
  }
}

// A runtime's settings may depend on the workers: only the same series are compared; each
// difference is told once.
void print_settings(const bench::results& a, const bench::results& b) {
  std::set<std::vector<std::string>> told;
  for (const auto& [key, in_a] : a.all) {
    auto const in_b = b.all.find(key);
    if (in_b == b.all.end() || !in_a.is_measured() || !in_b->second.is_measured() || in_a.setting == in_b->second.setting)
      continue;
    if (told.insert({key.runtime, in_a.setting, in_b->second.setting}).second)
      print_fact(key.runtime, in_a.setting, in_b->second.setting);
  }
}

// The same loop ran before every process: what it took more is not the measured programs' doing.
void print_calibration(const bench::results& a, const bench::results& b) {
  if (a.calibration.empty() || b.calibration.empty()) return;
  double const ratio = bench::summarise(b.calibration).median / bench::summarise(a.calibration).median;
  if (std::abs(ratio - 1) < calibration_differs_from) return;
  fmt::print(
      "DIFFERENT speed of the machine: the calibration loop took {:.2f} times as long in B as in A; ratios near that mean "
      "nothing\n",
      ratio);
}

void print_heads(const bench::results& a, const bench::results& b) {
  fmt::print("A: {}\nB: {}\n", describe(a), describe(b));
  print_facts(a, b);
  print_settings(a, b);
  print_calibration(a, b);
  fmt::print("\n");
}

// ---- the table

bool has_too_few(const bench::series& of) { return of.seconds.size() < bench::least_repetitions; }

std::string judge(const bench::ratio& ratio, bool is_too_few, counts& into) {
  if (is_too_few) return ++into.too_few, "too few";
  if (ratio.high < 1) return ++into.faster, "FASTER";
  if (ratio.low > 1) return ++into.slower, "SLOWER";
  return ++into.level, "";
}

std::vector<std::string> make_row(const bench::series_key& key, const bench::series& a, const bench::series& b, counts& into) {
  bench::ratio const ratio = bench::ratio_of_medians(b.seconds, a.seconds);
  bool const is_too_few = has_too_few(a) || has_too_few(b);
  std::string const interval = is_too_few ? "" : fmt::format(" [{:.3f}, {:.3f}]", ratio.low, ratio.high);
  return {key.program,
          key.directory.empty() ? std::to_string(key.size) : key.directory,
          key.runtime,
          std::to_string(key.workers),
          show_seconds(bench::summarise(a.seconds).median),
          show_seconds(bench::summarise(b.seconds).median),
          fmt::format("{:.3f}{}", ratio.value, interval),
          judge(ratio, is_too_few, into)};
}

counts print_table(const bench::results& a, const bench::results& b) {
  counts found;
  table shown({"program", "size", "runtime", "workers", "A", "B", "B : A [95 %]", "B is"});
  for (std::size_t const column : {2U, 6U, 7U}) shown.align_left(column);
  for (const auto& [key, in_a] : a.all) {
    auto const in_b = b.all.find(key);
    if (in_b != b.all.end() && in_a.is_measured() && in_b->second.is_measured())
      shown.add(make_row(key, in_a, in_b->second, found));
  }
  if (found.judged() + found.too_few > 0) fmt::print("{}\n", shown.show());
  return found;
}

// ---- what has no ratio

std::string status_in(const bench::results& of, const bench::series_key& key) {
  auto const found = of.all.find(key);
  return found == of.all.end() ? "not in it" : found->second.status;
}

void print_status(const bench::series_key& key, const bench::results& a, const bench::results& b) {
  std::string const in_a = status_in(a, key);
  std::string const in_b = status_in(b, key);
  if (in_a != in_b) fmt::print("{}: {} in A, {} in B\n", name_of(key), in_a, in_b);
}

// Series of only one file are counted, not listed: a comparison of few programs with one of many is
// nothing unusual. What fails in both has not changed.
void print_others(const bench::results& a, const bench::results& b) {
  std::size_t common = 0;
  for (const auto& [key, unused] : a.all) {
    if (!b.all.contains(key)) continue;
    ++common;
    print_status(key, a, b);
  }
  if (a.all.size() > common) fmt::print("Only in A: {}\n", a.all.size() - common);
  if (b.all.size() > common) fmt::print("Only in B: {}\n", b.all.size() - common);
}

void print_counts(const counts& of) {
  if (of.judged() > 0)
    fmt::print(
        "B against A: {} faster, {} slower, {} within the noise. Of those that did not change, some one in 20 is marked all the "
        "same.\n",
        of.faster, of.slower, of.level);
  if (of.too_few > 0)
    fmt::print("{} with fewer than {} repetitions, from which nothing can be concluded (--repetitions)\n", of.too_few,
               bench::least_repetitions);
}

bool is_any_common(const bench::results& a, const bench::results& b) {
  for (const auto& [key, unused] : a.all) {
    if (b.all.contains(key)) return true;
  }
  return false;
}

std::string list(const bench::results& of) {
  constexpr std::size_t most = 6;
  std::vector<std::string> names;
  for (const auto& [key, unused] : of.all) names.push_back(name_of(key));
  std::string const more = names.size() > most ? fmt::format("; and {} more", names.size() - most) : "";
  names.resize(std::min(names.size(), most));
  return names.empty() ? "nothing that was run" : fmt::format("{}{}", fmt::join(names, "; "), more);
}

int run_compare(const compared_files& files) {
  bench::results const a = read(files.a);
  bench::results const b = read(files.b);
  if (!is_any_common(a, b)) {
    throw usage_error(
        fmt::format("{} and {} have nothing in common: program, size, runtime and workers must be the same\n{}: {}\n{}: {}",
                    files.a, files.b, files.a, list(a), files.b, list(b)));
  }
  print_heads(a, b);
  counts const found = print_table(a, b);
  print_others(a, b);
  print_counts(found);
  return exit_right;
}

}  // namespace

void add_compare(CLI::App& bench, int* status) {
  CLI::App* const command = bench.add_subcommand(
      "compare", "Compare two files: records of 'weft bench --json', or comparisons of bench/matrix/matrix.py");
  auto const files = std::make_shared<compared_files>();
  command->add_option("A.json", files->a, "What was measured before")->required();
  command->add_option("B.json", files->b, "What was measured after")->required();
  command->callback([status, files] { *status = run_compare(*files); });
}

}  // namespace cli
