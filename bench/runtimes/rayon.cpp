// rayon: join and its pool of threads, all in Rust (rayon/) but the nodes of UTS and the blocks of
// matrix products, whose code is the same for all runtimes. join runs its first closure at once, in
// fib-cutoff and btc, too; many children of a parent are halved by it.
#include <string>

#include "harness/processors.hpp"
#include "runtimes/foreign/cells.hpp"

namespace bench {

namespace {

constexpr auto cells = join_cells(foreign::own_cells(), cells_without_threads(a_task_cannot_block));

unsigned start(unsigned workers) {
  unsigned const count = workers == 0 ? usable_processors() : workers;
  foreign_start(count);
  return count;
}

std::string version() { return WEFT_RIVAL_VERSION; }
std::string settings(unsigned) { return "join, stacks of 64 MiB"; }

constexpr runtime runtimes[] = {
    {"rayon", "rayon's joins in Rust", child_kind::task, start, foreign_stop, cells, version, settings}};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
