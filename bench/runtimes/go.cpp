// Go: goroutines and sync.WaitGroup, all in Go (go/) but the nodes of UTS and the blocks of matrix
// products, whose code is the same for all runtimes; so much costs a call from Go to C, which is
// part of a node's time.
#include <algorithm>
#include <array>
#include <string>

#include "harness/processors.hpp"
#include "kernels/blocked/children.hpp"
#include "runtimes/foreign/cells.hpp"

namespace bench {

namespace {

// Reads what the threads hold where the watch stops first: all of them are blocked then.
struct blocked_watch {
  stopwatch* own;
  std::uint64_t held_bytes = 0;

  static void start(void* of) { static_cast<blocked_watch*>(of)->own->start(); }
  static void stop(void* of) {
    auto* const self = static_cast<blocked_watch*>(of);
    self->own->stop();
    if (self->held_bytes == 0) self->held_bytes = blocked::held_bytes();
  }
};

kernel_run run_blocked(const kernel_input& input, stopwatch& watch) {
  blocked_watch own{&watch};
  foreign_watch calls{&own, blocked_watch::start, blocked_watch::stop};
  auto const before = static_cast<double>(blocked::held_bytes());
  std::uint64_t const sum = foreign_blocked(&calls, input.size);
  double const bytes = static_cast<double>(own.held_bytes) - before;
  return {sum, input.size, {{"bytes_per_thread", bytes / static_cast<double>(input.size)}}};
}

kernel_run run_yield(const kernel_input& input, stopwatch& watch) {
  foreign_watch own = foreign::watch_for(watch);
  foreign_turns const found = foreign_yield(&own, 2 * input.workers, input.size);
  return {found.done, found.done, {{"others_done_ratio", found.ratio}}};
}

kernel_run run_mutex_handover(const kernel_input& input, stopwatch& watch) {
  foreign_watch own = foreign::watch_for(watch);
  foreign_turns const found = foreign_mutex_handover(&own, 2 * input.workers, input.size);
  return {found.done, found.done, {{"handovers_ratio", found.ratio}}};
}

template <auto Play>
kernel_run run_pairs(const kernel_input& input, stopwatch& watch) {
  foreign_watch own = foreign::watch_for(watch);
  return {Play(&own, input.workers, input.size), 2 * input.size, {}};
}

template <std::uint64_t Yields>
kernel_run run_thread_ops(const kernel_input& input, stopwatch& watch) {
  using thread_ops::threads_at_once;
  foreign_watch own = foreign::watch_for(watch);
  std::uint64_t const done = foreign_thread_ops(&own, threads_at_once, Yields, input.size);
  return {done, input.size * threads_at_once * std::max<std::uint64_t>(Yields, 1), {}};
}

constexpr std::array<cell, 8> waiting_cells = {{
    {&blocked::blocked, run_blocked},
    {&yield::any, run_yield},
    {&yield::to, nullptr, no_yield_to},
    {&ping_pong::mutex_handover, run_mutex_handover},
    {&ping_pong::condition, run_pairs<foreign_condition_ping_pong>},
    {&ping_pong::channel, run_pairs<foreign_channel_ping_pong>},
    {&thread_ops::without_yields, run_thread_ops<thread_ops::no_yields>},
    {&thread_ops::with_yields, run_thread_ops<thread_ops::yields>},
}};
constexpr auto cells = join_cells(foreign::own_cells(), waiting_cells);

unsigned start(unsigned workers) {
  unsigned const count = workers == 0 ? usable_processors() : workers;
  foreign_start(count);
  return count;
}

std::string version() { return WEFT_RIVAL_VERSION; }
std::string settings(unsigned) { return "goroutines, GOMAXPROCS as many as workers"; }

constexpr runtime runtimes[] = {{"go", "goroutines of Go", child_kind::thread, start, foreign_stop, cells, version, settings}};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
