// weft profile: what a trace says of a program: work, span, parallelism, how busy the workers were,
// and what they were busy with.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include "analysis.hpp"
#include "cli/text.hpp"
#include "cli/usage.hpp"
#include "commands.hpp"
#include "profile_picture.hpp"
#include "program_run.hpp"

namespace cli {

namespace {

struct profile_options {
  std::vector<std::string> words;  // a trace, or a program and its arguments
  bool is_program = false;
  std::string out;
  unsigned most_names = 12;
};

// A file that goes when this does.
class temporary_file {
 public:
  temporary_file() : path_((std::filesystem::temp_directory_path() / "weft-trace-XXXXXX").string()) {
    int const descriptor = mkstemp(path_.data());
    if (descriptor < 0) throw std::system_error(errno, std::generic_category(), path_);
    close(descriptor);
  }
  ~temporary_file() { unlink(path_.c_str()); }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Returns its wait status.
int run_traced(const std::vector<std::string>& words, const std::string& path) {
  program_order order{.words = words, .environment = {{"WEFT_TRACE", path}}, .takes_error_line = {}};
  constexpr const char* size = "WEFT_TRACE_SIZE";
  // Reserved, and taken as it is used.
  if (std::getenv(size) == nullptr) order.environment.emplace_back(size, "4G");  // NOLINT(concurrency-mt-unsafe): one OS thread
  return run_followed(order);
}

trace open_trace(const std::string& path, const std::string& called) {
  std::ifstream from(path);
  if (!from) throw std::runtime_error(fmt::format("{}: cannot be read ({})", called, std::generic_category().message(errno)));
  try {
    return read_trace(from);
  } catch (const trace_error& error) {
    throw std::runtime_error(fmt::format("{} is no trace that can be read: {}", called, error.what()));
  }
}

trace trace_program(const profile_options& options, int& status) {
  temporary_file const file;
  int const end = run_traced(options.words, file.path());
  if (end != 0) {
    status = exit_wrong;
    fmt::print(stderr, "weft profile: {} {}\n", options.words[0], show_end(end));
  }
  if (std::filesystem::file_size(file.path()) == 0) {
    throw std::runtime_error(
        fmt::format("{} wrote no trace: it did not start Weft (weft_init), or was killed", options.words[0]));
  }
  return open_trace(file.path(), fmt::format("what {} wrote", options.words[0]));
}

// ---- text ----

std::string in_time(std::int64_t ns) { return show_seconds(static_cast<double>(ns) * 1e-9); }

std::string percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole)) : "-";
}

std::string show_sums(const analysis& of) {
  std::string text =
      fmt::format("work         {}\nspan         {}\nparallelism  {:.2f}\nwall time    {} on {} worker{}, busy {} of it\n",
                  in_time(of.work), in_time(of.span), of.parallelism(), in_time(of.wall), of.workers.size(),
                  of.workers.size() == 1 ? "" : "s", percent(of.work, of.wall * static_cast<std::int64_t>(of.workers.size())));
  text += fmt::format("threads      {}\n", show_count(of.threads));
  text += fmt::format("forks        {}, of which {} became threads\n", show_count(of.forks), show_count(of.forks_taken));
  text += fmt::format("thefts       {}\n", show_count(of.thefts));
  if (of.clock_error != 0) text += fmt::format("clocks       aligned, each to {} or better\n", in_time(of.clock_error));
  return text;
}

// What a rank did: it worked, stole, or looked for work.
std::string show_ranks(const analysis& of) {
  table shown({"rank", "node", "busy", "of the time", "stealing", "idle", "turns", "stolen"});
  for (const worker_use& use : of.workers) {
    std::int64_t const idle = std::max<std::int64_t>(0, of.wall - use.busy - use.stolen_for());
    shown.add({std::to_string(use.worker), use.node, in_time(use.busy), percent(use.busy, of.wall), in_time(use.stolen_for()),
               in_time(idle), show_count(use.turns), show_count(use.stolen)});
  }
  return shown.show();
}

std::string show_steals(const analysis& of) {
  if (!of.has_steals()) return "";
  table shown({"phases of steals", "count", "sum", "each", "longest"});
  for (std::size_t phase = 0; phase < steal_phases; ++phase) {
    const phase_cost& cost = of.steals[phase];
    if (cost.count == 0) continue;
    shown.add({names_of_phases[phase], show_count(cost.count), in_time(cost.sum),
               in_time(cost.sum / static_cast<std::int64_t>(cost.count)), in_time(cost.most)});
  }
  return "\n" + shown.show();
}

std::string show_workers(const analysis& of) {
  if (of.has_steals()) return show_ranks(of);
  table shown({"worker", "busy", "of the time", "turns", "stolen"});
  for (const worker_use& use : of.workers) {
    shown.add({std::to_string(use.worker), in_time(use.busy), percent(use.busy, of.wall), show_count(use.turns),
               show_count(use.stolen)});
  }
  return shown.show();
}

