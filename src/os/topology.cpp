// See topology.hpp: choosing a source, numbering groups, how the levels nest, distance.
#include "os/topology.hpp"

#include <cstring>

#include "base/assert.hpp"
#include "os/topology_sources.hpp"

namespace weft::os {
namespace {

constexpr unsigned index(level at) { return static_cast<unsigned>(at); }

void fill_unknown(cpu_place* place, unsigned cpu) {
  std::uint16_t* in = place->in;
  if (in[index(level::core)] == unknown_group) in[index(level::core)] = static_cast<std::uint16_t>(cpu);
  if (in[index(level::package)] == unknown_group) in[index(level::package)] = 0;
  if (in[index(level::numa)] == unknown_group) in[index(level::numa)] = 0;
  if (in[index(level::cache)] == unknown_group) in[index(level::cache)] = in[index(level::package)];
}

// Names of groups (CPU numbers) become 0, 1, 2 ... in the order of their first CPU.
void number_groups(topology* out, unsigned at) {
  std::uint16_t number[max_cpus];
  for (std::uint16_t& each : number) each = unknown_group;
  unsigned count = 0;
  for (cpu_place& place : out->cpus) {
    if (!place.present) continue;
    std::uint16_t& mine = number[place.in[at]];
    if (mine == unknown_group) mine = static_cast<std::uint16_t>(count++);
    place.in[at] = mine;
  }
  out->group_count[at] = count;
}

// Whether each group of `inner` lies within one group of `outer`, the groups being numbered.
bool lies_within(const topology& machine, unsigned inner, unsigned outer) {
  std::uint16_t around[max_cpus];
  for (std::uint16_t& each : around) each = unknown_group;
  for (const cpu_place& place : machine.cpus) {
    if (!place.present) continue;
    std::uint16_t& mine = around[place.in[inner]];
    if (mine != unknown_group && mine != place.in[outer]) return false;
    mine = place.in[outer];
  }
  return true;
}

// A level comes before those in which it lies; where two are alike, or overlap, the order is that
// of enum level.
void order_levels(topology* out) {
  bool is_inside[level_count][level_count];
  for (unsigned one = 0; one < level_count; ++one) {
    for (unsigned other = 0; other < level_count; ++other) is_inside[one][other] = lies_within(*out, one, other);
  }
  unsigned done = 0;  // a bit for each level
  for (level& each : out->by_nearness) {
    unsigned next = 0;
    const auto has_another_inside = [&](unsigned at) {
      for (unsigned inner = 0; inner < level_count; ++inner) {
        if ((done >> inner & 1) == 0 && is_inside[inner][at] && !is_inside[at][inner]) return true;
      }
      return false;
    };
    while ((done >> next & 1) != 0 || has_another_inside(next)) ++next;
    done |= 1U << next;
    each = static_cast<level>(next);
  }
}

status ask_hwloc(topology* out) {
  if (read_hwloc(out)) return status::ok;
  base::report(
      "topology \"hwloc\": libhwloc.so.15 cannot be loaded, or does not know this machine (or the "
      "program has raised privileges); install libhwloc15, or leave WEFT_TOPOLOGY unset");
  return status::invalid;
}

}  // namespace

void clear_topology(topology* out) {
  out->cpu_count = 0;
  for (cpu_place& place : out->cpus) {
    place.present = false;
    for (std::uint16_t& group : place.in) group = unknown_group;
  }
}

void add_cpu(topology* out, unsigned cpu) {
  if (cpu >= max_cpus || out->cpus[cpu].present) return;
  out->cpus[cpu].present = true;
  ++out->cpu_count;
}

void set_group(topology* out, unsigned cpu, level at, unsigned lowest_cpu) {
  if (cpu < max_cpus && lowest_cpu < max_cpus) out->cpus[cpu].in[index(at)] = static_cast<std::uint16_t>(lowest_cpu);
}

void finish_topology(topology* out, topology_source source) {
  out->source = source;
  for (unsigned cpu = 0; cpu < max_cpus; ++cpu) {
    if (out->cpus[cpu].present) fill_unknown(&out->cpus[cpu], cpu);
  }
  for (unsigned at = 0; at < level_count; ++at) number_groups(out, at);
  order_levels(out);
}

void read_flat(topology* out) {
  std::uint16_t cpus[max_cpus];
  const unsigned count = allowed_cpus(cpus, max_cpus);
  clear_topology(out);
  for (unsigned i = 0; i < count; ++i) add_cpu(out, cpus[i]);
  finish_topology(out, topology_source::flat);
}

status read_topology(topology* out, const char* wanted) {
  if (wanted != nullptr && std::strcmp(wanted, "hwloc") == 0) return ask_hwloc(out);
  if (wanted != nullptr) return read_synthetic(out, wanted);
  if (!read_sysfs(out, "/sys/devices/system")) read_flat(out);
  return status::ok;
}

unsigned distance(const topology& machine, unsigned cpu_a, unsigned cpu_b) {
  if (cpu_a >= max_cpus || cpu_b >= max_cpus) return level_count;
  const cpu_place& a = machine.cpus[cpu_a];
  const cpu_place& b = machine.cpus[cpu_b];
  if (!a.present || !b.present) return level_count;
  for (unsigned at = 0; at < level_count; ++at) {
    const unsigned level = index(machine.by_nearness[at]);
    if (a.in[level] == b.in[level]) return at;
  }
  return level_count;
}

const char* source_name(topology_source source) {
  constexpr const char* names[] = {"synthetic", "hwloc", "sysfs", "flat"};
  return names[static_cast<unsigned>(source)];
}

}  // namespace weft::os
