#include "harness/machine.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "harness/memory.hpp"

namespace bench {

namespace {

std::string after_colon(const std::string& line) {
  std::size_t const colon = line.find(':');
  std::size_t const begin = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
  return begin == std::string::npos ? "" : line.substr(begin);
}

// arm64 kernels give no name; the architecture then has to do.
std::string read_processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name") || line.starts_with("Model")) return after_colon(line);
  }
  return "";
}

unsigned count_usable() {
  constexpr std::size_t most = 8192;
  std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> const mask(CPU_ALLOC(most), [](cpu_set_t* set) { CPU_FREE(set); });
  std::size_t const bytes = CPU_ALLOC_SIZE(most);
  if (mask == nullptr || sched_getaffinity(0, bytes, mask.get()) != 0) return 0;
  return static_cast<unsigned>(CPU_COUNT_S(bytes, mask.get()));
}

std::string name_compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

}  // namespace

machine read_machine() {
  utsname names{};
  uname(&names);
  auto const online = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
  std::string const system = std::string(names.sysname) + " " + names.release;
  return {read_processor(),       names.machine, online,          count_usable(),
          machine_memory_bytes(), system,        name_compiler(), WEFT_COMPILER_FLAGS};
}

}  // namespace bench
