// Linked into every API test program that has the static library: lets everywhere.py run the
// program, as it is, with a fault in it.
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
// Later calls: when the program has noticed an error, or is at its end, the plan is removed and the
// process asked to go on. Where no runtime is there, a small program of its own must work, from
// weft_init to weft_finalize. Where one is, the program's threads wait for what the failing call
// should have done, so that it can never be finalized; but one more thread must be created, run and
// be joined, unless the caller may not wait. runtime_fault_test goes on to weft_finalize, after
// every failure, with programs made for it.
//
// C++ without its library, since the C programs are linked without.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weft/weft.h>

#include "../support/planned_fault.h"
#include "base/atomic.hpp"
#include "os/fault.hpp"
#include "shared_plan.hpp"

namespace {

using namespace weft;
using namespace weft::planned;

constexpr int told_exit = 97;
constexpr int noticed_exit = 96;
constexpr int later_exit = 95;

constinit shared_plan* shared = nullptr;
constinit pid_t owner = 0;
constinit base::atomic<bool> is_ending{false};

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
  shared = make_plan(wish, getenv("WEFT_TEST_FAULT_FILE"));
  owner = getpid();
  atexit(at_end);
  os::fault::installed.store(&shared->plan, base::relaxed);
}

// Of "WEFT_NOMEM", "1 == 0" and "weft_init: memory, or address space for a stack, is exhausted" the
// name; else as it is.
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
