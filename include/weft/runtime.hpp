// weft::runtime: the runtime runs as long as this object lives.
//
//   int main() {
//     weft::runtime runtime;                                   // as many workers as this process may use CPUs
//     weft::thread greeter([] { std::puts("hello"); });
//     greeter.join();
//   }
#pragma once

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

// As weft_config; zeros are the defaults. weft::runtime runtime({.workers = 4, .stack_bytes = 256 * 1024});
struct runtime_config {
  unsigned workers = 0;                                       // 0: as many as this process may use CPUs
  std::size_t stack_bytes = 0;                                // of a thread that asks for no size; 0: 64 KiB
  bool caller_outside = false;                                // true: the caller stays an OS thread
  bool bind = false;                                          // bind each worker to one CPU
  weft::wait_policy wait_policy = weft::wait_policy::hybrid;  // of idle workers
  weft::locality locality = weft::locality::steal;            // of queues
  const char* topology = nullptr;                             // null: the machine's

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

// Starts the runtime, and ends it when the object goes.
class runtime {
 public:
  // Starts the runtime, or counts up when it runs already. Unless caller_outside, the caller becomes a ULT, pinned to worker 0 for now.
  // Throws weft::error. Callable from an OS thread outside; a ULT may nest. May not switch.
  explicit runtime(const runtime_config& config = {}) {
    // Another layer's claim (WEFT_BUSY) is its own affair: everything but blocking inside a catch works as well.
    if (const weft_status status = carry_exceptions(); status != WEFT_BUSY) detail::check(status, "weft_ext_carry");
    const weft_config c = config.to_c();
    detail::check(weft_init(&c), "weft_init");
  }
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  // Waits until every thread has ended, detached ones too, then ends the workers. May switch. On the OS thread that made it. That
  // it fails can only be a mistake in the program (the last one goes on another OS thread), so the program ends with the message. In a
  // child of fork(), where there is no runtime to end, nothing happens.
  ~runtime() {  // NOLINT(bugprone-exception-escape): meant
    if (const weft_status status = weft_finalize(); status != WEFT_UNSUPPORTED) detail::check(status, "weft_finalize");
  }

  // Whether the runtime runs. This and what follows concern the one runtime of the process.
  // Callable from any.
  static bool is_running() noexcept { return weft_is_initialized(); }
  // How many workers there are now; 0 while the runtime does not run.
  static unsigned worker_count() noexcept { return weft_worker_count(); }

  // Starts one more worker; its index. Throws weft::error.
  static unsigned add_worker() {
    unsigned index = 0;
    detail::check(weft_worker_add(&index), "weft_worker_add");
    return index;
  }

  // A handle for senders, of P2300's scheduler concept. Defined in execution.hpp, which also says
  // what it offers.
  class scheduler;
  // The scheduler of this runtime. Include execution.hpp.
  static scheduler get_scheduler() noexcept;

  // Ends a worker; what it had queued goes to the others. May switch. Throws weft::error (busy: worker 0, or units are pinned to it).
  static void remove_worker(unsigned worker) { detail::check(weft_worker_remove(worker), "weft_worker_remove"); }
};

// As weft_adopt_config; zeros are the defaults.
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
  // Makes the calling OS thread a worker, and the caller a ULT that is pinned to it. Throws
  // weft::error (busy: it is a worker). Callable from an OS thread outside. May not switch.
  explicit adopted_worker(const adopt_config& config = {}) {
    weft_adopt_config c = WEFT_ADOPT_CONFIG_INIT;
    c.name = config.name;
    c.bind = config.bind;
    detail::check(weft_worker_adopt(&c), "weft_worker_adopt");
  }
  adopted_worker(const adopted_worker&) = delete;
  adopted_worker& operator=(const adopted_worker&) = delete;

  // The caller is an OS thread outside again. By the one that made it. That it fails can only be a
  // mistake in the program (threads are pinned to the worker, or it serves a pool), so the program
  // ends with the message. In a child of fork() nothing happens. May switch.
  ~adopted_worker() {  // NOLINT(bugprone-exception-escape): meant
    if (const weft_status status = weft_worker_leave(); status != WEFT_UNSUPPORTED) detail::check(status, "weft_worker_leave");
  }
};

}  // namespace weft
