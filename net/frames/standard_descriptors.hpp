// Descriptors 0 to 2, with which cron jobs and daemons may be started closed. What a process opens
// for itself would get their numbers, and what it prints would go there: into a connection, or into
// the memory of a job. Needs nothing of Weft; ranks use it, too.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

namespace weft::net {

// Before the process opens anything else.
inline void open_standard_descriptors() {
  for (int each = STDIN_FILENO; each <= STDERR_FILENO; ++each) {
    if (fcntl(each, F_GETFD) < 0 && errno == EBADF) (void)open("/dev/null", O_RDWR);  // takes the lowest number, which that is
  }
}

}  // namespace weft::net
