// How weft::fibers starts and ends by itself, and where its fibers are queued.
//
// A program for Boost.Fiber has no runtime object: its main function is a fiber, and the library
// starts at its first use. Here main's OS thread starts the runtime at its first use, with one
// worker, and ends it when main has returned or called exit, after the last fiber. All fibers are
// in one queue and run in the order in which they became ready, so that they never run in parallel.
// algo::work_stealing adds workers; from then on new fibers are threads of the workers' own queues.
// Where the program has made a weft::runtime itself, fibers are threads of that runtime, and
// nothing here starts or ends.
//
// Only main's OS thread changes what is here; other OS threads and other workers read it.
#pragma once

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
  unused,    // the library has not started; or the program has a weft::runtime of its own
  in_order,  // one worker, one queue
  stealing,  // workers that steal from each other
  ended
};

inline constexpr std::size_t stack_bytes = std::size_t{128} << 10;  // as Boost's default stacks

struct library {
  std::atomic<stage> now = stage::unused;
  weft_pool* pool = nullptr;  // the one queue; stays as long as fibers of it may live
  weft_thread* main_fiber = nullptr;
  std::atomic<unsigned> waiting = 0;  // OS threads that came before the first worker that steals
  weft_event are_stealing = WEFT_EVENT_INIT;
};
// One for all of the program's libraries, also where these hide their names.
[[gnu::visibility("default")]] inline constinit library the_library;

inline bool is_main_os_thread() noexcept { return gettid() == getpid(); }

// Waits for the last fiber, then ends the runtime. A fiber that calls exit is itself not at its
// end: the process ends without waiting.
inline void end_library() {
  if (the_library.main_fiber == nullptr || weft_self() != the_library.main_fiber) return;
  the_library.now.store(stage::ended, std::memory_order_relaxed);
  the_library.main_fiber = nullptr;
  // In a child of fork there is no runtime to end. The queue stays: workers have served it to their
  // end.
  weft::detail::check_unless(WEFT_UNSUPPORTED, weft_finalize(), "weft_finalize");
}

// Destroyed when main's OS thread ends, which is before static objects are.
struct end_of_main {
  // A failure can only be a mistake in the program: it ends with the message.
  ~end_of_main() { end_library(); }  // NOLINT(bugprone-exception-escape)
};

inline void start_workers(unsigned workers) {
  // Another layer's claim (WEFT_BUSY) only means that fibers must not block inside a catch block.
  weft::detail::check_unless(WEFT_BUSY, carry_exceptions(), "weft_ext_carry");
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  if (std::getenv("WEFT_STACK_SIZE") == nullptr) config.stack_bytes = stack_bytes;
  weft::detail::check(weft_init(&config), "weft_init");
  static thread_local end_of_main at_end{};
  the_library.main_fiber = weft_self();
}

inline weft_status make_queue() noexcept {
  weft_status status = weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &the_library.pool);
  if (status == WEFT_OK) status = weft_pool_attach(the_library.pool, 0);
  if (status == WEFT_OK) status = weft_ext_thread_set_pool(weft_self(), the_library.pool);
  return status;
}

inline void start_in_order() {
  start_workers(1);
  if (const weft_status status = make_queue(); status != WEFT_OK) {
    if (the_library.pool != nullptr) static_cast<void>(weft_pool_destroy(std::exchange(the_library.pool, nullptr)));
    end_library();
    the_library.now.store(stage::unused, std::memory_order_relaxed);
    weft::detail::fail(status, "weft_pool_create");
  }
  the_library.now.store(stage::in_order, std::memory_order_relaxed);
}

[[gnu::cold, gnu::noinline]] inline void start_if_main() {
  if (!weft_is_initialized() && is_main_os_thread()) start_in_order();
}

inline bool is(stage wanted) noexcept { return the_library.now.load(std::memory_order_relaxed) == wanted; }

// Every call of main's that needs it to be a fiber begins with this.
inline void use() {
  if (is(stage::unused)) [[unlikely]]
    start_if_main();
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_os_thread() {
  throw error(WEFT_UNSUPPORTED,
              "weft::fibers: this OS thread is not main's, and fibers that it makes would not run on it alone; let main's "
              "call use_scheduling_algorithm<algo::work_stealing>(workers) first, or make them there");
}

// On an OS thread outside. Once the library has ended, the making itself fails.
[[gnu::cold, gnu::noinline]] inline bool may_make_fibers_outside() noexcept {
  return is(stage::stealing) || is(stage::ended) || (is(stage::unused) && weft_is_initialized());
}

// The attributes of a new fiber.
inline weft_thread_attr new_fiber() {
  use();
  if (weft_self() == nullptr && !may_make_fibers_outside()) [[unlikely]]
    refuse_os_thread();
  weft_thread_attr attributes = WEFT_THREAD_ATTR_INIT;
  if (is(stage::in_order)) attributes.pool = the_library.pool;
  return attributes;
}

// Whether thread is in the one queue and has not run.
inline bool is_fresh(const weft_thread* thread) noexcept {
  if (!is(stage::in_order) || weft_self() == nullptr || thread == nullptr) return false;
  void* base = nullptr;
  std::size_t bytes = 0;
  weft_ext_thread_stack(thread, &base, &bytes);  // no other worker is there to start it meanwhile
  return base == nullptr;
}

// Before a wait for the end of thread: one that has not run yet runs now, until it ends or waits.
// Otherwise a recursion would make all its fibers before the first of them ends.
inline void run_first(weft_thread* thread) {
  if (!is_fresh(thread) || !weft_ext_pool_remove(the_library.pool, thread)) return;
  if (weft_ext_dispatch(thread) == WEFT_OK) return;
  weft::detail::check(weft_ext_pool_push(the_library.pool, thread, WEFT_PUSH_NEW), "weft_ext_pool_push");
}

// For launch::dispatch: thread, which is new, runs now, and its maker goes behind all that are
// ready. A thief may have taken it, and an OS thread outside has no turn to give: then it starts
// soon.
inline void run_now(weft_thread* thread) noexcept { static_cast<void>(weft_yield_to(thread)); }

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

// The same, called by an OS thread other than main's: the workers that main's call starts do its
// part.
inline void wait_for_stealing(unsigned workers) {
  const unsigned waiting = the_library.waiting.fetch_add(1, std::memory_order_relaxed) + 1;
  if (waiting >= workers && !weft_event_is_set(&the_library.are_stealing)) {
    throw error(WEFT_UNSUPPORTED,
                "weft::fibers: as many OS threads as workers asked for work stealing, and main's is not among them; let "
                "main's OS thread call use_scheduling_algorithm, too");
  }
  weft::detail::check(weft_event_wait(&the_library.are_stealing), "weft_event_wait");
}

}  // namespace weft::fibers::detail
