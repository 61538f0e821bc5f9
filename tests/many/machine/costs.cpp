#include "machine/costs.hpp"

#include <unistd.h>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace many {
namespace {

constexpr double ps_per_ns = 1000;
constexpr double most_ns = 1e12;  // a constant of more than a quarter of an hour is a mistake

struct entry {
  const char* name;
  picoseconds costs::* time;  // null: `sibling` or `own_lines`
};

constexpr entry entries[] = {
    {"access", &costs::access},
    {"call", &costs::call},
    {"sibling", nullptr},
    {"transfer", &costs::transfer},
    {"transfer_far", &costs::transfer_far},
    {"shared", &costs::shared},
    {"shared_far", &costs::shared_far},
    {"memory", &costs::memory},
    {"memory_far", &costs::memory_far},
    {"invalidate", &costs::invalidate},
    {"hold", &costs::hold},
    {"own_lines", nullptr},
    {"store_buffer", &costs::store_buffer},
    {"read_modify_write", &costs::read_modify_write},
    {"fence", &costs::fence},
    {"pause", &costs::pause},
    {"clock", &costs::clock},
    {"clock_coarse", &costs::clock_coarse},
    {"cycle_counter", &costs::cycle_counter},
    {"allocation", &costs::allocation},
    {"system_call", &costs::system_call},
    {"yield", &costs::yield},
    {"wake_call", &costs::wake_call},
    {"wake_latency", &costs::wake_latency},
    {"switch", &costs::switch_},
    {"slice", &costs::slice},
    {"timer_slack", &costs::timer_slack},
    {"thread_start", &costs::thread_start},
    {"thread_latency", &costs::thread_latency},
    {"membarrier_alone", &costs::membarrier_alone},
    {"membarrier", &costs::membarrier},
    {"membarrier_more", &costs::membarrier_more},
    {"membarrier_stop", &costs::membarrier_stop},
    {"mm_call", &costs::mm_call},
    {"page_fault", &costs::page_fault},
    {"run_ahead", &costs::run_ahead},
};
constexpr unsigned entry_count = sizeof entries / sizeof entries[0];

struct reading {
  costs* into;
  const char* where;  // a file or a variable
  bool has[entry_count] = {};
};

int find(const char* name) {
  for (unsigned i = 0; i < entry_count; ++i) {
    if (std::strcmp(entries[i].name, name) == 0) return static_cast<int>(i);
  }
  return -1;
}

// A pause, a yield or a slice that takes no time would let a loop that waits go on for ever.
bool must_be_positive(const char* name) {
  for (const char* each : {"access", "pause", "yield", "slice"}) {
    if (std::strcmp(each, name) == 0) return true;
  }
  return false;
}

double number_of(const reading& from, const char* name, const char* text) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !std::isfinite(value))
    refuse("%s: '%s' is '%s', and must be a number", from.where, name, text);
  if (value < 0) refuse("%s: '%s' is %s, and no cost can be negative", from.where, name, text);
  if (value > most_ns) refuse("%s: '%s' is %s, and must be %g at most", from.where, name, text, most_ns);
  if (value == 0 && must_be_positive(name)) refuse("%s: '%s' is 0, and must be more: time would stand still", from.where, name);
  return value;
}

void set(reading* from, const char* name, const char* text) {
  const int place = find(name);
  if (place < 0) refuse("%s: there is no cost '%s'; tests/many/costs/xeon.costs names all", from->where, name);
  const double value = number_of(*from, name, text);
  from->has[place] = true;
  if (entries[place].time != nullptr) {
    from->into->*entries[place].time = static_cast<picoseconds>(value * ps_per_ns);
  } else if (std::strcmp(name, "sibling") == 0) {
    if (value < 1) refuse("%s: 'sibling' is %s, and must be at least 1: it is a factor", from->where, text);
    from->into->sibling = value;
  } else {
    from->into->own_lines = static_cast<std::uint32_t>(value);
    const std::uint32_t lines = from->into->own_lines;
    if (lines != value || lines == 0 || (lines & (lines - 1)) != 0 || lines > (1U << 24)) {
      refuse("%s: 'own_lines' is %s, and must be a power of two up to 16777216", from->where, text);
    }
  }
}

void read_line(reading* from, char* line, int number) {
  if (char* comment = std::strchr(line, '#'); comment != nullptr) *comment = '\0';
  char name[64];
  char value[64];
  char more[2];
  const int words = std::sscanf(line, "%63s %63s %1s", name, value, more);
  if (words <= 0) return;
  if (words != 2) refuse("%s:%d: a line must be 'name value', with a comment behind '#' if you like", from->where, number);
  if (const int place = find(name); place >= 0 && from->has[place])
    refuse("%s:%d: '%s' is given twice", from->where, number, name);
  set(from, name, value);
}

void change(costs* into, const char* changes) {
  reading from{into, "MANY_COST"};
  char text[2048];
  if (std::strlen(changes) >= sizeof text) refuse("MANY_COST is longer than %zu characters; use a file", sizeof text - 1);
  std::strcpy(text, changes);
  char* rest = text;
  for (char* one = strtok_r(rest, ",", &rest); one != nullptr; one = strtok_r(nullptr, ",", &rest)) {
    char* equals = std::strchr(one, '=');
    if (equals == nullptr) refuse("MANY_COST: '%s' must be name=value", one);
    *equals = '\0';
    set(&from, one, equals + 1);
  }
}

}  // namespace

costs read_costs(const char* path, const char* changes) {
  costs all{};
  reading from{&all, path};
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) refuse("the file of costs %s cannot be read: %m; MANY_COSTS names it", path);
  char line[512];
  for (int number = 1; std::fgets(line, sizeof line, file) != nullptr; ++number) read_line(&from, line, number);
  std::fclose(file);
  for (unsigned i = 0; i < entry_count; ++i) {
    if (!from.has[i])
      refuse("%s: '%s' is missing: add a line '%s NANOSECONDS', as in tests/many/costs/xeon.costs", path, entries[i].name,
             entries[i].name);
  }
  if (changes != nullptr) change(&all, changes);
  return all;
}

void refuse(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::fputs("many: ", stderr);
  std::vfprintf(stderr, format, arguments);
  std::fputc('\n', stderr);
  va_end(arguments);
  _exit(2);
}

}  // namespace many
