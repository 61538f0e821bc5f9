// A topology out of a text such as "numa:2 l3:2 core:4 pu:2", for tests and for trying out how a
// program would be placed elsewhere.
#include <stdio.h>
#include <string.h>

#include "base/assert.hpp"
#include "os/file.hpp"
#include "os/topology_sources.hpp"

namespace weft::os {
namespace {

constexpr unsigned pu_rank = level_count;  // a PU is a level of the text, not of the description
constexpr unsigned part_count = level_count + 1;
constexpr unsigned no_rank = part_count;

struct part_name {
  const char* text;
  unsigned rank;  // 0 .. 3 as in enum level; pu_rank
};
constexpr part_name names[] = {
    {"package", static_cast<unsigned>(level::package)},
    {"socket", static_cast<unsigned>(level::package)},
    {"numa", static_cast<unsigned>(level::numa)},
    {"l3", static_cast<unsigned>(level::cache)},
    {"cache", static_cast<unsigned>(level::cache)},
    {"core", static_cast<unsigned>(level::core)},
    {"pu", pu_rank},
};
// How far out a level stands, by rank: package, numa and l3 nest in any order.
constexpr unsigned nesting[part_count] = {1, 2, 2, 2, 0};

struct part {
  unsigned rank;
  unsigned count;
};

struct machine_text {
  part parts[part_count];  // outermost first
  unsigned used = 0;
  unsigned cpus = 1;
};

status refuse(const char* whole, const char* bad, int length, const char* why) {
  base::report("error: topology \"%s\" (WEFT_TOPOLOGY, or topology of weft_config): \"%.*s\": %s", whole, length, bad, why);
  return status::invalid;
}

unsigned rank_of(const char* word, std::size_t length) {
  for (const part_name& each : names) {
    if (strlen(each.text) == length && strncmp(each.text, word, length) == 0) return each.rank;
  }
  return no_rank;
}

// Null: fine; else what is wrong with word.
const char* take_part(machine_text* text, const char* word, std::size_t length) {
  const auto colon = static_cast<const char*>(memchr(word, ':', length));
  if (colon == nullptr) return "want a level and a number, such as core:4";
  const unsigned rank = rank_of(word, static_cast<std::size_t>(colon - word));
  if (rank == no_rank) return "no such level; there are package, numa, l3, core and pu";
  const char* at = colon + 1;
  unsigned count;
  if (!take_number(&at, &count) || at != word + length || count == 0) return "want a number from 1 after the colon";
  for (unsigned i = 0; i < text->used; ++i) {
    if (text->parts[i].rank == rank) return "this level stands there twice";
    if (nesting[text->parts[i].rank] < nesting[rank])
      return "levels go from the outside in: package, numa and l3 in any order, then core, then pu";
  }
  if (count > max_cpus || text->cpus * count > max_cpus) return "that makes more than 1024 CPUs";
  text->parts[text->used++] = {rank, count};
  text->cpus *= count;
  return nullptr;
}

// Groups are named by their lowest CPU.
void build(topology* out, const machine_text& text) {
  clear_topology(out);
  for (unsigned cpu = 0; cpu < text.cpus; ++cpu) {
    add_cpu(out, cpu);
    unsigned size = text.cpus;
    for (unsigned i = 0; i < text.used; ++i) {
      size /= text.parts[i].count;
      if (text.parts[i].rank < level_count) set_group(out, cpu, static_cast<level>(text.parts[i].rank), cpu / size * size);
    }
  }
}

// A level left out stands for its surroundings: one cache a node, one node a package, whichever of
// the two is the inner one.
void inherit(topology* out, const machine_text& text, level missing) {
  unsigned from = pu_rank;
  for (unsigned i = 0; i < text.used; ++i) {
    const unsigned rank = text.parts[i].rank;
    if (rank == static_cast<unsigned>(level::package) || rank == static_cast<unsigned>(level::numa)) from = rank;
  }
  if (from == pu_rank) return;
  for (cpu_place& place : out->cpus) {
    std::uint16_t& mine = place.in[static_cast<unsigned>(missing)];
    if (place.present && mine == unknown_group) mine = place.in[from];
  }
}

}  // namespace

status read_synthetic(topology* out, const char* text) {
  constexpr char spaces[] = " \t,";
  machine_text machine;
  const char* word = text + strspn(text, spaces);
  if (*word == '\0') return refuse(text, "", 0, "want levels, such as \"numa:2 core:4 pu:2\"");
  while (*word != '\0') {
    const std::size_t length = strcspn(word, spaces);
    const char* wrong = take_part(&machine, word, length);
    if (wrong != nullptr) return refuse(text, word, static_cast<int>(length), wrong);
    word += length;
    word += strspn(word, spaces);
  }
  build(out, machine);
  inherit(out, machine, level::numa);
  inherit(out, machine, level::cache);
  finish_topology(out, topology_source::synthetic);
  return status::ok;
}

}  // namespace weft::os
