// How weft::fibers starts and ends by itself, and where its fibers are queued.
//
// A program for Boost.Fiber has no runtime object: its main function is a fiber, and the library
// starts at its first use. Here main's OS thread starts the runtime at its first use, with one
// worker, and ends it when main has returned or called exit, after the last fiber. All fibers are
// in one queue and run in the order in which they became ready, so that they never run in parallel.
//
// Another OS thread that makes fibers becomes a worker of that runtime, until it ends, with a queue
// of its own that it alone serves: so fibers stay on the OS thread that made them. If it comes
// before main's OS thread, one more OS thread starts the runtime and keeps it.
//
// algo::work_stealing adds workers; from then on new fibers are threads of the workers' own queues.
// Where the program has made a weft::runtime itself, fibers are threads of that runtime, and
// nothing here starts or ends.
//
// OS threads change what is here inside `lock`, and read it outside.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include <weft/ext.h>
#include <weft/weft.h>
#include <weft/detail/exception_globals.hpp>
#include <weft/error.hpp>

namespace weft::fibers::detail {

enum class stage : std::uint8_t {
  unused,        // the library has not started; or the program has a weft::runtime of its own
  in_order,      // one worker, one queue
  by_algorithm,  // as in_order, but algorithms of the program's order the fibers of some OS threads
  stealing,      // workers that steal from each other
  ended
};

inline constexpr std::size_t stack_bytes = std::size_t{128} << 10;  // as Boost's default stacks

struct library {
  std::atomic<stage> now = stage::unused;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  weft_pool* pool = nullptr;  // main's queue; stays as long as fibers of it may live
  weft_thread* main_fiber = nullptr;
  bool has_clock = false;             // an idle worker keeps the time for OS threads that algorithms let sleep
  std::atomic<unsigned> waiting = 0;  // OS threads that came before the first worker that steals
  weft_event are_stealing = WEFT_EVENT_INIT;
};
// One for all of the program's libraries, also where these hide their names.
[[gnu::visibility("default")]] inline constinit library the_library;

// The queue of the fibers that the calling OS thread makes; null where it has none. A fiber finds
// that of its OS thread, on which it stays.
[[gnu::visibility("default")]] inline thread_local constinit weft_pool* own_queue = nullptr;

// What an OS thread has whose fibers an algorithm of the program's orders (weft/boost). Its fibers
// may change OS threads, and find what they need by the calls below, which no compiler merges over
// a switch.
class order {
 public:
  // The OS thread makes a fiber next. at_once: run_held follows.
  virtual void expect_fiber(bool at_once) noexcept = 0;
  // Runs the fiber that was made at once.
  virtual void run_held() noexcept = 0;
  // Waits for the last fiber, and takes the order away. By the OS thread's own flow of control.
  virtual void end() = 0;

 protected:
  ~order() = default;
};
[[gnu::visibility("default")]] inline thread_local constinit order* own_order = nullptr;
[[gnu::noinline]] inline order* order_here() noexcept { return own_order; }
[[gnu::noinline]] inline weft_pool* queue_here() noexcept { return own_queue; }

// The OS thread's own flow of control, which is no fiber that was made.
[[gnu::visibility("default")]] inline thread_local constinit weft_thread* own_flow = nullptr;
[[gnu::noinline]] inline weft_thread* flow_here() noexcept { return own_flow; }

inline bool is_main_os_thread() noexcept { return syscall(SYS_gettid) == getpid(); }  // glibc has gettid since 2.30

// Waits for the last fiber, then ends the runtime. A fiber that calls exit is itself not at its
// end: the process ends without waiting.
inline void end_library() {
  if (the_library.main_fiber == nullptr || weft_self() != the_library.main_fiber) return;
  if (own_order != nullptr) own_order->end();
  the_library.now.store(stage::ended, std::memory_order_relaxed);
  the_library.main_fiber = nullptr;
  the_library.has_clock = false;
  // In a child of fork there is no runtime to end. The queue stays: workers have served it to their
  // end.
  weft::detail::check_unless(WEFT_UNSUPPORTED, weft_finalize(), "weft_finalize");
  weft_ext_name_stack_setting(nullptr, nullptr, 0);
}

// Destroyed when main's OS thread ends, which is before static objects are.
struct end_of_main {
  // A failure can only be a mistake in the program: it ends with the message.
  ~end_of_main() { end_library(); }  // NOLINT(bugprone-exception-escape)
};

inline weft_status init_workers(unsigned workers) noexcept {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  if (std::getenv("WEFT_STACK_SIZE") == nullptr) config.stack_bytes = stack_bytes;
  weft_ext_name_stack_setting(
      nullptr, "the size of its stack, fibers::fixedsize_stack(bytes) behind std::allocator_arg, or WEFT_STACK_SIZE", 0);
  return weft_init(&config);
}

inline void start_workers(unsigned workers) {
  // Another layer's claim (WEFT_BUSY) only means that fibers must not block inside a catch block.
  weft::detail::check_unless(WEFT_BUSY, carry_exceptions(), "weft_ext_carry");
  weft::detail::check(init_workers(workers), "weft_init");
  static thread_local end_of_main at_end{};
  the_library.main_fiber = weft_self();
}

// For the calling ULT, which its OS thread's worker alone runs.
inline weft_status make_queue() noexcept {
  const auto worker = static_cast<unsigned>(weft_worker_self());
  weft_pool* made = nullptr;
  weft_status status = weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &made);
  if (status != WEFT_OK) return status;
  status = weft_pool_attach(made, worker);
  if (status == WEFT_OK) {
    status = weft_ext_thread_set_pool(weft_self(), made);
    if (status != WEFT_OK) static_cast<void>(weft_pool_detach(made, worker));
  }
  if (status == WEFT_OK) {
    own_queue = made;
    own_flow = weft_self();
  } else {
    static_cast<void>(weft_pool_destroy(made));
  }
  return status;
}

