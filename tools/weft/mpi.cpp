// weft mpi: starts a launcher of an MPI so that its ranks have libweft-mpi between program and MPI.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/usage.hpp"
#include "commands.hpp"
#include "launch_mpi.hpp"
#include "launch_program.hpp"

namespace cli {

namespace {

namespace fs = std::filesystem;

std::string require_library(const mpi_family& mpi, const std::string& launcher) {
  std::string file = find_mpi_library(mpi.family);
  if (!file.empty()) return file;
  throw std::runtime_error(fmt::format(
      "{} starts programs of {}, and there is no libweft-mpi-{}.so beside weft; build Weft where {}'s mpicc is installed",
      launcher, mpi.name, mpi.family, mpi.name));
}

// The name of the library that programs of the standard ABI are linked with, in their string table.
constexpr std::string_view standard_name = "libmpi_abi.so";

bool names_standard_library(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::array<char, 4> head{};
  if (!in.read(head.data(), head.size()) || std::string_view(head.data(), head.size()) != "\177ELF") return false;
  std::string const text{std::istreambuf_iterator<char>(in), {}};
  return text.find(standard_name) != std::string::npos;
}

// The first word that is a program: launchers' options are not.
std::string find_rank_program(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::error_code ignored;
    if (words[i].starts_with('-') || !fs::is_regular_file(words[i], ignored)) continue;
    if (access(words[i].c_str(), X_OK) == 0) return words[i];
  }
  return "";
}

// Where the MPI has libraries of both ABIs, the program's decides.
std::string choose_abi(const mpi_family& mpi, const std::vector<std::string>& words) {
  if (!mpi.has_standard_library || !names_standard_library(find_rank_program(words))) return mpi.family;
  return "abi";
}

// The ranks get the variable, the launcher does not.
std::vector<std::string> words_that_preload(const mpi_family& mpi, const std::string& library) {
  const char* const before = std::getenv("LD_PRELOAD");  // NOLINT(concurrency-mt-unsafe): one OS thread
  std::string const value = library + (before == nullptr || *before == '\0' ? "" : std::string(":") + before);
  if (mpi.family == "openmpi") return {"-x", "LD_PRELOAD=" + value};
  return {"-genv", "LD_PRELOAD", value};
}

[[noreturn]] void become(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& each : words) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  throw std::runtime_error(fmt::format("cannot start {}: {}", words[0], std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe)
}

[[noreturn]] void start_launcher(const std::vector<std::string>& words, bool is_standard) {
  std::string const launcher = find_program(words[0]);
  const mpi_family of_launcher = find_family(launcher);
  mpi_family of_program = of_launcher;
  of_program.family = is_standard ? "abi" : choose_abi(of_launcher, words);
  std::vector<std::string> all{launcher};
  for (std::string& each : words_that_preload(of_launcher, require_library(of_program, launcher))) all.push_back(std::move(each));
  all.insert(all.end(), words.begin() + 1, words.end());
  become(all);
}

}  // namespace

void add_mpi(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "mpi", "Start an MPI program whose blocking calls let other Weft threads run: weft mpi -- mpirun -n 2 ./program");
  auto const words = std::make_shared<std::vector<std::string>>();
  command->add_option("words", *words, "The launcher of an MPI, and its words")->type_name("MPIRUN");
  auto const is_standard = std::make_shared<bool>(false);
  command->add_flag("--abi", *is_standard,
                    "Take the library for the standard ABI of MPI 5, for programs that do not name theirs, such as Python");
  command->positionals_at_end();
  command->callback([words, is_standard] {
    if (words->empty()) throw usage_error("mpi wants the launcher of an MPI and its words: weft mpi -- mpirun -n 2 ./program");
    start_launcher(*words, *is_standard);
  });
}

}  // namespace cli
