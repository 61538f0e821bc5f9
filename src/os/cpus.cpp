// See cpus.hpp.
#include "os/cpus.hpp"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/fault.hpp"
#include "os/file.hpp"

namespace weft::os {
namespace {

constexpr std::size_t mask_bytes = 1024;  // 8192 CPUs: a kernel built for more than CPU_SETSIZE refuses a shorter mask
constexpr std::size_t cgroup_file_bytes = 4096;
constexpr std::size_t path_bytes = 400;

double smaller_limit(double a, double b) {
  if (a == 0) return b;
  return b == 0 || a < b ? a : b;
}

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

// From root/group up to root. Levels that cannot be seen (a container that shows its own cgroup as
// the root) do not count. "/.." starts the path of a process that was moved out of its cgroup
// namespace: only the root is visible then.
double least_upwards(const char* root, const char* group, double (*limit)(const char*)) {
  char path[path_bytes];
  if (strncmp(group, "/..", 3) == 0) group = "";
  const int length = snprintf(path, sizeof path, "%s%s", root, group);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) return limit(root);
  const std::size_t root_length = strlen(root);
  double least = 0;
  for (;;) {
    least = smaller_limit(least, limit(path));
    char* slash = strrchr(path + root_length, '/');
    if (slash == nullptr) return least;
    *slash = '\0';
  }
}

// Whether the comma-separated list of controllers has "cpu".
bool has_cpu(const char* controllers) {
  for (;;) {
    const std::size_t length = strcspn(controllers, ",");
    if (length == 3 && strncmp(controllers, "cpu", 3) == 0) return true;
    if (controllers[length] == '\0') return false;
    controllers += length + 1;
  }
}

// One line of /proc/self/cgroup: "number:controllers:/path"; version 2 has number 0 and no
// controllers.
double limit_of_line(char* line, const char* cgroup_root) {
  char* controllers = strchr(line, ':');
  if (controllers == nullptr) return 0;
  char* group = strchr(++controllers, ':');
  if (group == nullptr) return 0;
  *group++ = '\0';
  char mount[path_bytes];
  if (*controllers == '\0') {
    snprintf(mount, sizeof mount, "%s/unified", cgroup_root);  // where it lies beside version 1
    return smaller_limit(least_upwards(cgroup_root, group, limit_v2), least_upwards(mount, group, limit_v2));
  }
  if (!has_cpu(controllers)) return 0;
  snprintf(mount, sizeof mount, "%s/cpu", cgroup_root);
  const double under_short_name = least_upwards(mount, group, limit_v1);
  snprintf(mount, sizeof mount, "%s/%s", cgroup_root, controllers);
  return smaller_limit(under_short_name, least_upwards(mount, group, limit_v1));
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
  char text[cgroup_file_bytes];
  if (!read_text(text, sizeof text, "%s/self/cgroup", proc_root)) return 0;
  double least = 0;
  char* rest = text;
  while (rest != nullptr) {
    char* line = rest;
    rest = strchr(line, '\n');
    if (rest != nullptr) *rest++ = '\0';
    least = smaller_limit(least, limit_of_line(line, cgroup_root));
  }
  return least;
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
