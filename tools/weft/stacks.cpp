// weft stacks: runs a program whose threads have large stacks, and shows how much of them each
// thread function needed, and which size to choose.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/text.hpp"
#include "cli/usage.hpp"
#include "commands.hpp"
#include "program_run.hpp"

namespace cli {

namespace {

constexpr std::uint64_t kib = 1024;

struct stacks_options {
  std::vector<std::string> words;
  std::uint64_t stack = 64 * kib * kib;
};

struct need {
  std::string function;
  std::uint64_t deepest = 0;
  std::uint64_t stack = 0;  // what it had, without the runtime's own part of it
  std::uint64_t threads = 0;
};

// Of the lines that WEFT_STACK_REPORT prints (src/see/watermark.cpp).
class report_reader {
 public:
  bool take(const std::string& line) {
    static const std::regex row(R"(weft:   (.*): (\d+) of (\d+) bytes, (\d+) threads?(?:; deeper than its stack)?)");
    std::smatch parts;
    bool const is_head = line.starts_with("weft: deepest use of stacks");
    has_come_ = has_come_ || is_head;
    if (!has_come_ || is_head || !std::regex_match(line, parts, row)) return is_head;
    needs_.push_back({parts[1], std::stoull(parts[2]), std::stoull(parts[3]), std::stoull(parts[4])});
    return true;
  }
  [[nodiscard]] bool has_come() const { return has_come_; }
  [[nodiscard]] const std::vector<need>& needs() const { return needs_; }

 private:
  bool has_come_ = false;
  std::vector<need> needs_;
};

// A quarter more than was seen, and at least 8 KiB, in steps of 16 KiB.
std::uint64_t size_for(std::uint64_t deepest) {
  constexpr std::uint64_t step = 16 * kib;
  return (deepest + std::max(8 * kib, deepest / 4) + step - 1) / step * step;
}

std::string show_size(std::uint64_t bytes) { return fmt::format("{}K", bytes / kib); }

std::string show(const stacks_options& options, const std::vector<need>& needs) {
  std::string text;
  table rows({"deepest", "of", "threads", "thread function"});
  rows.align_left(3);
  std::uint64_t deepest = 0;
  bool has_own = false;
  bool is_beneath = false;
  for (const need& each : needs) {
    rows.add({fmt::format("{} B", show_count(each.deepest)), show_bytes(static_cast<double>(each.stack)),
              show_count(each.threads), each.function});
    bool const is_own = each.stack < options.stack / 2;  // its creator gave it
    has_own |= is_own;
    is_beneath |= each.deepest > each.stack;
    if (!is_own) deepest = std::max(deepest, each.deepest);
  }
  if (needs.empty()) return "No thread had a stack of its own: forks, and threads that their joiners ran, stood on others.\n";
  text = rows.show() + "\n";
  if (deepest != 0)
    text += fmt::format("WEFT_STACK_SIZE={} has room for these threads, with a quarter, and at least 8 KiB, to spare.\n",
                        show_size(size_for(deepest)));
  if (has_own) text += "Threads with a smaller stack here got it from their creator (stack_bytes), and keep it.\n";
  if (is_beneath) text += "A thread function whose deepest is more than its stack wrote beneath it: give it a larger one.\n";
  return text;
}

int run_stacks(const stacks_options& options) {
  report_reader report;
  int const end = run_followed({.words = options.words,
                                .environment = {{"WEFT_STACK_REPORT", "on"}, {"WEFT_STACK_SIZE", show_size(options.stack)}},
                                .takes_error_line = [&report](const std::string& line) { return report.take(line); }});
  if (end != 0) fmt::print(stderr, "weft stacks: {} {}\n", options.words[0], show_end(end));
  if (!report.has_come())
    throw std::runtime_error(
        fmt::format("{} told nothing of stacks: it did not start Weft (weft_init), or ended before the runtime did; if it had no "
                    "room for its "
                    "stacks, cure: a smaller --stack (now {})",
                    options.words[0], show_size(options.stack)));
  fmt::print("{}", show(options, report.needs()));
  return end == 0 ? exit_right : exit_wrong;
}

}  // namespace

void add_stacks(CLI::App& app, int* status) {
  CLI::App* const command =
      app.add_subcommand("stacks", "Run a program, and show how much stack its threads need (weft stacks -- PROGRAM ...)");
  auto const options = std::make_shared<stacks_options>();
  CLI::AsSizeValue in_bytes(false);
  in_bytes.description("");
  command->add_option("--stack", options->stack, "The stack of each thread in this run, from 16K to 1G; otherwise 64M")
      ->transform(in_bytes)
      ->check(CLI::Range(16 * kib, kib * kib * kib).description(""))
      ->type_name("SIZE");
  command->add_option("PROGRAM", options->words, "A program and its arguments, behind -- if they have options")->required();
  command->callback([status, options] { *status = run_stacks(*options); });
}

}  // namespace cli
