// What the weft command runs kernels on: plain calls, Weft's threads, its threads with tasklets for
// leaves, its forks.
#include <weft/weft.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "harness/children.hpp"
#include "harness/must.hpp"
#include "harness/runtimes.hpp"
#include "harness/together.hpp"
#include "harness/weft_threads.hpp"
#include "harness/weft_together.hpp"
#include "kernels/blocked/blocked.hpp"
#include "kernels/btc/btc.hpp"
#include "kernels/chapel.hpp"
#include "kernels/children.hpp"
#include "kernels/comp/comp.hpp"
#include "kernels/creation/creation.hpp"
#include "kernels/fib/fib.hpp"
#include "kernels/hash/hash.hpp"
#include "kernels/lwt.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/mergesort/mergesort.hpp"
#include "kernels/pentomino/pentomino.hpp"
#include "kernels/ping_pong/children.hpp"
#include "kernels/queens/queens.hpp"
#include "kernels/queens_array/queens_array.hpp"
#include "kernels/queens_board/queens_board.hpp"
#include "kernels/quicksort/quicksort.hpp"
#include "kernels/strassen/strassen.hpp"
#include "kernels/thread_ops/children.hpp"
#include "kernels/tree/tree.hpp"
#include "kernels/uts/uts.hpp"
#include "kernels/yield/children.hpp"
#include "runtimes/weft_tascell.hpp"

namespace bench {

namespace {

constexpr std::string_view nobody_else = "plain calls have nobody to wait for or to yield to";
constexpr std::string_view may_be_a_call = "a fork may be a plain call of its forker: those that wait for each other are threads";
constexpr std::string_view nothing_to_create = "there would be nothing to create";
constexpr std::string_view about_threads = "what is measured is operations on threads";

constexpr cell sequential_own_cells[] = {
    {&fib::every_call, fib::run_sequential},
    {&fib::with_cutoff, fib::run_sequential_cutoff},
    {&uts::t1, uts::run<uts::make_t1, uts::count_sequential>},
    {&uts::t3, uts::run<uts::make_t3, uts::count_sequential>},
    {&uts::t1l, uts::run<uts::make_t1l, uts::count_sequential>},
    {&queens::queens, queens::run_sequential},
    {&queens_array::queens_array, queens_array::run_sequential},
    {&queens_board::queens_board, queens_board::run_sequential},
    {&quicksort::with_cutoff, quicksort::run_sequential},
    {&quicksort::every_segment, quicksort::run_sequential_every},
    {&mergesort::mergesort, mergesort::run<one_by_one>},
    {&matmul::matmul, matmul::run<matmul::multiply_add<one_by_one>, matmul::blocks>},
    {&strassen::strassen, matmul::run<strassen::multiply<one_by_one>, strassen::blocks>},
    {&tree::tree, tree::run_sequential},
    {&btc::btc, btc::run_sequential},
    {&pentomino::pentomino, pentomino::run_sequential},
    {&comp::comp, comp::run_sequential},
    {&creation::flat, creation::run_flat_sequential},
    {&creation::nested, creation::run_nested_sequential},
    {&yield::any, nullptr, nobody_else},
    {&yield::to, nullptr, nobody_else},
    {&ping_pong::mutex_handover, nullptr, nobody_else},
    {&ping_pong::condition, nullptr, nobody_else},
    {&ping_pong::channel, nullptr, nobody_else},
    {&blocked::blocked, nullptr, "it would be a loop over numbers"},
    {&thread_ops::without_yields, nullptr, nothing_to_create},
    {&thread_ops::with_yields, nullptr, nothing_to_create},
    {&hash::hash, hash::run_sequential},
};
constexpr auto sequential_cells = join_cells(with_chapel_cells<one_by_one>(sequential_own_cells), lwt_cells<one_by_one>,
                                             lwt_cells_without_units(nothing_to_create));

constexpr cell ult_own_cells[] = {
    {&fib::every_call, fib::run_ult},
    {&fib::with_cutoff, fib::run_ult_cutoff},
    {&uts::t1, uts::run<uts::make_t1, uts::count_ult>},
    {&uts::t3, uts::run<uts::make_t3, uts::count_ult>},
    {&uts::t1l, uts::run<uts::make_t1l, uts::count_ult>},
    {&queens::queens, queens::run_ult},
    {&queens_array::queens_array, queens_array::run_ult},
    {&queens_board::queens_board, queens_board::run_by<as_threads>},
    {&quicksort::with_cutoff, quicksort::run_ult},
    {&quicksort::every_segment, quicksort::run_ult_every},
    {&mergesort::mergesort, mergesort::run<as_threads>},
    {&matmul::matmul, matmul::run<matmul::multiply_add<as_threads>, matmul::blocks>},
    {&strassen::strassen, matmul::run<strassen::multiply<as_threads>, strassen::blocks>},
    {&tree::tree, tree::run_ult},
    {&btc::btc, btc::run_ult},
    {&pentomino::pentomino, pentomino::run_ult},
    {&comp::comp, comp::run_ult},
    {&creation::flat, creation::run_flat_ult},
    {&creation::nested, creation::run_nested_ult},
    {&yield::any, yield::run_by<weft_threads>},
    {&yield::to, yield::run_to_by<weft_threads>},
    {&ping_pong::mutex_handover, ping_pong::run_mutex_by<weft_threads>},
    {&ping_pong::condition, ping_pong::run_condition_by<weft_threads>},
    {&ping_pong::channel, ping_pong::run_channel_by<weft_threads>},
    {&blocked::blocked, blocked::run_ult},
    {&thread_ops::without_yields, thread_ops::run_by<weft_threads, thread_ops::no_yields>},
    {&thread_ops::with_yields, thread_ops::run_by<weft_threads, thread_ops::yields>},
    {&hash::hash, hash::run_ult},
};
constexpr auto ult_cells =
    join_cells(with_chapel_cells<as_threads>(ult_own_cells), lwt_cells<as_threads>, lwt_unit_cells<lwt::thread_units<weft_ult>>);

// As rivals' tasklets are: the same text, a call a child.
class unit {
 public:
  void create(weft_function function, void* argument, bool is_leaf) {
    if (is_leaf)
      must(weft_tasklet_create(function, argument, nullptr, &thread_), "weft_tasklet_create");
    else
      must(weft_thread_create(function, argument, nullptr, &thread_), "weft_thread_create");
  }
  void join() { bench::join(thread_); }

