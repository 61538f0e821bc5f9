// weft info: what this library and this machine are. --parsable prints key=value lines whose keys
// stay as they are.
#include <fmt/format.h>
#include <unistd.h>
#include <weft/tascell.h>
#include <weft/weft.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/text.hpp"
#include "cli/usage.hpp"
#include "commands.hpp"
#include "launch_mpi.hpp"

namespace cli {

namespace {

using facts = std::vector<std::pair<std::string, std::string>>;

facts collect() {
  facts all;
  auto const add = [](void* state, const char* key, const char* value) { static_cast<facts*>(state)->emplace_back(key, value); };
  weft_info_walk(add, &all);
  weft_tascell_info_walk(add, &all);
  for (const char* const each : {"mpich", "openmpi", "abi"}) {
    std::string library = find_mpi_library(each);
    all.emplace_back(std::string("mpi.") + each, library.empty() ? "none" : std::move(library));
  }
  return all;
}

std::string in_words(std::string key) {
  for (char& letter : key) {
    if (letter == '_') letter = ' ';
  }
  return key;
}

struct section {
  std::string_view prefix;
  std::string_view title;
};
constexpr std::array sections = {
    section{"build.", "Build"},     section{"topology.", "Topology, as seen"},
    section{"limit.", "Limits"},    section{"selftest.", "Self-tests"},
    section{"tascell.", "Tascell"}, section{"mpi.", "Libraries between programs and their MPI (weft mpi)"}};

void print_section(const facts& all, const section& which) {
  fmt::print("\n{}\n", which.title);
  for (const auto& [key, value] : all) {
    if (key.starts_with(which.prefix)) fmt::print("  {:<24} {}\n", in_words(key.substr(which.prefix.size())), value);
  }
}

std::string find(const facts& all, const std::string& key) {
  for (const auto& [each, value] : all) {
    if (each == key) return value;
  }
  return "";
}

void print_settings(const facts& all) {
  constexpr std::string_view prefix = "setting.";
  fmt::print("\nSettings in effect (environment variables, and what each may be)\n");
  for (const auto& [key, value] : all) {
    if (!key.starts_with(prefix)) continue;
    std::string const name = key.substr(prefix.size());
    std::string const variable = "variable." + name;
    fmt::print("  {:<20} {:<10} {}\n", name, value.empty() ? "-" : value, find(all, variable + ".range"));
    fmt::print("  {:<20} {:<10} {}\n", "", "", find(all, variable + ".text"));
  }
}

void print_for_people(const facts& all) {
  fmt::print("weft {}\n", find(all, "version"));
  for (const section& each : sections) print_section(all, each);
  print_settings(all);
}

void print_parsable(const facts& all) {
  for (const auto& [key, value] : all) fmt::print("{}={}\n", key, value);
}

// By `weft launch`, whose refusals are the user's answer, too.
[[noreturn]] void become_ranks(const std::string& ranks, const std::string& mpi, const std::string& mpi_arguments) {
  std::string const program = find_own_file("weft-ranks");
  if (program.empty()) throw std::runtime_error("weft-ranks is missing; it is installed in lib/weft, beside libweft-dist");
  std::vector<std::string> words{"weft", "launch", "-q", "-n", ranks};
  if (!mpi.empty()) words.insert(words.end(), {"--mpi", mpi});
  if (!mpi_arguments.empty()) words.insert(words.end(), {"--mpi-args", mpi_arguments});
  words.push_back(program);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  setenv("WEFT_LAUNCH_DESCRIBE", "on", 1);  // NOLINT(concurrency-mt-unsafe): one OS thread
  execv("/proc/self/exe", arguments.data());
  throw std::runtime_error("this command cannot be run again");
}

}  // namespace

void add_info(CLI::App& app, int* status) {
  CLI::App* const command = app.add_subcommand("info", "Show version, build, topology, limits, settings and self-tests");
  auto const is_parsable = std::make_shared<bool>(false);
  command->add_flag("--parsable", *is_parsable, "Print key=value lines");
  auto const ranks = std::make_shared<std::string>();
  auto const mpi = std::make_shared<std::string>();
  command->add_option("--ranks", *ranks, "Start so many ranks instead, and show what they reach each other by");
  command->add_option("--mpi", *mpi, "With --ranks: the launcher of an MPI that starts them");
  auto const mpi_arguments = std::make_shared<std::string>();
  command->add_option("--mpi-args", *mpi_arguments, "With --mpi: more arguments for that launcher, one word for the shell");
  command->callback([status, is_parsable, ranks, mpi, mpi_arguments] {
    if (!ranks->empty()) become_ranks(*ranks, *mpi, *mpi_arguments);
    facts const all = collect();
    *is_parsable ? print_parsable(all) : print_for_people(all);
    *status = exit_right;
  });
}

}  // namespace cli
