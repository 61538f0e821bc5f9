// See check.hpp.
#include "dist/see/check.hpp"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "dist/rank/rank.hpp"
#include "os/file.hpp"
#include "os/symbol.hpp"

namespace weft::dist {
namespace {

constexpr unsigned most_searches = 64;  // of continuations that forked one function

struct searched {
  void (*run)(void* work);
  unsigned times;
};
searched functions[256];

range first_mappings[256];  // anonymous ones that are no heap: libraries' data, thread-local storage
unsigned first_count = 0;
bool knows_first = false;

struct mapping {
  range where;
  bool is_heap, is_stack, is_anonymous;
};

// A line of /proc/self/maps: "begin-end perms offset device inode   name".
bool read_mapping(const char* line, mapping* out) {
  unsigned long begin = 0, end = 0, inode = 0;
  char permissions[5] = "", name[16] = "";
  if (sscanf(line, "%lx-%lx %4s %*s %*s %lu %15s", &begin, &end, permissions, &inode, name) < 4) return false;
  const bool is_own = strcmp(permissions, "rw-p") == 0;
  *out = {{begin, end}, strcmp(name, "[heap]") == 0, strcmp(name, "[stack]") == 0, is_own && inode == 0 && name[0] == 0};
  return true;
}

void note_first(void*, const char* line) {
  mapping its;
  if (read_mapping(line, &its) && its.is_anonymous && first_count < sizeof first_mappings / sizeof *first_mappings)
    first_mappings[first_count++] = its.where;
}

bool is_first(const range& where) {
  for (unsigned i = 0; i < first_count; ++i) {
    if (first_mappings[i].begin == where.begin && first_mappings[i].end == where.end) return true;
  }
  return false;
}

void note_range(void* state, const char* line) {
  auto* const into = static_cast<heap_ranges*>(state);
  mapping its;
  if (!read_mapping(line, &its)) return;
  const bool is_wanted =
      its.is_heap || (its.is_anonymous && !is_first(its.where)) || (its.is_stack && all.set.checking == check::all);
  const std::uint32_t count = into->count.load(base::relaxed);
  if (!is_wanted || count == heap_ranges::most) return;
  into->begins[count].store(its.where.begin, base::relaxed);
  into->ends[count].store(its.where.end, base::relaxed);
  into->count.store(count + 1, base::relaxed);
}

bool holds(const heap_ranges& where, std::uintptr_t address) {
  const std::uint32_t count = where.count.load(base::relaxed);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (address >= where.begins[i].load(base::relaxed) && address < where.ends[i].load(base::relaxed)) return true;
  }
  return false;
}

// Whether the search of this function's continuations goes on.
bool is_due(void (*run)(void* work)) {
  if (all.set.checking == check::all) return true;
  constexpr std::size_t count = sizeof functions / sizeof *functions;
  std::size_t at = (reinterpret_cast<std::uintptr_t>(run) >> 4) % count;
  for (std::size_t tries = 0; tries < count; ++tries, at = (at + 1) % count) {
    searched& its = functions[at];
    if (its.run != nullptr && its.run != run) continue;
    its.run = run;
    return its.times++ < most_searches;
  }
  return false;
}

// Of the least rank of this node.
shared_part* note_part() {
  int rank = 0;
  while (!net::is_near(all.job, rank)) ++rank;
  return part_of(rank);
}

void tell(int owner, void (*run)(void* work), std::uintptr_t address) {
  if (note_part()->has_told.exchange(1, base::relaxed) != 0) return;
  char name[256];
  name_fork(run, name, sizeof name);
  char where[64];
  if (owner == all.job.rank)
    (void)snprintf(where, sizeof where, "away from rank %d and back", owner);
  else
    (void)snprintf(where, sizeof where, "from rank %d to rank %d", owner, all.job.rank);
  base::report(
      "the forker of %s moved %s with an address of rank %d's heap or C stack, 0x%lx, in its frame; each rank has its own: "
      "fork and join values (WEFT_DIST_CHECK=off: no search)",
      name, where, owner, address);
}

}  // namespace

void note_first_mappings() {
  if (all.set.checking != check::off) knows_first = os::walk_lines(note_first, nullptr, "/proc/self/maps");
}

void note_heap() {
  heap_ranges& into = all.part->heap;
  into.count.store(0, base::relaxed);
  if (!knows_first) return;  // what is no heap would be found, too
  (void)os::walk_lines(note_range, &into, "/proc/self/maps");
}

void note_publication() {
  const std::uint64_t count = ++all.publications;
  if ((count & (count - 1)) == 0) note_heap();
}

// A store: a load would leave the page a copy of the page of zeros.
void touch_searches() {
  for (searched& each : functions) static_cast<volatile unsigned&>(each.times) = 0;
}

void search_moved(int owner, void (*run)(void* work), const void* from, const void* to) {
  if (all.set.checking == check::off || !is_due(run)) return;
  const heap_ranges& where = part_of(owner)->heap;
  const auto end = reinterpret_cast<std::uintptr_t>(to);
  const std::uintptr_t root_stack = note_part()->root_stack;  // on other nodes 0: nothing is searched
  const std::uintptr_t last = end < root_stack ? end : root_stack;
  for (const auto* word = static_cast<const std::uintptr_t*>(from); reinterpret_cast<std::uintptr_t>(word) < last; ++word) {
    if (holds(where, *word)) return tell(owner, run, *word);
  }
}

void name_fork(void (*run)(void* work), char* out, std::size_t capacity) {
  const auto* const code = reinterpret_cast<const void*>(run);
  if (os::name_start(code, out, capacity) == os::callable::named) return;
  os::name_readably(code, os::code_place::exact, os::spelling::short_first, out, capacity);
}

}  // namespace weft::dist
