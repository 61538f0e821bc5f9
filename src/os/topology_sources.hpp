// The sources of a topology, for topology.cpp and the tests. Each fills in which CPUs there are and
// names their groups by the lowest CPU in them; finish_topology() makes numbers from 0 of those
// names.
#pragma once

#include "os/topology.hpp"

namespace weft::os {

inline constexpr std::uint16_t unknown_group = 0xffff;

// All CPUs absent, all groups unknown.
void clear_topology(topology* out);
void add_cpu(topology* out, unsigned cpu);
void set_group(topology* out, unsigned cpu, level at, unsigned lowest_cpu);

// Unknown groups: a core of its own; one node and package for all; the cache of the package.
void finish_topology(topology* out, topology_source source);

// Linux's tree, normally "/sys/devices/system". False: there is none; *out is then undefined.
bool read_sysfs(topology* out, const char* root);

// False: the library is not installed, has another ABI, or does not know this machine.
bool read_hwloc(topology* out);

// Errors: invalid, after a line on stderr.
status read_synthetic(topology* out, const char* text);

// The CPUs that this OS thread may use, all alike.
void read_flat(topology* out);

// Calls visit for every CPU (or node) below max_cpus in "0-3,8,10-11". False: that is no such list.
bool walk_cpu_list(const char* text, void (*visit)(unsigned cpu, void* context), void* context);

}  // namespace weft::os
