// Linked into every API test program that has the static library: lets everywhere.py run the program, as it is, with a fault in it.
//
//   WEFT_TEST_FAULT       mmap:3:once, mmap:3:ever (see call_name of os/fault.hpp), or count
//   WEFT_TEST_FAULT_FILE  the plan, shared by this process and its children, and by everywhere.py, which reads the counts there
//
// How the program ends then:
//   as ever        every call did what was asked, or what it does is no worse for the fault
//   told_exit      an API call returned or threw an error, as a check of the program noticed; the line says which
//   noticed_exit   a check noticed something else after the fault: everywhere.py knows the places where that is right
//   later_exit     later calls do not work, see below
//   SIGABRT        a fatal error of Weft's that names the call
// Anything else is a fault of Weft's.
//
// Later calls: when the program has noticed an error, or is at its end, the plan is removed and the process asked to go on. Where no
// runtime is there, a small program of its own must work, from weft_init to weft_finalize. Where one is, the program's threads wait for
// what the failing call should have done, so that it can never be finalized; but one more thread must be created, run and be joined,
// unless the caller may not wait. runtime_fault_test goes on to weft_finalize, after every failure, with programs made for it.
//
// C++ without its library, since the C programs are linked without.
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <weft/weft.h>

#include "../support/planned_fault.h"
#include "base/atomic.hpp"
#include "os/fault.hpp"

namespace {

using namespace weft;

constexpr int told_exit = 97;
constexpr int noticed_exit = 96;
constexpr int later_exit = 95;

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

constinit shared_plan* shared = nullptr;
constinit pid_t owner = 0;
constinit base::atomic<bool> is_ending{false};

[[noreturn]] void refuse(const char* why, const char* what) {
  fprintf(stderr, "planned fault: %s %s\n", why, what);
  _exit(2);
}

shared_plan* map_plan() {
  const char* path = getenv("WEFT_TEST_FAULT_FILE");
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

void describe(shared_plan* all) {
  all->call_count = os::call_count;
  all->names_offset = offsetof(shared_plan, names);
  all->seen_offset = offsetof(shared_plan, plan) + offsetof(os::fault::plan, seen);
  all->failed_offset = offsetof(shared_plan, plan) + offsetof(os::fault::plan, failed);
  for (unsigned index = 0; index < os::call_count; ++index) {
    snprintf(all->names[index], sizeof all->names[index], "%s", os::fault::call_name(static_cast<os::call>(index)));
  }
}

// mmap:3:once
void read_wish(const char* wish, shared_plan* all) {
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

// ---- later calls ----

struct counted {
  weft_mutex mutex = WEFT_MUTEX_INIT;
  unsigned count = 0;
};

void count_one(void* argument) {
  auto* all = static_cast<counted*>(argument);
  if (weft_mutex_lock(&all->mutex) != WEFT_OK) return;
  const unsigned before = all->count;
  weft_yield();
  all->count = before + 1;
  weft_mutex_unlock(&all->mutex);
}

bool threads_run(unsigned wanted) {
  constexpr unsigned most = 16;
  weft_thread* made[most];
  counted all;
  for (unsigned index = 0; index < wanted; ++index) {
    if (weft_thread_create(count_one, &all, nullptr, &made[index]) != WEFT_OK) return false;
  }
  bool good = true;
  for (unsigned index = 0; index < wanted; ++index) good = weft_thread_join(made[index]) == WEFT_OK && good;
  return good && all.count == wanted;
}

bool small_program() {
  clearenv();  // what the test wanted of the variables is its own affair
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  if (weft_init(&config) != WEFT_OK) return false;
  const bool good = threads_run(16) && weft_sleep_ns(1000) == WEFT_OK;
  return weft_finalize() == WEFT_OK && good;
}

bool can_wait() { return weft_self() == nullptr || !weft_thread_is_tasklet(weft_self()); }

bool later_calls_work() {
  shared->reached.store(phase::later_calls, base::relaxed);
  const bool good = !weft_is_initialized() ? small_program() : !can_wait() || threads_run(1);
  shared->reached.store(phase::over, base::relaxed);
  if (!good) fprintf(stderr, "planned fault: later calls do not work\n");
  return good;
}

// At exit, before a sanitizer looks for leaks.
void at_end() {
  if (getpid() != owner || is_ending.exchange(true, base::relaxed)) return;
  os::fault::installed.store(nullptr, base::relaxed);
  // Ended without weft_finalize: meant so, then.
  if (!weft_is_initialized() && !later_calls_work()) _exit(later_exit);
}

[[gnu::constructor]] void install() {
  const char* wish = getenv("WEFT_TEST_FAULT");
  if (wish == nullptr) return;
  shared = map_plan();
  describe(shared);
  read_wish(wish, shared);
  owner = getpid();
  atexit(at_end);
  os::fault::installed.store(&shared->plan, base::relaxed);
}

// Of "WEFT_NOMEM", "1 == 0" and "weft_init: memory, or address space for a stack, is exhausted" the name; else as it is.
const char* name_status(const char* got) {
  if (got == nullptr) return nullptr;
  if (got[0] >= '0' && got[0] <= '9') return weft_status_name(static_cast<weft_status>(atoi(got)));
  for (int each = WEFT_NOMEM; each <= WEFT_DEADLOCK; ++each) {
    const auto status = static_cast<weft_status>(each);
    if (strstr(got, weft_status_text(status)) != nullptr) return weft_status_name(status);
  }
  return got;
}

}  // namespace

extern "C" void weft_test_child_ended(int by_signal, const char* errors) {
  if (shared == nullptr || shared->plan.failed.load(base::relaxed) == 0) return;
  fprintf(stderr, "%s", errors);
  if (by_signal != 0) shared->child_signal.store(by_signal, base::relaxed);
}

extern "C" void weft_test_check_failed(const char* what, const char* got) {
  if (shared == nullptr || shared->plan.failed.load(base::relaxed) == 0) return;
  os::fault::installed.store(nullptr, base::relaxed);
  const char* status = name_status(got);
  if (status != nullptr) shared->was_told.store(1, base::relaxed);
  const bool was_told = shared->was_told.load(base::relaxed) != 0;
  fprintf(stderr, "planned fault: %s, noticed by: %s\n", status != nullptr ? status : "something else", what);
  // The first of this process looks further; another might wait for it.
  const bool must_look = !is_ending.exchange(true, base::relaxed) && getpid() == owner;
  if (must_look && !later_calls_work()) _exit(later_exit);
  _exit(was_told ? told_exit : noticed_exit);
}
