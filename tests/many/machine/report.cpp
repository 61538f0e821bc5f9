// See report.hpp.
#include "machine/report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "machine/memory.hpp"
#include "machine/picture.hpp"
#include "machine/raw.hpp"
#include "many.h"

namespace many {
namespace {

constexpr const char* cause_names[] = {"code",       "work",       "load",    "drain",       "store buffer", "locked",
                                       "fence",      "pause",      "clock",   "system call", "futex",        "mm call",
                                       "page fault", "membarrier", "stopped", "switch",      "neighbour"};
static_assert(sizeof cause_names / sizeof cause_names[0] == cause_count);
constexpr std::size_t most_places = 200;

struct range {
  const void* begin;
  std::uint64_t bytes;
  const char* name;
};
struct told {
  const char* name;
  double value;
};
std::vector<range>* ranges;
std::vector<told>* numbers;
picoseconds began, ended;
picoseconds spent_before[most_cpus][cause_count];
totals total_before, total_after;
std::uint64_t own_time_began;
picoseconds spent_after[most_cpus][cause_count];
bool has_ended = false, is_written = false;

double ns(picoseconds time) { return static_cast<double>(time) / 1000; }
double us(picoseconds time) { return static_cast<double>(time) / 1e6; }

template <class Entry>
std::vector<Entry> costliest(const Entry* first, const Entry* last) {
  std::vector<Entry> found;
  for (const Entry* each = first; each != last; ++each) {
    if (each->count != 0) found.push_back(*each);
  }
  std::stable_sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) { return a.time > b.time; });
  if (found.size() > most_places) found.resize(most_places);
  return found;
}

void write_places(std::FILE* file, const char* name, const place_statistics* table) {
  std::fprintf(file, ",\n\"%s\": [", name);
  const char* comma = "";
  for (const place_statistics& each : costliest(table, table + place_slots)) {
    std::fprintf(file, "%s\n  [%lu, %lu, %.3f]", comma, reinterpret_cast<unsigned long>(each.place), each.count, ns(each.time));
    comma = ",";
  }
  std::fputs("]", file);
}

// The names of what lies on a line, separated by commas.
void write_name(std::FILE* file, const void* line) {
  constexpr std::uintptr_t line_bytes = 64;
  const char* comma = "";
  for (const range& each : *ranges) {
    const auto at = reinterpret_cast<std::uintptr_t>(line);
    const auto begin = reinterpret_cast<std::uintptr_t>(each.begin);
    if (at + line_bytes <= begin || at >= begin + each.bytes) continue;
    std::fprintf(file, "%s%s", comma, each.name);
    comma = ", ";
  }
}

void write_lines(std::FILE* file) {
  std::fputs(",\n\"lines\": [", file);
  const char* comma = "";
  for (const line_statistics& each :
       costliest(transfers_by_line->data(), transfers_by_line->data() + transfers_by_line->size())) {
    std::fprintf(file, "%s\n  {\"address\": %lu, \"name\": \"", comma, reinterpret_cast<unsigned long>(each.address));
    write_name(file, each.address);
    std::fprintf(file, "\", \"count\": %lu, \"ns\": %.3f, \"places\": [", each.count, ns(each.time));
    comma = "";
    for (const place_statistics& place : each.places) {
      if (place.place == nullptr) continue;
      std::fprintf(file, "%s[%lu, %lu, %.3f]", comma, reinterpret_cast<unsigned long>(place.place), place.count, ns(place.time));
      comma = ", ";
    }
    std::fputs("]}", file);
    comma = ",";
  }
  std::fputs("]", file);
}

void write_cpus(std::FILE* file) {
  std::fputs(",\n\"causes\": [", file);
  for (unsigned why = 0; why < cause_count; ++why) std::fprintf(file, "%s\"%s\"", why > 0 ? ", " : "", cause_names[why]);
  std::fputs("],\n\"cpus\": [", file);
  for (unsigned i = 0; i < set.cpu_count; ++i) {
    std::fprintf(file, "%s\n  {\"socket\": %u, \"core\": %u, \"us\": [", i > 0 ? "," : "", cpus[i].socket, cpus[i].core);
    for (unsigned why = 0; why < cause_count; ++why) {
      std::fprintf(file, "%s%.3f", why > 0 ? ", " : "", us(spent_after[i][why] - spent_before[i][why]));
    }
    std::fputs("]}", file);
  }
  std::fputs("]", file);
}

