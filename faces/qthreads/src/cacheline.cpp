// qthread_cacheline.
#include <qthread/cacheline.h>

#include <unistd.h>

int qthread_cacheline(void) {
  const long bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  return bytes > 0 ? static_cast<int>(bytes) : 64;
}
