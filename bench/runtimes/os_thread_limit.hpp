// How many OS threads a measured program may have at once.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <fstream>

namespace bench {

inline long read_limit(const char* path, long otherwise) {
  std::ifstream file(path);
  long number = 0;
  return file >> number ? number : otherwise;
}

// A quarter of what the system allows to all, and no more than 20,000: others live there, too.
inline long find_most_os_threads() {
  long most =
      std::min({20'000L, read_limit("/proc/sys/kernel/threads-max", 20'000) / 4,
                read_limit("/proc/sys/kernel/pid_max", 32'768) / 4, read_limit("/proc/sys/vm/max_map_count", 65'530) / 4});
  rlimit own{};
  if (getrlimit(RLIMIT_NPROC, &own) == 0 && own.rlim_cur != RLIM_INFINITY)
    most = std::min(most, static_cast<long>(own.rlim_cur / 4));
  return most;
}

}  // namespace bench
