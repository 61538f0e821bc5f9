// See launch_mpi.hpp.
#include "launch_mpi.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "child.hpp"
#include "launch_program.hpp"

namespace cli {

namespace {

namespace fs = std::filesystem;

constexpr double version_seconds = 30;

struct family {
  std::string_view said;    // in what the launcher says of its version
  std::string_view name;    // for people
  std::string_view module;  // a file
  bool has_standard_abi;    // in the library libmpi_abi.so.1, from some version on
};
// Intel's and others that are made of MPICH have its ABI.
constexpr std::array families = {
    family{"HYDRA", "MPICH", "libweft-net-mpich.so", true}, family{"Open MPI", "Open MPI", "libweft-net-openmpi.so", false},
    family{"OpenRTE", "Open MPI", "libweft-net-openmpi.so", false}, family{"PRRTE", "Open MPI", "libweft-net-openmpi.so", false},
    family{"Intel(R) MPI", "Intel MPI", "libweft-net-mpich.so", false}};
constexpr const char* standard_module = "libweft-net-mpi_abi.so";

std::string modules_here() {
  std::string names;
  for (const char* const each : {"libweft-net-mpich.so", "libweft-net-openmpi.so", standard_module, "libweft-net-mpi.so"}) {
    if (find_own_file(each).empty()) continue;
    names += (names.empty() ? "" : ", ") + std::string(each);
  }
  return names.empty() ? "none" : names;
}

const family& family_of(const std::string& launcher, const char* cure) {
  child_order const order{.file = launcher, .words = {launcher, "--version"}, .environment = {}};
  child_result const said = run_child(order, version_seconds, [](double) {});
  for (const family& each : families) {
    if (said.output.find(each.said) != std::string::npos) return each;
  }
  throw std::runtime_error(
      fmt::format("{} is no launcher of an MPI that weft knows (mpirun or mpiexec of MPICH or Open MPI); {}", launcher, cure));
}

// The library of the standard ABI that was installed with the launcher; empty: there is none.
std::string standard_library(const family& mpi, const std::string& launcher) {
  std::error_code ignored;
  fs::path const folder = fs::canonical(launcher, ignored).parent_path();
  if (!mpi.has_standard_abi || folder.empty()) return "";
  for (const char* const each : {"lib", "lib64"}) {
    fs::path const file = folder.parent_path() / each / "libmpi_abi.so.1";
    if (fs::exists(file, ignored)) return file;
  }
  return "";
}

// The module of the standard ABI runs over the very library of the launcher; one of an MPI, over the
// library that it was built with.
void choose_module(const family& mpi, mpi_launch* found) {
  found->library = standard_library(mpi, found->launcher);
  if (!found->library.empty()) found->module = find_own_file(standard_module);
  if (!found->module.empty()) return;
  found->library.clear();
  found->module = find_own_file(std::string(mpi.module));
  if (!found->module.empty()) return;
  throw std::runtime_error(
      fmt::format("{} starts programs of {}, and there is no {} beside weft (modules here: {}); build Weft where {}'s mpicc is "
                  "installed, or give the launcher of another MPI",
                  found->launcher, mpi.name, mpi.module, modules_here(), mpi.name));
}

// As mpirun's own options have it. MPICH's passes the environment on by itself.
std::vector<std::string> words_of(const family& mpi, const std::string& launcher, const std::string& ranks) {
  std::vector<std::string> words{launcher, "-n", ranks};
  if (mpi.name != "Open MPI") return words;
  for (char** each = environ; *each != nullptr; ++each) {
    std::string_view const entry = *each;
    if (entry.starts_with("WEFT_")) words.insert(words.end(), {"-x", std::string(entry.substr(0, entry.find('=')))});
  }
  words.emplace_back("--oversubscribe");
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  return words;
}

}  // namespace

std::string find_own_file(const std::string& name) {
  std::error_code ignored;
  fs::path const own = fs::read_symlink("/proc/self/exe", ignored);
  for (const fs::path& folder :
       {own.parent_path() / "../../net/mpi", own.parent_path(), own.parent_path() / ".." / WEFT_LIBRARY_FOLDER / "weft"}) {
    fs::path const file = folder / name;
    if (fs::is_regular_file(file, ignored)) return fs::canonical(file, ignored);
  }
  return "";
}

std::string find_mpi_library(const std::string& family) {
  std::error_code ignored;
  fs::path const own = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::string const name = "libweft-mpi-" + family + ".so";
  for (const fs::path& folder : {own / "../../faces/mpi", own / ".." / WEFT_LIBRARY_FOLDER}) {
    if (fs::is_regular_file(folder / name, ignored)) return fs::canonical(folder / name, ignored);
  }
  return "";
}

mpi_family find_family(const std::string& launcher) {
  const family& mpi =
      family_of(launcher, "start the program by your launcher, and have it set LD_PRELOAD to libweft-mpi in each rank");
  return {std::string(mpi.name), mpi.name == "Open MPI" ? "openmpi" : "mpich", !standard_library(mpi, launcher).empty()};
}

mpi_launch find_mpi(const std::string& word, const std::string& ranks, const std::string& arguments) {
  mpi_launch found;
  found.launcher = find_program(word);
  const family& mpi = family_of(found.launcher, "set WEFT_LAUNCH_MPI to a module and start the program by your launcher");
  choose_module(mpi, &found);
  found.words = words_of(mpi, found.launcher, ranks);
  std::istringstream more(arguments);
  for (std::string each; more >> each;) found.words.push_back(each);
  return found;
}

}  // namespace cli
