// See control.hpp.
#include "net/control.hpp"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.hpp"
#include "os/shared_memory.hpp"

namespace weft::net {

const char* lock_memory(const job& all) {
  static char why[256];
  std::byte* const mine = all.shared + static_cast<std::size_t>(all.rank) * all.shared_bytes;
  const bool is_locked = (all.shared_bytes == 0 || os::lock_memory(mine, all.shared_bytes) == status::ok) &&
                         (all.region == nullptr || os::lock_memory(all.region, all.region_bytes) == status::ok);
  if (is_locked) return nullptr;
  (void)snprintf(
      why, sizeof why,
      "%zu KiB cannot be locked in memory (%s); raise the limit of locked memory (ulimit -l), or start without locking "
      "(WEFT_LAUNCH_LOCK=off)",
      (all.shared_bytes + all.region_bytes) >> 10, strerror(errno));
  return why;
}

void tell_failure(const job& all, const char* format, ...) {
  failure before = failure::none;
  if (all.common != nullptr && !all.common->failed.compare_exchange_strong(before, failure::being_told, base::relaxed)) {
    // relaxed: the line is the kernel's. A rank that dies before it has told it ends the job.
    while (all.common->failed.load(base::relaxed) != failure::told) sched_yield();
    return;
  }
  char line[1000];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  base::report("%s", line);
  if (all.common != nullptr) all.common->failed.store(failure::told, base::relaxed);
}

}  // namespace weft::net