std::string show_names(const analysis& of, unsigned most) {
  table shown({"threads and forks named", "count", "own time", "of the work", "each", "longest, with its forks"});
  for (std::size_t index = 0; index < of.names.size() && index < most; ++index) {
    const name_cost& cost = of.names[index];
    shown.add({shorten(cost.name, 56), show_count(cost.count), in_time(cost.own), percent(cost.own, of.work),
               in_time(cost.own / static_cast<std::int64_t>(cost.count)), in_time(cost.longest)});
  }
  return shown.show();
}

// A value in the unit at the end of the note's name: "… (ns)", "… (bytes)".
std::string show_value(const std::string& name, double value) {
  if (name.ends_with(" (ns)")) return show_seconds(value * 1e-9);
  if (name.ends_with(" (bytes)")) return show_bytes(value);
  return show_count(static_cast<std::uint64_t>(std::llround(value)));
}

std::string show_notes(const analysis& of) {
  if (of.notes.empty()) return "";
  table shown({"told by libraries", "count", "sum", "each", "most"});
  for (const note_sum& note : of.notes) {
    double const count = static_cast<double>(note.count);
    shown.add({note.name, show_count(note.count), show_value(note.name, note.sum), show_value(note.name, note.sum / count),
               show_value(note.name, static_cast<double>(note.most))});
  }
  return "\n" + shown.show();
}

std::string show_gaps(const trace& from) {
  std::string text;
  if (std::uint64_t const pushed_out = from.lost - std::min(from.lost, from.lost_without_memory); pushed_out != 0) {
    text += fmt::format(
        "The trace is incomplete: its first {} records were pushed out by later ones, so work and span are those of its end. "
        "Raise WEFT_TRACE_SIZE.\n\n",
        show_count(pushed_out));
  }
  if (from.lost_without_memory != 0) {
    text += fmt::format(
        "The trace is incomplete: {} records of workers that could not have WEFT_TRACE_SIZE of memory are missing. Lower it.\n\n",
        show_count(from.lost_without_memory));
  }
  return text;
}

std::string show_text(const trace& from, const analysis& of, unsigned most_names) {
  std::string text = show_gaps(from);
  constexpr std::string_view of_dump = "not yet ";
  if (from.ended.starts_with(of_dump)) {
    text += fmt::format("The program went on after this dump {}.\n\n", from.ended.substr(of_dump.size()));
  } else if (!from.ended.empty() && from.ended != "weft_finalize") {
    text += fmt::format("The program died ({}).\n\n", from.ended);
  }
  return text + show_sums(of) + "\n" + show_workers(of) + "\n" + show_names(of, most_names) + show_steals(of) + show_notes(of);
}

// ---- the command ----

void write_picture(const profile_options& options, const analysis& of, const std::string& text) {
  std::string const title = fmt::format("{}", fmt::join(options.words, " "));
  bool const is_svg = options.out.ends_with(".svg");
  std::ofstream out(options.out);
  out << (is_svg ? draw_profile_svg(of, title) : draw_profile_page(of, title, text));
  if (!out.flush()) throw std::runtime_error(fmt::format("{}: cannot be written", options.out));
}

int run_profile(const profile_options& options) {
  if (options.words.empty()) throw usage_error("profile wants a trace that WEFT_TRACE wrote, or -- and a program to run");
  if (!options.is_program && options.words.size() > 1) {
    throw usage_error(
        fmt::format("profile takes one trace; to run a program: weft profile -- {}", fmt::join(options.words, " ")));
  }
  if (!options.out.empty() && !options.out.ends_with(".svg") && !options.out.ends_with(".html")) {
    throw usage_error(fmt::format("-o {}: a picture is .svg or .html", options.out));
  }
  int status = exit_right;
  trace const from = options.is_program ? trace_program(options, status) : open_trace(options.words[0], options.words[0]);
  analysis const found = analyse(from);
  std::string const text = show_text(from, found, options.most_names);
  fmt::print("{}", text);
  if (!options.out.empty()) write_picture(options, found, text);
  return status;
}

}  // namespace

void add_profile(CLI::App& app, int* status, bool has_dashes) {
  CLI::App* const command = app.add_subcommand(
      "profile", "Show work, span, parallelism and costs: of a trace, or of a program (weft profile -- PROGRAM ...)");
  auto const options = std::make_shared<profile_options>();
  options->is_program = has_dashes;
  command->add_option("-o,--out", options->out, "Draw a picture as well: FILE.svg or FILE.html")->type_name("FILE");
  command->add_option("--names", options->most_names, "How many names to show")
      ->check(CLI::Range(1U, 100000U))
      ->capture_default_str();
  command->add_option("words", options->words, "A trace; or, behind --, a program and its arguments")->type_name("TRACE");
  command->callback([status, options] { *status = run_profile(*options); });
}

}  // namespace cli
