// libfork: coroutines whose continuations are stolen, on its lazy pool, whose idle workers sleep.
#include <libfork.hpp>

#include <memory>
#include <string>

#include "harness/processors.hpp"
#include "harness/runtimes.hpp"
#include "kernels/btc/btc.hpp"
#include "kernels/cells.hpp"
#include "kernels/chapel.hpp"
#include "kernels/comp/comp.hpp"
#include "kernels/creation/creation.hpp"
#include "kernels/fib/fib.hpp"
#include "kernels/hash/hash.hpp"
#include "kernels/libfork.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/mergesort/mergesort.hpp"
#include "kernels/pentomino/pentomino.hpp"
#include "kernels/queens/queens.hpp"
#include "kernels/queens_array/queens_array.hpp"
#include "kernels/quicksort/quicksort.hpp"
#include "kernels/strassen/strassen.hpp"
#include "kernels/tree/tree.hpp"

namespace bench {

namespace {

constexpr auto own_cells = std::to_array<cell>({
    {&fib::every_call, fib::run_libfork},
    {&fib::with_cutoff, fib::run_libfork_cutoff},
    {&uts::t1, uts::run_libfork_on<uts::make_t1>},
    {&uts::t3, uts::run_libfork_on<uts::make_t3>},
    {&uts::t1l, uts::run_libfork_on<uts::make_t1l>},
    {&queens::queens, queens::run_libfork},
    {&queens_array::queens_array, queens_array::run_libfork},
    {&quicksort::with_cutoff, quicksort::run_libfork},
    {&quicksort::every_segment, quicksort::run_libfork_every},
    {&mergesort::mergesort, mergesort::run_libfork},
    {&matmul::matmul, matmul::run_libfork},
    {&strassen::strassen, strassen::run_libfork},
    {&tree::tree, tree::run_libfork},
    {&stream::stream, stream::run_trials<as_libfork_tasks>},
    {&stream_ep::stream_ep, nullptr, "its task would have to be a coroutine, to wait for others"},
    {&random_access::random_access, random_access::run<as_libfork_tasks>},
    {&chapel_quicksort::on_one_level, nullptr, not_written_yet},
    {&chapel_quicksort::on_levels_for_workers, nullptr, not_written_yet},
    {&chapel_quicksort::on_ten_levels, nullptr, not_written_yet},
    {&chapel_quicksort::on_all_levels, nullptr, not_written_yet},
    {&chapel_tree::chapel_tree, nullptr, not_written_yet},
    {&btc::btc, btc::run_libfork},
    {&pentomino::pentomino, pentomino::run_libfork},
    {&comp::comp, comp::run_libfork},
    {&creation::flat, creation::run_libfork_flat},
    {&creation::nested, creation::run_libfork_nested},
    {&hash::hash, nullptr, not_written_yet},
});
constexpr auto cells = join_cells(own_cells, cells_without_threads(a_task_cannot_block));

std::unique_ptr<lf::lazy_pool> pool;

unsigned start(unsigned workers) {
  unsigned const count = workers == 0 ? usable_processors() : workers;
  pool = std::make_unique<lf::lazy_pool>(count);
  return count;
}
void stop() { pool.reset(); }

std::string version() { return "libfork " WEFT_RIVAL_VERSION; }
std::string settings(unsigned) { return "lazy_pool"; }

constexpr runtime runtimes[] = {{"libfork", "libfork tasks", child_kind::task, start, stop, cells, version, settings}};

}  // namespace

lf::lazy_pool& libfork_pool() { return *pool; }

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
