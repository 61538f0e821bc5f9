// weft demo: all programs sequentially, and as threads and as forks on one worker and on all
// workers, with their answers checked; a table and a picture at the end. What it runs are processes
// of `weft bench`.
#include "demo.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>

#include "cli/text.hpp"
#include "cli/usage.hpp"
#include "commands.hpp"
#include "harness/runtimes.hpp"
#include "kernels/table.hpp"
#include "progress.hpp"

namespace cli {

namespace {

constexpr unsigned most_workers = 1024;

std::vector<std::string> names_of_programs() {
  std::vector<std::string> names;
  for (const bench::kernel* const each : bench::all_kernels()) names.emplace_back(each->name);
  return names;
}

std::vector<const bench::kernel*> choose_programs(const std::vector<std::string>& names) {
  std::vector<const bench::kernel*> chosen;
  for (const std::string& name : names) {
    const bench::kernel* const found = bench::find_kernel(name);
    if (found == nullptr) throw no_such("program", name, names_of_programs());
    chosen.push_back(found);
  }
  for (const bench::kernel* const each : bench::all_kernels()) {
    if (names.empty() && !each->is_long && !each->is_of_experiment) chosen.push_back(each);
  }
  return chosen;
}

cell_order make_cell(const demo_options& options, const bench::kernel& what, const column& in) {
  std::optional<std::uint64_t> size;
  if (what.demo_size != 0) size = what.demo_size;
  if (options.is_quick && !what.size_word.empty()) size = what.quick_size;
  unsigned const repetitions = options.is_quick ? 1 : options.repetitions;
  return {&what, in.runtime, in.workers, size, options.directory, repetitions, options.limit_seconds, options.enough_seconds};
}

bool has_cell(const bench::kernel& what, const column& in) {
  const bench::cell* const found = bench::find_cell(in.runtime, what);
  return found != nullptr && found->body != nullptr;
}

std::string describe_end(const cell_result& result) {
  if (!result.has_run) return "FAILED: " + result.failure;
  return fmt::format("{}, {}", show_seconds(result.seconds.median), result.is_correct ? "right" : "WRONG: " + result.failure);
}

demo_row run_program(const demo_options& options, const bench::kernel& what, const std::vector<column>& columns,
                     progress& shown) {
  demo_row done{&what, {}};
  std::optional<std::uint64_t> expected;
  for (const column& in : columns) {
    if (!has_cell(what, in)) {
      done.cells.emplace_back();
      continue;
    }
    shown.begin(fmt::format("{}, {}", what.name, in.label));
    cell_result result = run_cell(make_cell(options, what, in), expected, [&](double seconds) { shown.tick(seconds); });
    shown.end(describe_end(result));
    if (result.has_run) expected = result.expected;
    done.cells.emplace_back(std::move(result));
  }
  return done;
}

std::size_t count_cells(const std::vector<const bench::kernel*>& programs, const std::vector<column>& columns) {
  std::size_t count = 0;
  for (const bench::kernel* const what : programs) {
    for (const column& in : columns) count += has_cell(*what, in) ? 1 : 0;
  }
  return count;
}

demo_result run_all(const demo_options& options) {
  demo_result result;
  result.options = options;
  result.columns = choose_columns(options.workers);
  std::vector<const bench::kernel*> const programs = choose_programs(options.programs);
  progress shown(count_cells(programs, result.columns));
  for (const bench::kernel* const what : programs) result.rows.push_back(run_program(options, *what, result.columns, shown));
  return result;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  if (!(out << text) || !out.flush()) throw std::runtime_error(fmt::format("{}: cannot be written", path));
}

bool can_be_written(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    return !std::filesystem::is_directory(file, ignored) && access(file.c_str(), W_OK) == 0;
  }
  std::filesystem::path const folder = file.has_parent_path() ? file.parent_path() : ".";
  return std::filesystem::is_directory(folder, ignored) && access(folder.c_str(), W_OK | X_OK) == 0;
}

// The build folder while there is one; an installed command writes where it is called. Where this
// user may not write there, the folder of temporary files is left. Empty: no folder can be written.
std::string default_out() {
  std::error_code ignored;
  for (const std::filesystem::path& folder :
       {std::filesystem::path(WEFT_BUILD_FOLDER), std::filesystem::path("."), std::filesystem::temp_directory_path(ignored)}) {
    std::filesystem::path const file = folder / "weft-demo.html";
    if (!folder.empty() && can_be_written(file)) return file.string();
  }
  return "";
}

// Before anything runs: a demonstration takes a minute, and must not be lost for a word of its
// command line.
void check(const demo_options& options) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(options.directory, ignored)) {
    throw usage_error(fmt::format("--dir {}: there is no such directory", options.directory));
  }
  for (const std::string& file : {options.out, options.json}) {
    if (!file.empty() && !can_be_written(file)) {
      throw std::runtime_error(fmt::format("{}: cannot be written; name a file in a folder that this user may write to", file));
    }
  }
}

int run_demo(const demo_options& options) {
  check(options);
  demo_result const result = run_all(options);
  std::string const out = options.out.empty() ? default_out() : options.out;
  fmt::print("{}", show_for_people(result));
  if (!options.json.empty()) write_file(options.json, show_as_json(result));
  if (out.empty()) {
    fmt::print("\nNo picture: this user may not write to this folder; name a file by --out\n");
  } else {
    write_file(out, show_as_picture(result));
    fmt::print("\nPicture: {}\n", out);
  }
  return result.is_all_right() ? exit_right : exit_wrong;
}

}  // namespace

void add_demo(CLI::App& app, int* status) {
  CLI::App* const command = app.add_subcommand(
      "demo", "Run all programs sequentially, on one worker and on all, as threads and as forks, and check their answers");
  command->alias("run");
  auto const options = std::make_shared<demo_options>();
  command->add_option("programs", options->programs, "Only these, of those that 'weft list' shows");
  command->add_flag("--quick", options->is_quick, "Small sizes, one repetition");
  command->add_option("--dir", options->directory, "Directory whose files are hashed")->capture_default_str();
  command->add_option("--workers", options->workers, "What \"all workers\" means; 0: as many as the machine offers")
      ->check(CLI::Range(0U, most_workers))
      ->capture_default_str();
  command->add_option("--repetitions", options->repetitions, "How often each is run, unless it takes long: see --enough")
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  command
      ->add_option("--enough", options->enough_seconds,
                   "Seconds of one program in one column, after which it is not run again; 0: all repetitions are run")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--timeout", options->limit_seconds, "Seconds after which one run counts as failed")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--out", options->out,
                      "The picture; otherwise weft-demo.html in the build folder, here or among temporary files");
  command->add_option("--json", options->json, "Write all records to this file");
  command->callback([status, options] { *status = run_demo(*options); });
}

}  // namespace cli
