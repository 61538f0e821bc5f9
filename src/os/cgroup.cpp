// See cgroup.hpp.
#include "os/cgroup.hpp"

#include <stdio.h>
#include <string.h>

#include <cstddef>

#include "os/file.hpp"
#include "os/vm.hpp"

namespace weft::os {
namespace {

constexpr std::size_t file_bytes = 4096;
constexpr std::size_t path_bytes = 400;

double smaller_limit(double a, double b) {
  if (a == 0) return b;
  return b == 0 || a < b ? a : b;
}

// From root/group up to root. Levels that cannot be seen (a container that shows its own cgroup as
// the root) do not count. "/.." starts the path of a process that was moved out of its cgroup
// namespace: only the root is visible then.
double least_upwards(const char* root, const char* group, double (*limit)(const char*)) {
  char path[path_bytes];
  if (strncmp(group, "/..", 3) == 0 || strcmp(group, "/") == 0) group = "";
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

// Whether the comma-separated list of controllers has one of this name.
bool has(const char* controllers, const char* name) {
  for (;;) {
    const std::size_t length = strcspn(controllers, ",");
    if (length == strlen(name) && strncmp(controllers, name, length) == 0) return true;
    if (controllers[length] == '\0') return false;
    controllers += length + 1;
  }
}

// One line of /proc/self/cgroup: "number:controllers:/path"; version 2 has number 0 and no
// controllers.
double limit_of_line(char* line, const char* cgroup_root, const cgroup_controller& what) {
  char* controllers = strchr(line, ':');
  if (controllers == nullptr) return 0;
  char* group = strchr(++controllers, ':');
  if (group == nullptr) return 0;
  *group++ = '\0';
  char mount[path_bytes];
  if (*controllers == '\0') {
    snprintf(mount, sizeof mount, "%s/unified", cgroup_root);  // where it lies beside version 1
    return smaller_limit(least_upwards(cgroup_root, group, what.limit_v2), least_upwards(mount, group, what.limit_v2));
  }
  if (!has(controllers, what.name)) return 0;
  snprintf(mount, sizeof mount, "%s/%s", cgroup_root, what.name);
  const double under_short_name = least_upwards(mount, group, what.limit_v1);
  if (strcmp(controllers, what.name) == 0) return under_short_name;
  snprintf(mount, sizeof mount, "%s/%s", cgroup_root, controllers);
  return smaller_limit(under_short_name, least_upwards(mount, group, what.limit_v1));
}

}  // namespace

double cgroup_limit(const char* proc_root, const char* cgroup_root, const cgroup_controller& what) {
  void* const memory = reserve(file_bytes, page_bytes());  // the caller's stack may be a small one
  if (memory == nullptr) return 0;
  double least = 0;
  auto* const text = static_cast<char*>(memory);
  char* rest = read_text(text, file_bytes, "%s/self/cgroup", proc_root) ? text : nullptr;
  while (rest != nullptr) {
    char* line = rest;
    rest = strchr(line, '\n');
    if (rest != nullptr) *rest++ = '\0';
    least = smaller_limit(least, limit_of_line(line, cgroup_root, what));
  }
  release(memory, file_bytes);
  return least;
}

}  // namespace weft::os
