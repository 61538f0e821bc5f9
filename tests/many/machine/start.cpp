// The beginning of a program on the machine, before its own constructors: reads the settings, and
// starts the program anew without randomized addresses and with an environment whose length is
// always the same, so that each run has the same addresses. The layout moves the stack.
#include <elf.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "machine/memory.hpp"
#include "machine/raw.hpp"
#include "machine/report.hpp"
#include "many.h"

extern char** environ;

namespace many {
namespace {

constexpr const char* padding = "MANY_PADDING=";
constexpr std::size_t environment_bytes = 16384;
constexpr unsigned long has_fsgsbase = 2;  // of AT_HWCAP2

bool begins_with(const char* text, const char* with) { return std::strncmp(text, with, std::strlen(with)) == 0; }

std::uint64_t number_in(const char* name, std::uint64_t least, std::uint64_t most, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text, &end, 10);
  const bool is_number = end != text && *end == '\0' && errno == 0 && *text != '-';
  if (!is_number || value < least || value > most) {
    refuse("%s is '%s', and must be a whole number from %llu to %llu", name, text, static_cast<unsigned long long>(least),
           static_cast<unsigned long long>(most));
  }
  return value;
}

// "2": sockets of the same size, the first ones larger by one if need be; "40,24": the CPUs of each.
void read_sockets() {
  const char* const text = std::getenv("MANY_SOCKETS");
  const bool is_list = text != nullptr && std::strchr(text, ',') != nullptr;
  if (!is_list) {
    set.socket_count = static_cast<unsigned>(number_in("MANY_SOCKETS", 1, set.cpu_count, 1));
    for (unsigned i = 0; i < set.socket_count; ++i) {
      set.socket_cpus[i] = set.cpu_count / set.socket_count + (i < set.cpu_count % set.socket_count);
    }
    return;
  }
  unsigned sum = 0;
  const char* at = text;
  for (;;) {
    char* end = nullptr;
    const long cpus_here = std::strtol(at, &end, 10);
    if (end == at || cpus_here < 1 || cpus_here > static_cast<long>(most_cpus) || (*end != ',' && *end != '\0') ||
        set.socket_count == most_cpus) {
      refuse("MANY_SOCKETS is '%s', and must be a number of sockets, or the CPUs of each, such as 40,24", text);
    }
    set.socket_cpus[set.socket_count++] = static_cast<unsigned>(cpus_here);
    sum += static_cast<unsigned>(cpus_here);
    if (*end == '\0') break;
    at = end + 1;
  }
  if (sum != set.cpu_count) refuse("MANY_SOCKETS is '%s', %u CPUs in all, and MANY_CPUS is %u", text, sum, set.cpu_count);
}

void read_settings() {
  set.cpu_count = static_cast<unsigned>(number_in("MANY_CPUS", 1, most_cpus, 4));
  read_sockets();
  set.threads_a_core = static_cast<unsigned>(number_in("MANY_SMT", 1, 2, 1));
  set.neighbours = static_cast<unsigned>(number_in("MANY_NEIGHBOURS", 0, most_cpus, 0));
  set.layout = number_in("MANY_LAYOUT", 0, 1'000'000'000, 0);
  set.limit = number_in("MANY_LIMIT_MS", 1, 1'000'000, 60'000) * 1'000'000'000;
  set.report = std::getenv("MANY_REPORT");
  set.has_picture = number_in("MANY_PICTURE", 0, 1, 0) != 0;
  const char* const file = std::getenv("MANY_COSTS");
  if (file == nullptr) refuse("MANY_COSTS must name a file of costs, such as tests/many/costs/xeon.costs");
  cost = read_costs(file, std::getenv("MANY_COST"));
}

// The program's arguments and what of its environment it keeps, filled up to a length that depends
// on the layout alone.
void start_anew(char** arguments) {
  std::vector<std::string> kept;
  std::size_t bytes = 0;
  for (char** each = environ; *each != nullptr; ++each) {
    if (!begins_with(*each, padding) && (begins_with(*each, "MANY_") || begins_with(*each, "WEFT_"))) kept.emplace_back(*each);
  }
  for (const std::string& each : kept) bytes += each.size() + 1 + sizeof(char*);
  for (char** each = arguments; *each != nullptr; ++each) bytes += std::strlen(*each) + 1 + sizeof(char*);
  if (bytes > environment_bytes)
    refuse("arguments and MANY_ and WEFT_ variables have %zu bytes, more than %zu", bytes, environment_bytes);
  const std::size_t shift = layout_number(0) % 256 * 16;
  kept.push_back(padding + std::string(environment_bytes + shift - bytes, 'x'));
  std::vector<char*> words;
  for (std::string& each : kept) words.push_back(each.data());
  words.push_back(nullptr);
  execve("/proc/self/exe", arguments, words.data());
  refuse("the program cannot be started anew: %m");
}

bool has_started_anew() { return std::getenv("MANY_PADDING") != nullptr; }

[[gnu::constructor(101)]] void begin(int, char** arguments, char**) {
  if ((getauxval(AT_HWCAP2) & has_fsgsbase) == 0)
    refuse("this processor or kernel has no FSGSBASE, which switches need (x86-64, Linux 5.9)");
  read_settings();
  if (!has_started_anew()) {
    const int now = personality(0xffffffff);
    if (personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) == -1) {
      std::fputs("many: addresses stay randomized here, so that runs differ: personality(ADDR_NO_RANDOMIZE) is refused\n",
                 stderr);
    }
    start_anew(arguments);
  }
  start_cpus();
  start_memory();
  threads[0].handle = pthread_self();
  asm volatile("rdfsbase %0" : "=r"(threads[0].thread_pointer));
  start_report();
  is_on = true;
}

[[gnu::destructor(101)]] void end() { write_report(); }

}  // namespace
}  // namespace many
