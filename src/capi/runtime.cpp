// weft.h: status, time, runtime.

#include <weft/debug.h>
#include <weft/ext.h>
#include <weft/weft.h>

#include "base/atomic.hpp"
#include "capi/failing.hpp"
#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "life/second_init.hpp"
#include "life/start.hpp"
#include "os/fence.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"
#include "queue/spinlock.hpp"
#include "run/left_behind.hpp"
#include "sync/feb.hpp"
#include "sync/mutex.hpp"
#include "sync/polled.hpp"
#include "sync/word.hpp"
#include "worker/blocking_call.hpp"
#include "worker/clock.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

using weft::status;
using weft::capi::call_errors;
using weft::capi::code;
using weft::capi::told;
namespace sched = weft::sched;

namespace {

// weft_init calls nest. The first caller is the one that must finalize last.
constinit weft::queue::spinlock nesting_lock;
constinit unsigned nesting = 0;  // guarded by nesting_lock
constinit const void* first_caller = nullptr;
constinit bool is_layers = false;         // weft_ext_init started it; guarded by nesting_lock
constinit bool has_told_ignored = false;  // of this runtime; guarded by nesting_lock
// 1 while the last weft_finalize runs. Written inside nesting_lock.
constinit weft::base::atomic<std::uint32_t> is_ending{0};

constexpr weft::sched::reason os_refused{
    nullptr, "the system refused an OS thread or a pthread key; cure: raise the limit (ulimit -u), or use fewer workers"};
constexpr weft::sched::reason runs_already{nullptr, "a runtime runs already"};

const void* caller_identity() {
  sched::unit* self = sched::local::current_unit();
  return self != nullptr ? static_cast<const void*>(self) : sched::local::this_outside();
}

// Inside nesting_lock.
status check_is_first_caller() {
  const bool is_in_region = sched::local::current_worker() == nullptr && sched::unit_in_region() != nullptr;
  if (!is_in_region && caller_identity() == first_caller) return status::ok;
  return sched::because(status::not_owner, nullptr,
                        is_in_region ? "the caller is in a blocking region, which weft_blocking_end ends"
                                     : "the caller is not the one that called weft_init first");
}

// For weft_init on an OS thread outside: the runtime that ends must be gone before the next one
// starts. A ULT, be it in a blocking region, must not wait, since weft_finalize waits for it; for
// it the runtime is still there, and calls nest. Returns inside nesting_lock.
void lock_nesting_after_end() {
  nesting_lock.lock();
  while (is_ending.load(weft::base::relaxed) != 0 && sched::local::current_worker() == nullptr &&
         sched::unit_in_region() == nullptr) {
    nesting_lock.unlock();
    weft::os::futex_wait(&is_ending, 1);
    nesting_lock.lock();
  }
}

void note_end() {
  {
    const weft::queue::guard hold(nesting_lock);
    nesting = 0;  // ULTs that ended without undoing what they nested
    is_layers = has_told_ignored = false;
    is_ending.store(0, weft::base::relaxed);
  }
  weft::os::futex_wake(&is_ending, INT32_MAX);
}

// In a child of fork(2). The OS thread that started, ended or used the runtime meanwhile is not
// there.
void on_fork_in_child() {
  weft::os::forget_fences_of_others();
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

bool is_refused(const call_errors& of) {
  if (!sched::is_left_behind()) return false;
  sched::tell_left_behind(of.call);
  static_cast<void>(told(WEFT_UNSUPPORTED, of));
  return true;
}

// By the adopted caller, whose OS thread ends.
void finalize_wholly() {
  {
    const weft::queue::guard hold(nesting_lock);
    if (nesting == 0) return;  // weft_finalize is under way
    nesting = 0;
    is_ending.store(1, weft::base::relaxed);
  }
  sched::finish(sched::local::current_runtime());
  note_end();
}

// It goes on instead.
void undo_ending() {
  {
    const weft::queue::guard hold(nesting_lock);
    ++nesting;
    is_ending.store(0, weft::base::relaxed);
  }
  weft::os::futex_wake(&is_ending, INT32_MAX);
}

void forget_waits(const sched::dropped_waits& dropped) {
  weft::sync::feb::forget_waits(dropped);
  weft::sync::forget_waits_at_words(dropped);
  weft::sync::forget_polled_waits(dropped);
}

weft_status finalize(weft_finalize_mode mode, const call_errors& of) {
  if (sched::is_left_behind()) return told(WEFT_UNSUPPORTED, of);
  {
    const weft::queue::guard hold(nesting_lock);
    if (nesting == 0) return told(WEFT_NOT_INITIALIZED, of);
    if (nesting > 1 || is_ending.load(weft::base::relaxed) != 0) {
      --nesting;
      return WEFT_OK;
    }
    if (const status result = check_is_first_caller(); result != status::ok) return told(result, of);
    nesting = 0;
    is_ending.store(1, weft::base::relaxed);
  }
  sched::runtime* const rt = sched::local::current_runtime();
  if (mode == WEFT_DRAIN) {
    sched::finish(rt);
  } else if (const status refused = sched::finish_dropping(rt, forget_waits); refused != status::ok) {
    undo_ending();
    return told(refused, of);
  }
  note_end();
  return WEFT_OK;
}

// What calls weft_init: the program, or a layer between it and Weft.
enum class starter { program, layer };

enum class started { first, growing, nested };

// Inside nesting_lock.
status start_or_nest(const weft_config* config, starter by, started* how) {
  if (nesting == 0 && is_ending.load(weft::base::relaxed) == 0) {
    if (const status result = watch_forks(); result != status::ok) return result;
    // Before there are workers: a process of several OS threads waits some 10 ms for the kernel to
    // register it.
    weft::sync::mutex::prepare();
    if (const status result = sched::start(config, finalize_wholly); result != status::ok) return result;
    first_caller = caller_identity();
    is_layers = by == starter::layer;
    *how = started::first;
  } else {
    const bool grows = by == starter::program && is_layers && nesting != 0;
    if (grows) is_layers = false;
    *how = grows ? started::growing : started::nested;
  }
  ++nesting;
  return status::ok;
}

void undo_nesting(started how) {
  const weft::queue::guard hold(nesting_lock);
  --nesting;
  if (how == started::growing) is_layers = true;
}

// Once a runtime.
void tell_ignored(const weft_config* config) {
  {
    const weft::queue::guard hold(nesting_lock);
    if (has_told_ignored) return;
    has_told_ignored = true;
  }
  if (sched::tell_ignored(sched::local::current_runtime(), config)) return;
  const weft::queue::guard hold(nesting_lock);
  has_told_ignored = false;
}

weft_status start_for(starter by, const weft_config* config) {
  asm volatile("" : : "m"(weft_debug_layout));  // a program linked statically keeps it
  lock_nesting_after_end();
  started how{};
  status result = start_or_nest(config, by, &how);
  nesting_lock.unlock();
  if (result != status::ok || how == started::first) return code(result);
  // The runtime stays: this call is counted.
  sched::runtime* const rt = sched::local::current_runtime();
  result = sched::check_config(config);
  if (result == status::ok && how == started::growing) result = sched::grow(rt, config);
  if (result != status::ok) {
    undo_nesting(how);
  } else {
    tell_ignored(config);
  }
  return code(result);
}

// Where one runs, its start is over: that holds nesting_lock.
weft_status start_first(const weft_config* config) {
  asm volatile("" : : "m"(weft_debug_layout));  // as in start_for
  lock_nesting_after_end();
  started how{};
  const bool is_there = nesting != 0 || is_ending.load(weft::base::relaxed) != 0;
  const status result = is_there ? status::busy : start_or_nest(config, starter::layer, &how);
  nesting_lock.unlock();
  return code(result);
}

}  // namespace

extern "C" {

const char* weft_last_error(void) { return sched::last_error(); }

uint64_t weft_now_ns(void) {
  static_cast<void>(weft::capi::pass_point());
  return sched::now_ns();
}

uint64_t weft_deadline_in(uint64_t interval_ns) {
  const uint64_t now = sched::now_ns();
  return interval_ns > WEFT_FOREVER - now ? WEFT_FOREVER : now + interval_ns;
}

weft_status weft_init(const weft_config* config) {
  static constexpr call_errors of{.call = "weft_init", .again = os_refused};
  if (is_refused(of)) return WEFT_UNSUPPORTED;
  return told(start_for(starter::program, config), of);
}

weft_status weft_ext_init(const weft_config* config) {
  static constexpr call_errors of{.call = "weft_ext_init", .again = os_refused};
  if (is_refused(of)) return WEFT_UNSUPPORTED;
  return told(start_for(starter::layer, config), of);
}

weft_status weft_ext_start(const weft_config* config) {
  static constexpr call_errors of{.call = "weft_ext_start", .busy = runs_already, .again = os_refused};
  if (is_refused(of)) return WEFT_UNSUPPORTED;
  return told(start_first(config), of);
}

weft_status weft_finalize(void) {
  static constexpr call_errors of{"weft_finalize"};
  return finalize(WEFT_DRAIN, of);
}

weft_status weft_finalize_with(weft_finalize_mode mode) {
  static constexpr call_errors of{"weft_finalize_with"};
  if (mode != WEFT_DRAIN && mode != WEFT_DROP) {
    static_cast<void>(sched::because(status::invalid, "mode", "%u is no value of weft_finalize_mode", mode));
    return told(WEFT_INVALID, of);
  }
  return finalize(mode, of);
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
