// The plan of a test program with a fault in it, as its environment wishes: see planned_fault.cpp.
// C++ without its library.
#pragma once

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomic.hpp"
#include "os/fault.hpp"

namespace weft::planned {

enum class phase : std::uint32_t { program, later_calls, over };

// The file. Its head tells where the rest is, so that a script can read it.
struct shared_plan {
  std::uint32_t call_count;
  std::uint32_t names_offset;
  std::uint32_t seen_offset;
  std::uint32_t failed_offset;
  base::atomic<phase> reached;
  base::atomic<int> child_signal;        // that ended a child, 0: none
  base::atomic<std::uint32_t> was_told;  // in this process or in a child
  char names[os::call_count][16];
  os::fault::plan plan;
};

[[noreturn]] inline void refuse(const char* why, const char* what) {
  fprintf(stderr, "planned fault: %s %s\n", why, what);
  _exit(2);
}

// path: of the file, which children and the script share; null: none.
inline shared_plan* map_plan(const char* path) {
  int descriptor = -1;
  if (path != nullptr) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0 || ftruncate(descriptor, sizeof(shared_plan)) != 0) refuse("cannot write", path);
  }
  const int flags = MAP_SHARED | (descriptor < 0 ? MAP_ANONYMOUS : 0);
  void* mapped = mmap(nullptr, sizeof(shared_plan), PROT_READ | PROT_WRITE, flags, descriptor, 0);
  if (mapped == MAP_FAILED) refuse("cannot map", path != nullptr ? path : "memory");
  if (descriptor >= 0) close(descriptor);
  return static_cast<shared_plan*>(mapped);
}

inline void describe(shared_plan* all) {
  all->call_count = os::call_count;
  all->names_offset = offsetof(shared_plan, names);
  all->seen_offset = offsetof(shared_plan, plan) + offsetof(os::fault::plan, seen);
  all->failed_offset = offsetof(shared_plan, plan) + offsetof(os::fault::plan, failed);
  for (unsigned index = 0; index < os::call_count; ++index) {
    snprintf(all->names[index], sizeof all->names[index], "%s", os::fault::call_name(static_cast<os::call>(index)));
  }
}

// mmap:3:once
inline void read_wish(const char* wish, shared_plan* all) {
  if (strcmp(wish, "count") == 0) return;
  char call[16];
  char how[8];
  unsigned nth = 0;
  if (sscanf(wish, "%15[a-z_]:%u:%7s", call, &nth, how) != 3 || nth == 0) refuse("not understood:", wish);
  const bool is_once = strcmp(how, "once") == 0;
  if (!is_once && strcmp(how, "ever") != 0) refuse("neither once nor ever:", wish);
  all->plan.nth = nth;
  all->plan.how = is_once ? os::fault::repeat::once : os::fault::repeat::for_ever;
  for (unsigned index = 0; index < os::call_count; ++index) {
    all->plan.which = static_cast<os::call>(index);
    if (strcmp(all->names[index], call) == 0) return;
  }
  refuse("no such call:", wish);
}

inline shared_plan* make_plan(const char* wish, const char* path) {
  shared_plan* const made = map_plan(path);
  describe(made);
  read_wish(wish, made);
  return made;
}

}  // namespace weft::planned
