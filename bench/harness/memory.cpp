#include "harness/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace bench {

namespace {

// The value of a line "Key:   123 kB", in bytes.
std::uint64_t read_kilobytes(const char* path, std::string_view key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    std::uint64_t kilobytes = 0;
    if (word == key && file >> kilobytes) return kilobytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

// The first number of a file; `otherwise` when there is none ("max", no such file).
std::uint64_t read_number(const std::string& path, std::uint64_t otherwise) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : otherwise;
}

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t left_in_group(const std::string& folder, const char* limit_file, const char* usage_file) {
  std::uint64_t const limit = read_number(folder + limit_file, no_limit);
  std::uint64_t const used = read_number(folder + usage_file, 0);
  return limit == no_limit ? no_limit : limit - std::min(limit, used);
}

// The group's path stands behind the last colon of its line: "0::/user.slice".
std::string own_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return "";
}

std::uint64_t left_in_groups() {
  std::uint64_t left = left_in_group("/sys/fs/cgroup/memory/", "memory.limit_in_bytes", "memory.usage_in_bytes");
  for (std::string group = own_group(); !group.empty(); group.resize(group.rfind('/'))) {
    left = std::min(left, left_in_group("/sys/fs/cgroup" + group + "/", "memory.max", "memory.current"));
    if (group.rfind('/') == std::string::npos) break;
  }
  return std::min(left, left_in_group("/sys/fs/cgroup/", "memory.max", "memory.current"));
}

}  // namespace

process_memory read_process_memory() {
  constexpr const char* status = "/proc/self/status";
  return {read_kilobytes(status, "VmRSS:"), read_kilobytes(status, "VmPTE:"), read_kilobytes(status, "VmHWM:")};
}

std::uint64_t machine_memory_bytes() { return read_kilobytes("/proc/meminfo", "MemTotal:"); }

std::uint64_t available_memory_bytes() {
  std::uint64_t const available = read_kilobytes("/proc/meminfo", "MemAvailable:");
  return std::min(available, left_in_groups());
}

fitted_size fit_to_memory(std::uint64_t size, std::string_view word, std::uint64_t (*bytes)(std::uint64_t size)) {
  std::uint64_t const available = available_memory_bytes();
  std::uint64_t const most = available / 4 * 3;
  if (available == 0 || bytes(size) <= most) return {size, ""};
  std::uint64_t fitting = 1;
  for (std::uint64_t too_much = size; too_much - fitting > 1;) {
    std::uint64_t const middle = fitting + (too_much - fitting) / 2;
    (bytes(middle) <= most ? fitting : too_much) = middle;
  }
  return {fitting, "scaled down from " + std::to_string(size) + " " + std::string(word) + ": " + std::to_string(available >> 20) +
                       " MiB of memory are available"};
}

}  // namespace bench
