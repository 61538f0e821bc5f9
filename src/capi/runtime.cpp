// weft.h: status, time, runtime.

#include <weft/debug.h>
#include <weft/weft.h>

#include "base/atomic.hpp"
#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"
#include "queue/spinlock.hpp"
#include "sched/left_behind.hpp"
#include "sched/local.hpp"
#include "sched/runtime.hpp"
#include "sched/worker.hpp"
#include "sync/mutex.hpp"

using weft::status;
using weft::capi::code;
namespace sched = weft::sched;

namespace {

// weft_init calls nest. The first caller is the one who must finalize last.
constinit weft::queue::spinlock nesting_lock;
constinit unsigned nesting = 0;  // guarded by nesting_lock
constinit const void* first_caller = nullptr;
// 1 while the last weft_finalize runs. Written inside nesting_lock.
constinit weft::base::atomic<std::uint32_t> is_ending{0};

const void* caller_identity() {
  sched::unit* self = sched::local::current_unit();
  return self != nullptr ? static_cast<const void*>(self) : sched::local::this_outside();
}

// For weft_init on an OS thread outside: the runtime that ends must be gone before the next one starts. A ULT must not wait, since
// weft_finalize waits for it; for it the runtime is still there, and calls nest. Returns inside nesting_lock.
void lock_nesting_after_end() {
  nesting_lock.lock();
  while (is_ending.load(weft::base::relaxed) != 0 && sched::local::current_worker() == nullptr) {
    nesting_lock.unlock();
    weft::os::futex_wait(&is_ending, 1);
    nesting_lock.lock();
  }
}

void note_end() {
  {
    const weft::queue::guard hold(nesting_lock);
    nesting = 0;  // ULTs that ended without undoing what they nested
    is_ending.store(0, weft::base::relaxed);
  }
  weft::os::futex_wake(&is_ending, INT32_MAX);
}

// In a child of fork(2). Whoever started, ended or used the runtime meanwhile is not there.
void on_fork_in_child() {
  const bool was_changing = !nesting_lock.try_lock();
  sched::local::forget_others();
  if (was_changing || nesting != 0 || is_ending.load(weft::base::relaxed) != 0) sched::become_left_behind();
  nesting_lock.unlock();
}

// Inside nesting_lock.
status watch_forks() {
  static constinit bool is_watching = false;
  if (is_watching) return status::ok;
  const status result = weft::os::call_in_children(on_fork_in_child);
  is_watching = result == status::ok;
  return result;
}

bool is_refused(const char* call) {
  if (!sched::is_left_behind()) return false;
  sched::tell_left_behind(call);
  return true;
}

status start_or_nest(const weft_config* config) {
  if (nesting == 0 && is_ending.load(weft::base::relaxed) == 0) {
    if (const status result = watch_forks(); result != status::ok) return result;
    if (const status result = sched::start(config); result != status::ok) return result;
    first_caller = caller_identity();
    weft::sync::mutex::prepare();
  }
  ++nesting;
  return status::ok;
}

struct status_words {
  const char* name;
  const char* text;
};

constexpr status_words words[] = {
    {"WEFT_OK", "success"},
    {"WEFT_NOMEM", "memory, or address space for a stack, is exhausted"},
    {"WEFT_INVALID", "an argument is null, foreign, finished or out of range"},
    {"WEFT_BUSY", "the object is held or still in use: try again later"},
    {"WEFT_TIMEOUT", "the deadline passed"},
    {"WEFT_AGAIN", "the system or a table has no more of this resource for now"},
    {"WEFT_UNSUPPORTED", "this kernel, CPU, build or situation does not allow it"},
    {"WEFT_NOT_INITIALIZED", "the runtime is not running: call weft_init first"},
    {"WEFT_CANNOT_BLOCK", "the caller is a tasklet, a callback or an OS thread outside, which may not do this"},
    {"WEFT_NOT_OWNER", "the caller does not hold this object, or may not act on it"},
    {"WEFT_DEADLOCK", "the call would wait for its own caller"},
    {"WEFT_ENDED", "the object was closed while the call waited"},
};

const status_words& words_of(weft_status which) {
  static constexpr status_words unknown{"WEFT_?", "not a status of this library"};
  const auto index = static_cast<unsigned>(which);
  return index < sizeof words / sizeof *words ? words[index] : unknown;
}

}  // namespace

extern "C" {

const char* weft_status_name(weft_status which) { return words_of(which).name; }
const char* weft_status_text(weft_status which) { return words_of(which).text; }

uint64_t weft_now_ns(void) {
  static_cast<void>(weft::capi::pass_point());
  return sched::now_ns();
}

uint64_t weft_deadline_in(uint64_t interval_ns) {
  const uint64_t now = sched::now_ns();
  return interval_ns > WEFT_FOREVER - now ? WEFT_FOREVER : now + interval_ns;
}

weft_status weft_init(const weft_config* config) {
  if (is_refused("weft_init")) return WEFT_UNSUPPORTED;
  asm volatile("" : : "m"(weft_debug_layout));  // a program linked statically keeps it
  lock_nesting_after_end();
  const status result = start_or_nest(config);
  nesting_lock.unlock();
  return code(result);
}

weft_status weft_finalize(void) {
  if (sched::is_left_behind()) return WEFT_UNSUPPORTED;
  {
    const weft::queue::guard hold(nesting_lock);
    if (nesting == 0) return WEFT_NOT_INITIALIZED;
    if (nesting > 1 || is_ending.load(weft::base::relaxed) != 0) {
      --nesting;
      return WEFT_OK;
    }
    if (caller_identity() != first_caller) return WEFT_NOT_OWNER;
    nesting = 0;
    is_ending.store(1, weft::base::relaxed);
  }
  const status result = sched::finish(sched::local::current_runtime());
  note_end();
  return code(result);
}

bool weft_is_initialized(void) { return sched::local::current_runtime() != nullptr; }

unsigned weft_worker_count(void) {
  sched::runtime* rt = sched::local::current_runtime();
  return rt != nullptr ? rt->worker_count.load(weft::base::relaxed) : 0;
}

int weft_worker_self(void) {
  const sched::worker* w = sched::local::current_worker();
  return w != nullptr ? static_cast<int>(w->index) : -1;
}

}  // extern "C"
