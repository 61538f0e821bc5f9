// See launch_program.hpp.
#include "launch_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "elf_notes.hpp"
#include "loaded_libraries.hpp"

namespace cli {

namespace {

namespace fs = std::filesystem;

bool is_runnable(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

std::string why_not(const std::string& word) {
  std::error_code ignored;
  if (!fs::exists(word, ignored)) return fmt::format("there is no file {}", word);
  if (fs::is_directory(word, ignored)) return fmt::format("{} is a folder, not a program", word);
  return fmt::format("{} may not be executed; chmod +x it if it is a program", word);
}

}  // namespace

std::string find_program(const std::string& word) {
  if (word.find('/') != std::string::npos) {
    if (!is_runnable(word)) throw std::runtime_error(why_not(word));
    return word;
  }
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): one OS thread
  std::istringstream folders(path != nullptr ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path const file = fs::path(folder.empty() ? "." : folder) / word;
    if (is_runnable(file)) return file;
  }
  bool const is_here = is_runnable(word);
  throw std::runtime_error(fmt::format("there is no program {} in the folders of PATH{}", word,
                                       is_here ? fmt::format("; for the one in this folder write ./{}", word) : ""));
}

void require_ranks(const std::string& file, bool is_by_mpi) {
  elf_facts program = read_elf(file);
  if (!program.is_elf) {
    throw std::runtime_error(
        fmt::format("{} is no program that starts ranks by itself; if it is a script, write weft launch into it, before the "
                    "program that it runs",
                    file));
  }
  if (!program.starts_ranks && !program.loader.empty()) {
    for (const std::string& library : find_libraries(file, program.loader).files) {
      elf_facts const its = read_elf(library);
      program.starts_ranks |= its.starts_ranks;
      program.is_a_node |= its.is_a_node;
    }
  }
  if (program.starts_ranks || (program.is_a_node && is_by_mpi)) return;
  if (program.is_a_node) {
    throw std::runtime_error(
        fmt::format("{} runs on several nodes by way of a server (--server), or by an MPI (weft launch --mpi MPIRUN); without "
                    "either, start it as it is",
                    file));
  }
  throw std::runtime_error(fmt::format(
      "{} does not stand on libweft-dist, so it would not start ranks; link it with weft-dist (pkg-config weft-dist, or "
      "weft::dist in CMake) instead of weft",
      file));
}

}  // namespace cli
