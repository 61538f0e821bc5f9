// weft list: the programs, their sizes and the runtimes that each can run on.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "cli/text.hpp"
#include "cli/usage.hpp"
#include "commands.hpp"
#include "demo.hpp"
#include "harness/runtimes.hpp"
#include "kernels/table.hpp"

namespace cli {

namespace {

std::string show_size(const bench::kernel& of) {
  return of.size_word.empty() ? "a directory" : fmt::format("{} {}", of.size_word, of.default_size);
}

// A line of figures for each program, and its title below.
std::string show_programs() {
  table programs({"program", "default size", "runtimes"});
  for (std::size_t const column : {1U, 2U}) programs.align_left(column);
  for (const bench::kernel* const each : bench::all_kernels()) {
    std::vector<std::string_view> runtimes;
    for (const bench::runtime& runtime : bench::all_runtimes()) {
      const bench::cell* const cell = bench::find_cell(runtime, *each);
      if (cell != nullptr && cell->body != nullptr) runtimes.push_back(runtime.name);
    }
    programs.add({std::string(each->name), show_size(*each), fmt::format("{}", fmt::join(runtimes, " "))});
  }
  std::istringstream lines(programs.show());
  std::string text;
  std::string line;
  for (int head = 0; head < 2 && std::getline(lines, line); ++head) text += line + "\n";
  for (const bench::kernel* const each : bench::all_kernels()) {
    std::getline(lines, line);
    text += line + "\n" + "    " + wrap(each->title, columns_for_people - 4);
  }
  return text;
}

void print_programs() {
  table runtimes({"runtime", "what it is"});
  runtimes.align_left(1);
  for (const bench::runtime& each : bench::all_runtimes()) runtimes.add({std::string(each.name), std::string(each.title)});
  fmt::print("{}\n{}", show_programs(), runtimes.show());
}

}  // namespace

void add_list(CLI::App& app, int* status) {
  CLI::App* const command = app.add_subcommand("list", "List the programs that demo and bench run");
  command->callback([status] {
    print_programs();
    *status = exit_right;
  });
}

}  // namespace cli
