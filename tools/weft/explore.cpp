// weft explore: runs a program under many schedules until one of them makes it fail, shrinks that
// schedule, and says how to repeat it.
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "child.hpp"
#include "cli/usage.hpp"
#include "commands.hpp"
#include "progress.hpp"
#include "shrink.hpp"

namespace cli {

namespace {

namespace fs = std::filesystem;

// docs/guide/replay.md; src/seeded/schedule.hpp
constexpr int exit_deadlock = 86;

constexpr std::chrono::seconds longest_shrinking{60};  // a hang takes its whole time limit in each run

constexpr unsigned depth = 3;  // of priorities: few bugs need more things in an order

struct explore_options {
  std::vector<std::string> program;
  unsigned runs = 1000;
  std::uint64_t first_seed = 1;
  double limit_seconds = 10;
  unsigned most_shrinking_runs = 500;
  std::string out = "weft-explore.schedule";
};

class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (fs::absolute(fs::temp_directory_path()) / "weft-explore-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// ---- records (src/seeded/schedule_trace.hpp) ----

struct record {
  schedule_lines lines;
  std::uint64_t choices = 0;  // also the usual ones; of those runs that came to their end
};

record read_record(const std::string& path) {
  record result;
  std::string run;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("run ")) run = line;
    if (line.starts_with("end ")) result.choices += std::stoull(line.substr(4));
    if (!line.empty() && line.front() >= '0' && line.front() <= '9') result.lines.push_back({run, line});
  }
  return result;
}

void write_record(const std::string& path, const schedule_lines& lines) {
  std::ofstream out(path);
  out << "weft schedule 1\n";
  std::string run;
  for (const recorded_choice& each : lines) {
    if (each.run != run) out << each.run << '\n';
    run = each.run;
    out << each.line << '\n';
  }
  if (!out.flush()) throw std::runtime_error(fmt::format("{}: cannot be written", path));
}

// ---- runs ----

bool has_failed(const child_result& run) { return run.is_timed_out || run.signal != 0 || run.exit_status != 0; }

// weft_init found no use for it (a file that is not there, another number of workers), so that what
// followed was not under it.
bool is_refused(const child_result& run) { return run.errors.find("weft: error: WEFT_SCHEDULE") != std::string::npos; }

bool fails_alike(const child_result& one, const child_result& other) {
  return !is_refused(one) && one.is_timed_out == other.is_timed_out && one.signal == other.signal &&
         one.exit_status == other.exit_status;
}

std::string describe(const child_result& run, double limit_seconds) {
  if (run.exit_status == exit_deadlock) return fmt::format("exit status {}: a deadlock", exit_deadlock);
  return run.failure(limit_seconds);
}

std::string quoted(const std::string& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string result = "'";
  for (char const letter : word) result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return result + "'";
}

bool has_comma(const std::string& path) { return path.find(',') != std::string::npos; }

struct failure {
  std::string schedule;
  child_result run;
};

class explorer {
 public:
  explicit explorer(const explore_options& options) : options_(options) {}

  int run();

 private:
  child_result run_under(const std::string& schedule);
  std::uint64_t measure();
  std::string schedule_of(unsigned attempt, std::uint64_t length) const;
  std::optional<failure> find();
  void tell(const failure& found);
  std::optional<std::string> name_that_repeats(const failure& found);
  std::optional<std::string> shrink_and_keep(const failure& found);
  std::string command(const std::string& schedule) const;

