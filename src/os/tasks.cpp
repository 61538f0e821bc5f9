// See tasks.hpp.
#include "os/tasks.hpp"

#include <dirent.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "os/fault.hpp"
#include "os/file.hpp"

namespace weft::os {
namespace {

// The first line of the status of those that only look.
constexpr const char* onlookers[] = {"Name:\tweft-watchdog\n", "Name:\tweft-dump\n"};

// "number argument argument ...": the call that it sleeps in.
bool is_endless_futex_wait(const char* text) {
  long call = 0;
  unsigned long address = 0;
  unsigned long operation = 0;
  unsigned long value = 0;
  unsigned long timeout = 0;
  if (sscanf(text, "%ld %lx %lx %lx %lx", &call, &address, &operation, &value, &timeout) != 5) return false;
  if (call != SYS_futex || timeout != 0) return false;
  const unsigned long what = operation & ~static_cast<unsigned long>(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  return what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET || what == FUTEX_LOCK_PI || what == FUTEX_LOCK_PI2;
}

// The numbers behind both counts of /proc/.../status; 0 when it has none.
std::uint64_t switches_in(const char* status) {
  std::uint64_t sum = 0;
  for (const char* at = status; (at = strstr(at, "voluntary_ctxt_switches:")) != nullptr;) {
    at += strlen("voluntary_ctxt_switches:");
    sum += strtoull(at, nullptr, 10);
  }
  return sum;
}

// What cannot be read counts as awake.
void read_task(int id, task* out) {
  char text[2048];
  out->id = id;
  if (!read_text(text, sizeof text, "/proc/self/task/%d/status", id)) return;
  for (const char* each : onlookers) out->is_onlooker = out->is_onlooker || strncmp(text, each, strlen(each)) == 0;
  const char* state = strstr(text, "\nState:\t");
  out->is_asleep = state != nullptr && state[8] == 'S';
  out->switches = switches_in(text);
  out->waits_for_others = out->is_asleep && out->switches != 0 &&
                          read_text(text, sizeof text, "/proc/self/task/%d/syscall", id) && is_endless_futex_wait(text);
}

}  // namespace

bool walk_tasks(void (*each)(void* state, const task& one), void* state) {
  if (fault::fails(call::open)) return false;
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return false;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): a directory stream of its own
  while (const dirent* entry = readdir(folder)) {
    task one;
    const int id = atoi(entry->d_name);
    if (id <= 0) continue;
    read_task(id, &one);
    each(state, one);
  }
  closedir(folder);
  return true;
}

}  // namespace weft::os
