// What the cgroups of this process limit: the least over its cgroup and all above it, since each of
// them limits. Knows version 2, version 1, and both at once.
#pragma once

namespace weft::os {

struct cgroup_controller {
  const char* name;
  double (*limit_v1)(const char* directory);  // of the cgroup there; 0: unlimited, or not to be seen
  double (*limit_v2)(const char* directory);
};

// 0: unlimited. Roots: "/proc", "/sys/fs/cgroup".
double cgroup_limit(const char* proc_root, const char* cgroup_root, const cgroup_controller& what);

}  // namespace weft::os
