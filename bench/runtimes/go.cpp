// Go: goroutines and sync.WaitGroup, all in Go (go/) but the nodes of UTS and the blocks of matrix products, whose code is the same for all
// runtimes; so much costs a call from Go to C, which is part of a node's time.
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

constexpr auto own_cells() {
  auto cells = join_cells(foreign::own_cells(), cells_without_threads(not_written_yet, not_written_yet));
  for (cell& each : cells) {
    if (each.of == &blocked::blocked) each = {&blocked::blocked, run_blocked};
  }
  return cells;
}
constexpr auto cells = own_cells();

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
