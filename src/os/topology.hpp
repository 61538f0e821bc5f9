// Which CPUs are near which: a fixed-size description of the machine, read at start. It says where
// each CPU lies at four levels, and nothing else; binding and counting CPUs is not its business.
//
// Sources: a synthetic text or hwloc, where one of them is asked for; otherwise Linux's sysfs, and
// without it a flat machine in which all CPUs are alike. hwloc knows more machines, and takes 10 ms
// and a dozen plug-ins to say what sysfs says in one: docs/decisions/0035. Nothing is kept: the
// caller owns the description (20 KiB; os::reserve is a good place).
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "os/cpus.hpp"

namespace weft::os {

// cache: the last-level one. As they nest on most machines, the innermost first; but a package may
// have one such cache and several nodes (sub-NUMA clusters), and a node several packages.
enum class level : std::uint8_t { core, cache, numa, package };
inline constexpr unsigned level_count = 4;

enum class topology_source : std::uint8_t { synthetic, hwloc, sysfs, flat };

struct cpu_place {
  bool present = false;
  std::uint16_t in[level_count] = {};  // at each level the number of the CPU's group, counted from 0 over the machine
};

struct topology {
  topology_source source = topology_source::flat;
  unsigned cpu_count = 0;
  unsigned group_count[level_count] = {};
  level by_nearness[level_count] = {level::core, level::cache, level::numa, level::package};  // as they nest here
  cpu_place cpus[max_cpus];  // by the kernel's CPU number; in a synthetic machine 0, 1, 2 ...

  std::uint16_t group(unsigned cpu, level at) const { return cpus[cpu].in[static_cast<unsigned>(at)]; }
  unsigned groups(level at) const { return group_count[static_cast<unsigned>(at)]; }
};

// wanted: null; "hwloc"; or levels from the outside in, each with how many there are in the one
// around it: "package:2 numa:2 l3:1 core:4 pu:2"; levels may be left out, and package, numa and l3
// may stand in any order. Errors: invalid, with a line on stderr that names the bad part; *out is
// then undefined.
status read_topology(topology* out, const char* wanted);

// How many levels, from the innermost one of this machine outwards, do not hold both CPUs: where
// they nest as in enum level, 0 is the same core, 1 the same last-level cache, 2 the same NUMA
// node, 3 the same package, 4 none of these or not there.
unsigned distance(const topology& machine, unsigned cpu_a, unsigned cpu_b);

const char* source_name(topology_source source);

}  // namespace weft::os