  const explore_options& options_;
  scratch_folder scratch_;
  std::function<void(double)> tick_ = [](double) {};
};

child_result explorer::run_under(const std::string& schedule) {
  child_order const order{options_.program.front(), options_.program, {{"WEFT_SCHEDULE", schedule}}};
  return run_child(order, options_.limit_seconds, tick_);
}

std::string explorer::command(const std::string& schedule) const {
  std::string line = "WEFT_SCHEDULE=" + quoted(schedule);
  for (const std::string& word : options_.program) line += " " + quoted(word);
  return line;
}

// A run in which each choice is the usual one: it must use Weft. How many choices it has.
std::uint64_t explorer::measure() {
  std::string const file = scratch_.file("usual");
  child_result const run = run_under("record:" + file);
  if (run.exit_status == exit_not_started) throw usage_error(run.errors.substr(0, run.errors.find('\n')));
  if (!fs::exists(file)) {
    throw usage_error(fmt::format("{} has not started Weft, so there is nothing to explore{}", options_.program.front(),
                                  run.errors.empty() ? "" : ":\n" + run.errors));
  }
  return std::max<std::uint64_t>(read_record(file).choices, 10);
}

// At random, by priorities and by samples of orders in turn; the first one is the usual schedule.
std::string explorer::schedule_of(unsigned attempt, std::uint64_t length) const {
  if (attempt == 0) return "record:" + scratch_.file("first");
  constexpr unsigned kinds = 3;
  std::uint64_t const seed = options_.first_seed + (attempt - 1) / kinds;
  switch ((attempt - 1) % kinds) {
    case 0: return fmt::format("seed:{}", seed);
    case 1: return fmt::format("seed:{},pct:{},length:{}", seed, depth, length);
    default: return fmt::format("seed:{},sample:pos", seed);
  }
}

std::optional<failure> explorer::find() {
  std::uint64_t const length = measure();
  progress shown(options_.runs);
  tick_ = [&](double seconds) { shown.tick(seconds); };
  std::optional<failure> found;
  for (unsigned attempt = 0; attempt < options_.runs && !found.has_value(); ++attempt) {
    std::string const schedule = schedule_of(attempt, length);
    if (isatty(STDERR_FILENO) != 0) shown.begin(attempt == 0 ? "the usual schedule" : schedule);
    child_result run = run_under(schedule);
    if (has_failed(run)) found = failure{schedule, std::move(run)};
  }
  tick_ = [](double) {};
  return found;
}

void explorer::tell(const failure& found) {
  bool const is_usual = found.schedule.starts_with("record:");
  fmt::print("{} fails: {}\n", is_usual ? "the usual schedule" : found.schedule, describe(found.run, options_.limit_seconds));
  fmt::print("{}{}", found.run.output, found.run.errors);
}

// The name under which the program finds what we wrote, which may go to another folder first. None:
// the failure does not come again.
std::optional<std::string> explorer::name_that_repeats(const failure& found) {
  std::string const whole = fs::absolute(options_.out).string();
  for (std::string const& name : {options_.out, has_comma(whole) ? options_.out : whole}) {
    if (fails_alike(run_under("replay:" + name), found.run)) return name;
  }
  return std::nullopt;
}

// The name of what is kept. None: the failure does not come again under the same schedule.
std::optional<std::string> explorer::shrink_and_keep(const failure& found) {
  std::string const whole = scratch_.file("whole");
  std::string const tried = scratch_.file("tried");
  std::string const chosen = scratch_.file("chosen");
  bool const is_usual = found.schedule.starts_with("record:");
  if (!fails_alike(run_under(is_usual ? "record:" + whole : found.schedule + ",record:" + whole), found.run)) {
    return std::nullopt;
  }
  unsigned left = options_.most_shrinking_runs;
  auto const fails = [&](const schedule_lines& lines) -> std::optional<schedule_lines> {
    --left;
    write_record(tried, lines);
    fs::remove(chosen);  // a runtime that is refused writes none
    if (!fails_alike(run_under(fmt::format("near:{},record:{}", tried, chosen)), found.run) || !fs::exists(chosen))
      return std::nullopt;
    return read_record(chosen).lines;
  };
  schedule_lines const before = read_record(whole).lines;
  auto const end = std::chrono::steady_clock::now() + longest_shrinking;
  schedule_lines const after = shrink(before, fails, [&] { return left != 0 && std::chrono::steady_clock::now() < end; });
  write_record(options_.out, after);
  fmt::print("{} choices differ from the usual ones; {} do after shrinking ({})\n", before.size(), after.size(), options_.out);
  for (const recorded_choice& each : after) fmt::print("  {}\n", each.line);
  return name_that_repeats(found);
}

int explorer::run() {
  std::optional<failure> const found = find();
  if (!found.has_value()) {
    fmt::print("{} schedules, and none made it fail\n", options_.runs);
    return exit_right;
  }
  tell(*found);
  std::optional<std::string> const kept = shrink_and_keep(*found);
  if (!kept.has_value()) {
    fmt::print("but not when it is repeated: something besides the schedule decides (time of day, input, other OS threads)\n");
    return exit_wrong;
  }
  fmt::print("to repeat it:\n  {}\n", command("replay:" + *kept));
  if (!found->schedule.starts_with("record:")) fmt::print("or, before shrinking:\n  {}\n", command(found->schedule));
  return exit_wrong;
}

void check(const explore_options& options) {
  if (!has_comma(options.out)) return;
  throw usage_error(fmt::format("--out {}: a comma separates the words of WEFT_SCHEDULE", options.out));
}

}  // namespace

void add_explore(CLI::App& app, int* status) {
  CLI::App* const command = app.add_subcommand(
      "explore", "Run a program under many schedules until one makes it fail: weft explore -- PROGRAM [ARGUMENT...]");
  auto const options = std::make_shared<explore_options>();
  command->add_option("program", options->program, "The program and its arguments, behind --")->required();
  command->add_option("--runs", options->runs, "How many schedules are tried")
      ->check(CLI::Range(1U, 100'000'000U))
      ->capture_default_str();
  command->add_option("--seed", options->first_seed, "The first seed")->capture_default_str();
  command->add_option("--limit", options->limit_seconds, "Seconds after which a run counts as failed")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command->add_option("--shrink", options->most_shrinking_runs, "The most runs that shrinking takes; 0: none")
      ->capture_default_str();
  command->add_option("--out", options->out, "Where the failing schedule is written")->capture_default_str();
  command->callback([status, options] {
    check(*options);
    *status = explorer(*options).run();
  });
}

}  // namespace cli