 private:
  weft_thread* thread_;
};

constexpr auto tasklet_cells = cells_of_tasklets<as_tasklets_of<unit>>();

constexpr cell fork_own_cells[] = {
    {&fib::every_call, fib::run_fork},
    {&fib::with_cutoff, fib::run_fork_cutoff},
    {&uts::t1, uts::run<uts::make_t1, uts::count_fork>},
    {&uts::t3, uts::run<uts::make_t3, uts::count_fork>},
    {&uts::t1l, uts::run<uts::make_t1l, uts::count_fork>},
    {&queens::queens, queens::run_fork},
    {&queens_array::queens_array, queens_array::run_fork},
    {&queens_board::queens_board, queens_board::run_fork},
    {&quicksort::with_cutoff, quicksort::run_fork},
    {&quicksort::every_segment, quicksort::run_fork_every},
    {&mergesort::mergesort, mergesort::run<as_forks>},
    {&matmul::matmul, matmul::run<matmul::multiply_add<as_forks>, matmul::blocks>},
    {&strassen::strassen, matmul::run<strassen::multiply<as_forks>, strassen::blocks>},
    {&tree::tree, tree::run_fork},
    {&btc::btc, btc::run_fork},
    {&pentomino::pentomino, pentomino::run_fork},
    {&comp::comp, comp::run_fork},
    {&creation::flat, creation::run_flat_fork},
    {&creation::nested, creation::run_nested_fork},
    {&yield::any, nullptr, may_be_a_call},
    {&yield::to, nullptr, may_be_a_call},
    {&ping_pong::mutex_handover, nullptr, may_be_a_call},
    {&ping_pong::condition, nullptr, may_be_a_call},
    {&ping_pong::channel, nullptr, may_be_a_call},
    {&blocked::blocked, nullptr, "its threads live all at the same time, which is what threads are for"},
    {&thread_ops::without_yields, nullptr, about_threads},
    {&thread_ops::with_yields, nullptr, about_threads},
    {&hash::hash, nullptr, "written for threads"},
};
constexpr auto fork_cells =
    join_cells(with_chapel_cells<as_forks>(fork_own_cells), lwt_cells<as_forks>, lwt_cells_without_units(about_threads));

void check(weft_status status, const char* call) {
  if (status != WEFT_OK) throw std::runtime_error(std::string(call) + ": " + weft_status_text(status));
}

unsigned start_nothing(unsigned) { return 1; }
void stop_nothing() {}
std::string no_settings(unsigned) { return ""; }
std::string weft_version() { return "Weft " WEFT_VERSION; }

// stack_bytes 0: what the environment says.
unsigned start_weft(unsigned workers, std::size_t stack_bytes) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.stack_bytes = stack_bytes;
  check(weft_init(&config), "weft_init");
  return weft_worker_count();
}
unsigned start_for_threads(unsigned workers) { return start_weft(workers, 0); }

// A fork recurses on the stack of the thread that runs it, as a call does, however deep: not only
// the main thread's has to suffice.
unsigned start_for_forks(unsigned workers) {
  constexpr std::size_t deep = std::size_t{1} << 20;
  return start_weft(workers, std::getenv("WEFT_STACK_SIZE") == nullptr ? deep : 0);
}
std::string fork_settings(unsigned) { return std::getenv("WEFT_STACK_SIZE") == nullptr ? "stacks of 1 MiB" : ""; }
void stop_weft() { must(weft_finalize(), "weft_finalize"); }

constexpr runtime runtimes[] = {
    {"sequential", "plain calls, no threads", child_kind::call, start_nothing, stop_nothing, sequential_cells, weft_version,
     no_settings},
    {"ult", "Weft threads", child_kind::thread, start_for_threads, stop_weft, ult_cells, weft_version, no_settings},
    {"tasklet", "Weft threads whose leaves are tasklets", child_kind::tasklet, start_for_threads, stop_weft, tasklet_cells,
     weft_version, no_settings},
    {"fork", "Weft forks", child_kind::task, start_for_forks, stop_weft, fork_cells, weft_version, fork_settings},
    {"tascell", "Tascell, compiled by weft tascell", child_kind::task, start_for_threads, stop_weft, tascell_cells, weft_version,
     no_settings},
    {"tascell-library", "Tascell, tascell.hpp", child_kind::task, start_for_threads, stop_weft, tascell_library_cells,
     weft_version, no_settings},
};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
