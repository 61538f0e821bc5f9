// See tasks.hpp.
#include "os/tasks.hpp"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <initializer_list>

#include "os/fault.hpp"
#include "os/file.hpp"
#include "os/thread_state.hpp"

namespace weft::os {
namespace {

// The first line of the status of those that only look.
constexpr const char* onlookers[] = {"Name:\tweft-watchdog", "Name:\tweft-dump", "Name:\tweft-regions"};

// What stands behind `label`, or null when the line is another.
const char* behind(const char* label, const char* line) {
  const std::size_t length = strlen(label);
  return strncmp(line, label, length) == 0 ? line + length : nullptr;
}

void read_line_of_status(void* argument, const char* line) {
  auto* out = static_cast<task*>(argument);
  for (const char* each : onlookers) out->is_onlooker = out->is_onlooker || strcmp(line, each) == 0;
  if (const char* state = behind("State:\t", line); state != nullptr) {
    out->is_asleep = *state == 'S';
    out->has_ended = *state == 'Z' || *state == 'X';
  }
  for (const char* count : {"voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"}) {
    if (const char* number = behind(count, line); number != nullptr) out->switches += strtoull(number, nullptr, 10);
  }
}

bool sleeps_until_woken(int id) {
  thread_state state;
  return read_thread_state(id, &state) && state.waits_for_others;
}

// What cannot be read counts as awake.
void read_task(int id, task* out) {
  out->id = id;
  if (!walk_lines(read_line_of_status, out, "/proc/self/task/%d/status", id)) return;
  out->waits_for_others = out->is_asleep && out->switches != 0 && sleeps_until_woken(id);
}

// Null at the end, with errno 0, and when the folder cannot be read.
const dirent* next_entry(DIR* folder) {
  if (fault::fails(call::read)) return nullptr;
  errno = 0;
  return readdir(folder);  // NOLINT(concurrency-mt-unsafe): a directory stream of its own
}

}  // namespace

bool walk_tasks(void (*each)(void* state, const task& one), void* state) {
  if (fault::fails(call::open)) return false;
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return false;
  while (const dirent* entry = next_entry(folder)) {
    task one;
    const int id = atoi(entry->d_name);
    if (id <= 0) continue;
    read_task(id, &one);
    each(state, one);
  }
  const bool is_whole = errno == 0;
  closedir(folder);
  return is_whole;
}

}  // namespace weft::os
