// How much of the machine this process may use: its affinity mask and its cgroup's CPU quota. Read
// at start.
#pragma once

#include <cstdint>

namespace weft::os {

inline constexpr unsigned max_cpus = 1024;  // CPUs with higher numbers are not used

// The numbers of the CPUs in the calling OS thread's mask, ascending; returns how many (at least 1,
// at most capacity).
unsigned allowed_cpus(std::uint16_t* out, unsigned capacity);

// CPUs' worth of time that this process may use: cpu.max or cpu.cfs_quota_us of its cgroups; 0:
// unlimited. Roots: "/proc", "/sys/fs/cgroup".
double cpu_quota(const char* proc_root, const char* cgroup_root);

// min(CPUs, quota rounded up), at least 1. A process held to 1.5 CPUs gets two workers: one would
// leave a third of it unused.
unsigned worker_count_for(unsigned cpus, double quota);
unsigned default_worker_count(const char* proc_root = "/proc", const char* cgroup_root = "/sys/fs/cgroup");

}  // namespace weft::os