inline void start_in_order() {
  start_workers(1);
  if (const weft_status status = make_queue(); status != WEFT_OK) {
    end_library();
    the_library.now.store(stage::unused, std::memory_order_relaxed);
    weft::detail::fail(status, "weft_pool_create");
  }
  the_library.pool = own_queue;
  the_library.now.store(stage::in_order, std::memory_order_relaxed);
}

// ---- OS threads other than main's ----

// Waits for the last fiber of the queue, which waits for nothing that this worker has to do later.
inline void end_queue() {
  const auto worker = static_cast<unsigned>(weft_worker_self());
  constexpr std::uint64_t longest_ns = 1'000'000;
  weft::detail::check(weft_ext_thread_set_pool(weft_self(), nullptr), "weft_ext_thread_set_pool");
  for (std::uint64_t ns = 1'000;; ns = ns < longest_ns ? 2 * ns : ns) {
    weft::detail::check(weft_pool_detach(own_queue, worker), "weft_pool_detach");
    if (weft_pool_destroy(own_queue) == WEFT_OK) break;
    weft::detail::check(weft_pool_attach(own_queue, worker), "weft_pool_attach");
    weft::detail::check(weft_sleep_until(weft_deadline_in(ns)), "weft_sleep_until");
  }
  own_queue = nullptr;
}

// Whether the OS thread has ended its queue: what is destroyed later, as an older thread_local
// handle, finds a worker, which ends by itself, but no queue.
[[gnu::visibility("default")]] inline thread_local constinit bool has_ended_queue = false;

// Destroyed when the OS thread ends. A failure can only be a mistake in the program, as above.
struct end_of_os_thread {
  ~end_of_os_thread() {  // NOLINT(bugprone-exception-escape)
    has_ended_queue = true;
    if (own_order != nullptr) {
      own_order->end();
    } else {
      end_queue();
    }
    weft::detail::check(weft_worker_leave(), "weft_worker_leave");
  }
};

inline void adopt_os_thread() {
  weft::detail::check(weft_worker_adopt(nullptr), "weft_worker_adopt");
  if (has_ended_queue) return;
  if (const weft_status status = make_queue(); status != WEFT_OK) {
    static_cast<void>(weft_worker_leave());
    weft::detail::fail(status, "weft_pool_create");
  }
  static thread_local end_of_os_thread at_end{};
}

struct keeping {
  weft_event has_begun = WEFT_EVENT_INIT;
  weft_status status = WEFT_OK;
  unsigned workers = 1;
};

// The OS thread that keeps the runtime until the process ends. It sleeps with a deadline: a wait
// without one would be told as a deadlock once all others are gone.
inline void* keep_library(void* argument) {
  auto* const mine = static_cast<keeping*>(argument);
  mine->status = init_workers(mine->workers);
  const bool has_started = mine->status == WEFT_OK;
  weft_event_set(&mine->has_begun);
  constexpr std::uint64_t hour_ns = 3'600'000'000'000;
  while (has_started) static_cast<void>(weft_sleep_until(weft_deadline_in(hour_ns)));
  return nullptr;
}

inline void start_keeper(unsigned workers, stage next) {
  weft::detail::check_unless(WEFT_BUSY, carry_exceptions(), "weft_ext_carry");
  keeping made;
  made.workers = workers;
  pthread_t keeper;
  if (pthread_create(&keeper, nullptr, keep_library, &made) != 0) weft::detail::fail(WEFT_AGAIN, "pthread_create");
  static_cast<void>(pthread_detach(keeper));
  weft::detail::check(weft_event_wait(&made.has_begun), "weft_event_wait");
  weft::detail::check(made.status, "weft_init");
  the_library.now.store(next, std::memory_order_relaxed);
}

// Holds the library's lock for a block.
struct library_lock {
  library_lock() noexcept { pthread_mutex_lock(&the_library.lock); }
  ~library_lock() { pthread_mutex_unlock(&the_library.lock); }
  library_lock(const library_lock&) = delete;
  library_lock& operator=(const library_lock&) = delete;
};

