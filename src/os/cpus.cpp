// See cpus.hpp.
#include "os/cpus.hpp"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "os/cgroup.hpp"
#include "os/fault.hpp"
#include "os/file.hpp"

namespace weft::os {
namespace {

constexpr std::size_t mask_bytes = 1024;  // 8192 CPUs: a kernel built for more than CPU_SETSIZE refuses a shorter mask

double ratio(long long quota, long long period) {
  return quota > 0 && period > 0 ? static_cast<double>(quota) / static_cast<double>(period) : 0;
}

// "150000 100000", or "max 100000" for no limit.
double limit_v2(const char* directory) {
  char text[64];
  if (!read_text(text, sizeof text, "%s/cpu.max", directory)) return 0;
  char* rest;
  const long long quota = strtoll(text, &rest, 10);
  return ratio(quota, strtoll(rest, nullptr, 10));
}

double limit_v1(const char* directory) {
  char quota[32];
  char period[32];
  if (!read_text(quota, sizeof quota, "%s/cpu.cfs_quota_us", directory)) return 0;
  if (!read_text(period, sizeof period, "%s/cpu.cfs_period_us", directory)) return 0;
  return ratio(strtoll(quota, nullptr, 10), strtoll(period, nullptr, 10));
}

}  // namespace

unsigned allowed_cpus(std::uint16_t* out, unsigned capacity) {
  alignas(cpu_set_t) unsigned char mask[mask_bytes] = {};
  const auto set = reinterpret_cast<cpu_set_t*>(mask);
  unsigned count = 0;
  if (!fault::fails(call::affinity) && sched_getaffinity(0, sizeof mask, set) == 0) {
    for (unsigned cpu = 0; cpu < max_cpus && count < capacity; ++cpu) {
      if (CPU_ISSET_S(cpu, sizeof mask, set)) out[count++] = static_cast<std::uint16_t>(cpu);
    }
  }
  if (count == 0) out[count++] = 0;  // a sandbox that hides the mask, or one wholly above max_cpus
  return count;
}

double cpu_quota(const char* proc_root, const char* cgroup_root) {
  return cgroup_limit(proc_root, cgroup_root, {.name = "cpu", .limit_v1 = limit_v1, .limit_v2 = limit_v2});
}

unsigned worker_count_for(unsigned cpus, double quota) {
  if (cpus == 0) cpus = 1;
  if (quota <= 0 || quota >= cpus) return cpus;
  const auto whole = static_cast<unsigned>(quota);
  return static_cast<double>(whole) < quota ? whole + 1 : whole;
}

unsigned default_worker_count(const char* proc_root, const char* cgroup_root) {
  std::uint16_t cpus[max_cpus];
  return worker_count_for(allowed_cpus(cpus, max_cpus), cpu_quota(proc_root, cgroup_root));
}

}  // namespace weft::os
