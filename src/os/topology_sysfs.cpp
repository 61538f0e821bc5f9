// The topology out of Linux's sysfs. Called at start; the root is a parameter so that tests can
// show it trees of other machines.
//
// https://docs.kernel.org/admin-guide/cputopology.html and .../ABI/testing/sysfs-devices-system-cpu
#include <string.h>

#include <algorithm>

#include "os/file.hpp"
#include "os/topology_sources.hpp"

namespace weft::os {
namespace {

constexpr unsigned max_cache_indices = 10;
constexpr std::size_t list_bytes = 4096;

void find_lowest(unsigned cpu, void* context) {
  unsigned* lowest = static_cast<unsigned*>(context);
  if (cpu < *lowest) *lowest = cpu;
}

// The lowest CPU of a list; max_cpus when there is none.
unsigned lowest_in(const char* list) {
  unsigned lowest = max_cpus;
  if (!walk_cpu_list(list, find_lowest, &lowest)) return max_cpus;
  return lowest;
}

struct group_reader {
  topology* machine;
  level at;
  unsigned lowest;  // CPU of the group that is being read
};

void put_in_group(unsigned cpu, void* context) {
  const auto* reader = static_cast<group_reader*>(context);
  set_group(reader->machine, cpu, reader->at, reader->lowest);
}

// One file tells the group of all CPUs in it, so each group is read once.
void set_group_of_list(topology* out, level at, const char* list) {
  group_reader reader = {out, at, lowest_in(list)};
  if (reader.lowest < max_cpus) (void)walk_cpu_list(list, put_in_group, &reader);
}

bool is_known(const topology* out, unsigned cpu, level at) {
  return out->cpus[cpu].in[static_cast<unsigned>(at)] != unknown_group;
}

// Kernels before 5.3 know the file by its older name only.
void read_siblings(topology* out, level at, const char* root, unsigned cpu, const char* name, const char* older_name) {
  char list[list_bytes];
  if (is_known(out, cpu, at)) return;
  if (read_text(list, sizeof list, "%s/cpu/cpu%u/topology/%s", root, cpu, name) ||
      read_text(list, sizeof list, "%s/cpu/cpu%u/topology/%s", root, cpu, older_name)) {
    set_group_of_list(out, at, list);
  }
}

bool read_cache_level(const char* root, unsigned cpu, unsigned cache, unsigned* out) {
  char text[32];
  if (!read_text(text, sizeof text, "%s/cpu/cpu%u/cache/index%u/level", root, cpu, cache)) return false;
  const char* at = text;
  return take_number(&at, out);
}

bool holds_instructions_alone(const char* root, unsigned cpu, unsigned cache) {
  char text[32];
  return !read_text(text, sizeof text, "%s/cpu/cpu%u/cache/index%u/type", root, cpu, cache) || strcmp(text, "Instruction") == 0;
}

// The cache farthest from the CPU.
void read_last_cache(topology* out, const char* root, unsigned cpu) {
  if (is_known(out, cpu, level::cache)) return;
  unsigned depths[max_cache_indices];
  unsigned count = 0;
  while (count < max_cache_indices && read_cache_level(root, cpu, count, &depths[count])) ++count;
  for (;;) {
    unsigned* const last = std::max_element(depths, depths + count);
    if (last == depths + count || *last == 0) return;
    const auto cache = static_cast<unsigned>(last - depths);
    *last = 0;
    if (holds_instructions_alone(root, cpu, cache)) continue;
    char list[list_bytes];
    if (read_text(list, sizeof list, "%s/cpu/cpu%u/cache/index%u/shared_cpu_list", root, cpu, cache))
      set_group_of_list(out, level::cache, list);
    return;
  }
}

struct node_reader {
  topology* machine;
  const char* root;
};

// A node may have memory and no CPU: its list is empty.
void read_node(unsigned number, void* context) {
  const auto* reader = static_cast<node_reader*>(context);
  char list[list_bytes];
  if (!read_text(list, sizeof list, "%s/node/node%u/cpulist", reader->root, number)) return;
  set_group_of_list(reader->machine, level::numa, list);
}

// A kernel without NUMA has no such folder.
void read_nodes(topology* out, const char* root) {
  char list[list_bytes];
  node_reader reader = {out, root};
  if (read_text(list, sizeof list, "%s/node/online", root)) (void)walk_cpu_list(list, read_node, &reader);
}

void add_visited(unsigned cpu, void* context) { add_cpu(static_cast<topology*>(context), cpu); }

}  // namespace

bool walk_cpu_list(const char* text, void (*visit)(unsigned, void*), void* context) {
  if (*text == '\0') return true;
  for (;;) {
    unsigned first;
    if (!take_number(&text, &first)) return false;
    unsigned last = first;
    if (*text == '-' && (++text, !take_number(&text, &last))) return false;
    for (unsigned cpu = first; cpu <= last && cpu < max_cpus; ++cpu) visit(cpu, context);
    if (*text == '\0') return true;
    if (*text++ != ',') return false;
  }
}

bool read_sysfs(topology* out, const char* root) {
  char list[list_bytes];
  clear_topology(out);
  if (!read_text(list, sizeof list, "%s/cpu/online", root) || !walk_cpu_list(list, add_visited, out)) return false;
  for (unsigned cpu = 0; cpu < max_cpus; ++cpu) {
    if (!out->cpus[cpu].present) continue;
    read_siblings(out, level::core, root, cpu, "core_cpus_list", "thread_siblings_list");
    read_siblings(out, level::package, root, cpu, "package_cpus_list", "core_siblings_list");
    read_last_cache(out, root, cpu);
  }
  read_nodes(out, root);
  if (out->cpu_count == 0) return false;
  finish_topology(out, topology_source::sysfs);
  return true;
}

}  // namespace weft::os