void write_picture(std::FILE* file) {
  if (!set.has_picture) return;
  const unsigned columns = static_cast<unsigned>(std::min<picoseconds>(picture_columns, (ended - began) / column_width() + 1));
  std::fprintf(file, ",\n\"column_us\": %.6f,\n\"picture\": [", us(column_width()));
  for (unsigned i = 0; i < set.cpu_count; ++i) {
    std::fprintf(file, "%s\n  [", i > 0 ? "," : "");
    for (unsigned column = 0; column < columns; ++column) {
      std::fprintf(file, "%s[", column > 0 ? "," : "");
      for (unsigned why = 0; why < cause_count; ++why)
        std::fprintf(file, "%s%.3f", why > 0 ? "," : "", us(spent_in_column(i, column, why)));
      std::fputs("]", file);
    }
    std::fputs("]", file);
  }
  std::fputs("]", file);
}

void write_totals(std::FILE* file) {
  const totals& a = total_before;
  const totals& b = total_after;
  std::fprintf(
      file,
      "\"us\": %.6f, \"real_ms\": %.3f,\n\"switches\": %lu, \"heavy_fences\": %lu, \"mm_calls\": %lu, \"page_faults\": %lu, "
      "\"futex_waits\": %lu, \"futex_wakes\": %lu, \"thread_switches\": %lu, \"transfers\": %lu, \"threads\": %u",
      us(ended - began), static_cast<double>(own_time_ns() - own_time_began) / 1e6, b.switches - a.switches,
      b.heavy_fences - a.heavy_fences, b.mm_calls - a.mm_calls, b.page_faults - a.page_faults, b.futex_waits - a.futex_waits,
      b.futex_wakes - a.futex_wakes, b.thread_switches - a.thread_switches, b.transfers - a.transfers, thread_count);
  std::uint64_t accesses = 0;
  for (unsigned i = 0; i < set.cpu_count; ++i) accesses += cpus[i].accesses;
  std::fprintf(file, ", \"accesses\": %lu", accesses);
}

}  // namespace

void start_report() {
  ranges = new std::vector<range>;
  numbers = new std::vector<told>;
  began = current->clock;
  own_time_began = own_time_ns();
  begin_picture(began);
}

void write_report() {
  if (is_written || numbers == nullptr) return;
  many_end();
  is_written = true;
  is_on = false;
  if (set.report == nullptr || *set.report == '\0') return;
  std::FILE* const file = std::fopen(set.report, "w");
  if (file == nullptr) refuse("the report %s cannot be written: %m", set.report);
  std::fprintf(file, "{\"cpu_count\": %u, \"sockets\": %u, \"threads_a_core\": %u, \"layout\": %lu,\n", set.cpu_count,
               set.socket_count, set.threads_a_core, set.layout);
  write_totals(file);
  std::fputs(",\n\"told\": {", file);
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    std::fprintf(file, "%s\"%s\": %.17g", i > 0 ? ", " : "", (*numbers)[i].name, (*numbers)[i].value);
  }
  std::fputs("}", file);
  write_cpus(file);
  write_places(file, "transfers_by_place", transfers_by_place);
  write_places(file, "fences_by_place", fences_by_place);
  write_lines(file);
  write_picture(file);
  std::fputs("}\n", file);
  std::fclose(file);
}

}  // namespace many

using namespace many;

extern "C" {

void many_name(const void* memory, std::uint64_t bytes, const char* name) {
  is_on = false;
  ranges->push_back({memory, bytes, name});
  is_on = true;
}
void many_tell(const char* name, double value) {
  const bool was_on = is_on;
  is_on = false;
  numbers->push_back({name, value});
  is_on = was_on;
}
void many_begin() {
  settle();
  is_on = false;
  for (unsigned i = 0; i < set.cpu_count; ++i) {
    std::memcpy(spent_before[i], cpus[i].spent, sizeof spent_before[i]);
    cpus[i].accesses = cpus[i].misses = 0;
  }
  forget_statistics();
  total_before = total;
  began = current->clock;
  own_time_began = own_time_ns();
  begin_picture(began);
  has_ended = false;
  is_counting = true;
  is_on = true;
}
void many_end() {
  if (has_ended) return;
  has_ended = true;
  ended = current->clock;
  total_after = total;
  for (unsigned i = 0; i < set.cpu_count; ++i) std::memcpy(spent_after[i], cpus[i].spent, sizeof spent_after[i]);
  is_counting = false;
}

}  // extern "C"