// An OS thread has taken an algorithm of the program's in place of a queue, which is gone.
inline void note_algorithm(const weft_pool* queue) noexcept {
  const library_lock inside;
  if (the_library.pool == queue) the_library.pool = nullptr;
  the_library.now.store(stage::by_algorithm, std::memory_order_relaxed);
}

inline bool is(stage wanted) noexcept { return the_library.now.load(std::memory_order_relaxed) == wanted; }

[[gnu::cold, gnu::noinline]] inline void start_here() {
  if (weft_self() != nullptr) return;  // a thread of a runtime of the program's own
  const library_lock inside;
  if (is(stage::unused) && !weft_is_initialized()) {
    if (is_main_os_thread()) return start_in_order();
    start_keeper(1, stage::in_order);
  }
  if (is(stage::in_order) || is(stage::by_algorithm)) adopt_os_thread();
}

// Every call that needs its OS thread to have fibers begins with this.
inline void use() {
  if (!is(stage::stealing) && own_queue == nullptr) [[unlikely]]
    start_here();
}

[[gnu::cold, gnu::noinline]] inline weft_pool* expect_fiber(bool at_once) noexcept {
  if (order* const mine = order_here(); mine != nullptr) mine->expect_fiber(at_once);
  return queue_here();
}

// The attributes of a new fiber. at_once: run_now follows.
inline weft_thread_attr new_fiber(bool at_once) {
  use();
  weft_thread_attr attributes = WEFT_THREAD_ATTR_INIT;
  if (is(stage::in_order)) {
    attributes.pool = own_queue;
  } else if (is(stage::by_algorithm)) [[unlikely]] {
    attributes.pool = expect_fiber(at_once);
  }
  return attributes;
}

// Whether thread is in this OS thread's queue, maybe, and has not run.
inline bool is_fresh(const weft_thread* thread) noexcept {
  if (!is(stage::in_order) || weft_self() == nullptr || thread == nullptr) return false;
  void* base = nullptr;
  std::size_t bytes = 0;
  weft_ext_thread_stack(thread, &base, &bytes);  // another OS thread's may start meanwhile: it is not in this queue
  return base == nullptr;
}

// Before a wait for the end of thread: one that has not run yet runs now, until it ends or waits.
// Otherwise a recursion would make all its fibers before the first of them ends.
inline void run_first(weft_thread* thread) {
  if (!is_fresh(thread) || own_queue == nullptr || !weft_ext_pool_remove_from(&own_queue, 1, thread)) return;
  if (weft_ext_dispatch(thread) == WEFT_OK) return;
  weft::detail::check(weft_ext_pool_push(own_queue, thread, WEFT_PUSH_NEW), "weft_ext_pool_push");
}

// For launch::dispatch: thread, which is new, runs now, and its maker goes behind all that are
// ready. A thief may have taken it, and an OS thread outside has no turn to give: then it starts
// soon.
inline void run_now(weft_thread* thread) noexcept {
  if (is(stage::by_algorithm) && order_here() != nullptr) return order_here()->run_held();
  static_cast<void>(weft_yield_to(thread));
}

// For algo::work_stealing: from now on there are at least this many workers, and all take any
// fiber.
inline void steal_with(unsigned workers) {
  if (is(stage::unused)) start_workers(workers);
  the_library.now.store(stage::stealing, std::memory_order_relaxed);  // before there is a second worker: see is_fresh
  while (weft_worker_count() < workers) {
    unsigned added = 0;
    weft::detail::check(weft_worker_add(&added), "weft_worker_add");
    if (the_library.pool == nullptr) continue;
    weft::detail::check(weft_pool_attach(the_library.pool, added), "weft_pool_attach");
  }
  weft_event_set(&the_library.are_stealing);
}

// The last of so many OS threads, none of which is main's, starts the workers on OS threads of the
// library's. False: there are fibers already, which keep their order.
inline bool starts_without_main(unsigned workers) {
  const library_lock inside;
  if (!is(stage::unused) || weft_is_initialized()) return is(stage::stealing);
  start_keeper(workers, stage::stealing);
  weft_event_set(&the_library.are_stealing);
  return true;
}

// The same, called by an OS thread other than main's: the workers that main's call starts do its
// part.
inline void wait_for_stealing(unsigned workers) {
  const unsigned waiting = the_library.waiting.fetch_add(1, std::memory_order_relaxed) + 1;
  if (waiting >= workers && !weft_event_is_set(&the_library.are_stealing) && !starts_without_main(workers)) {
    throw error(
        WEFT_UNSUPPORTED,
        "weft::fibers: as many OS threads as workers asked for work stealing, main's is not among them, and "
        "there were fibers before; let main's OS thread call use_scheduling_algorithm, too, or all before the first fiber");
  }
  weft::detail::check(weft_event_wait(&the_library.are_stealing), "weft_event_wait");
}

}  // namespace weft::fibers::detail
