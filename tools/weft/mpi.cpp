// weft mpi: starts a launcher of an MPI so that its ranks have libweft-mpi between program and MPI.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/usage.hpp"
#include "commands.hpp"
#include "launch_mpi.hpp"
#include "launch_program.hpp"

namespace cli {

namespace {

namespace fs = std::filesystem;

// Beside this command where it was built, or where it is installed; empty: there is none.
std::string find_library(const std::string& family) {
  std::error_code ignored;
  fs::path const own = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::string const name = "libweft-mpi-" + family + ".so";
  for (const fs::path& folder : {own / "../../faces/mpi", own / ".." / WEFT_LIBRARY_FOLDER}) {
    if (fs::is_regular_file(folder / name, ignored)) return fs::canonical(folder / name, ignored);
  }
  return "";
}

std::string require_library(const mpi_family& mpi, const std::string& launcher) {
  std::string file = find_library(mpi.family);
  if (!file.empty()) return file;
  throw std::runtime_error(fmt::format(
      "{} starts programs of {}, and there is no libweft-mpi-{}.so beside weft; build Weft where {}'s mpicc is installed",
      launcher, mpi.name, mpi.family, mpi.name));
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

[[noreturn]] void start_launcher(const std::vector<std::string>& words) {
  std::string const launcher = find_program(words[0]);
  mpi_family const mpi = find_family(launcher);
  std::vector<std::string> all{launcher};
  for (std::string& each : words_that_preload(mpi, require_library(mpi, launcher))) all.push_back(std::move(each));
  all.insert(all.end(), words.begin() + 1, words.end());
  become(all);
}

}  // namespace

void add_mpi(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "mpi", "Start an MPI program whose blocking calls let other Weft threads run: weft mpi -- mpirun -n 2 ./program");
  auto const words = std::make_shared<std::vector<std::string>>();
  command->add_option("words", *words, "The launcher of an MPI, and its words")->type_name("MPIRUN");
  command->positionals_at_end();
  command->callback([words] {
    if (words->empty()) throw usage_error("mpi wants the launcher of an MPI and its words: weft mpi -- mpirun -n 2 ./program");
    start_launcher(*words);
  });
}

}  // namespace cli
