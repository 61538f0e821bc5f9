// weft::runtime: the runtime runs as long as this object lives.
//
//   int main() {
//     weft::runtime runtime;                                   // as many workers as this process may use CPUs
//     weft::thread greeter([] { std::puts("hello"); });
//     greeter.join();
//   }
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <cstddef>

#include <weft/weft.h>
#include <weft/detail/exception_globals.hpp>
#include <weft/error.hpp>

namespace weft {

// What an idle worker does: weft_wait_policy.
enum class wait_policy { hybrid = WEFT_WAIT_HYBRID, passive = WEFT_WAIT_PASSIVE, active = WEFT_WAIT_ACTIVE };
// Which workers share a queue, and which steal: weft_locality.
enum class locality { steal = WEFT_LOCALITY_STEAL, strict = WEFT_LOCALITY_STRICT, domain = WEFT_LOCALITY_DOMAIN };

// The settings of weft_config, for C++: runtime.h says more about each. The environment's variables
// WEFT_BIND, WEFT_WAIT_POLICY, WEFT_LOCALITY and WEFT_TOPOLOGY take precedence over the last four.
// Example: weft::runtime runtime({.workers = 4, .stack_bytes = 256 * 1024});
struct runtime_config {
  // 0: WEFT_WORKERS, or as many as the CPUs that affinity mask and cgroup quota allow.
  unsigned workers = 0;
  // The stack of a ULT that asks for no size of its own; 0: WEFT_STACK_SIZE (192 KiB).
  std::size_t stack_bytes = 0;
  // False: the caller becomes a ULT, pinned to worker 0 at first; true: it stays an OS thread.
  bool caller_outside = false;
  bool bind = false;  // true: bind each worker to one CPU
  // What an idle worker does.
  weft::wait_policy wait_policy = weft::wait_policy::hybrid;
  // Which workers share a queue, and which steal.
  weft::locality locality = weft::locality::steal;
  // Null: the machine's; else "hwloc", or such as "core:4 pu:2". The text must stay valid until the
  // runtime has ended.
  const char* topology = nullptr;

  // The configuration for weft_init.
  weft_config to_c() const noexcept {
    weft_config c = WEFT_CONFIG_INIT;
    c.workers = workers;
    c.stack_bytes = stack_bytes;
    c.caller_outside = caller_outside;
    c.bind = bind;
    c.wait_policy = static_cast<weft_wait_policy>(wait_policy);
    c.locality = static_cast<weft_locality>(locality);
    c.topology = topology;
    return c;
  }
};

// The runtime runs as long as an object of this class lives.
class runtime {
 public:
  // Starts the runtime, or adds one use to a runtime that already runs. Unless
  // config.caller_outside is set, the caller becomes a ULT, which at first is pinned to worker 0.
  // Throws weft::error. Never switches. Callable from an OS thread outside, and, if the runtime
  // runs, from a ULT.
  explicit runtime(const runtime_config& config = {}) {
    // Another layer's claim (WEFT_BUSY) is its own affair: everything but blocking inside a catch
    // works as well.
    if (const weft_status status = carry_exceptions(); status != WEFT_BUSY) detail::check(status, "weft_ext_carry");
    const weft_config c = config.to_c();
    detail::check(weft_init(&c), "weft_init");
  }
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  // Ends one use of the runtime. The last one waits until every thread has ended, detached threads
  // too, and then ends the workers.
  //
  // May switch. Callable from the OS thread that made the object. The destruction fails only by a
  // mistake in the program, such as the destruction of the last runtime object on another OS
  // thread; the program then ends with a message. In a child of fork() there is no runtime to end,
  // and nothing is done.
  ~runtime() {  // NOLINT(bugprone-exception-escape): meant
    if (has_dropped_) return;
    if (const weft_status status = weft_finalize(); status != WEFT_UNSUPPORTED) detail::check(status, "weft_finalize");
  }

  // Ends this use of the runtime now; the destructor then does nothing. The last use does not wait
  // for threads: weft_finalize_with(WEFT_DROP), runtime.h, says what becomes of them. Throws
  // weft::error: busy (an OS thread is adopted); the runtime then goes on. May switch. Callable
  // from the OS thread that made the object.
  void drop() {
    if (has_dropped_) return;
    detail::check(weft_finalize_with(WEFT_DROP), "weft_finalize_with");
    has_dropped_ = true;
  }

  // Tells whether the runtime runs. This function and those below concern the one runtime of the
  // process. Callable from any.
  static bool is_running() noexcept { return weft_is_initialized(); }
  // Returns how many workers there are now; 0 while the runtime does not run.
  static unsigned worker_count() noexcept { return weft_worker_count(); }

  // Starts one more worker. Returns its index. Throws weft::error: again (the system refused an OS
  // thread, or there are 1024 workers), no_memory, not_initialized. Never switches. Callable from
  // any.
  static unsigned add_worker() {
    unsigned index = 0;
    detail::check(weft_worker_add(&index), "weft_worker_add");
    return index;
  }

  // A handle of the runtime for senders: a scheduler in the sense of P2300. execution.hpp defines
  // it.
  class scheduler;
  // Returns the scheduler of the runtime. Include execution.hpp to call it.
  static scheduler get_scheduler() noexcept;

  // Ends a worker. The other workers receive the units of its queue. Throws weft::error: invalid
  // (no such worker), busy (worker 0, an adopted one, one that serves a pool, or one to which units
  // are pinned), cannot_block (the caller is a tasklet), not_initialized. May switch. Callable from
  // a ULT or outside.
  static void remove_worker(unsigned worker) { detail::check(weft_worker_remove(worker), "weft_worker_remove"); }

 private:
  bool has_dropped_ = false;
};

// The settings of weft_adopt_config, for C++. A member that is 0 has its default.
struct adopt_config {
  const char* name = nullptr;  // of the caller's thread; null: none
  bool bind = false;           // bind the OS thread to one CPU as long as it is a worker
};

// The OS thread that makes this object is one more worker as long as the object lives.
//
//   std::thread([] {
//     weft::adopted_worker worker;
//     weft::thread([] { std::puts("hello"); }).join();   // the OS thread runs threads while it waits
//   }).join();
class adopted_worker {
 public:
  // Makes the calling OS thread a worker, and the caller a ULT that is pinned to the worker. Throws
  // weft::error: busy (the OS thread is a worker already). Never switches. Callable from an OS
  // thread outside.
  explicit adopted_worker(const adopt_config& config = {}) {
    weft_adopt_config c = WEFT_ADOPT_CONFIG_INIT;
    c.name = config.name;
    c.bind = config.bind;
    detail::check(weft_worker_adopt(&c), "weft_worker_adopt");
  }
  adopted_worker(const adopted_worker&) = delete;
  adopted_worker& operator=(const adopted_worker&) = delete;

  // Ends the adoption: the caller is an OS thread outside again.
  //
  // May switch. Callable from the OS thread that made the object. The destruction fails only by a
  // mistake in the program: threads are pinned to the worker, or the worker serves a pool. The
  // program then ends with a message. In a child of fork() nothing is done.
  ~adopted_worker() {  // NOLINT(bugprone-exception-escape): meant
    if (const weft_status status = weft_worker_leave(); status != WEFT_UNSUPPORTED) detail::check(status, "weft_worker_leave");
  }
};

}  // namespace weft
