#include "kernels/table.hpp"

#include <algorithm>
#include <array>

#include "kernels/blocked/blocked.hpp"
#include "kernels/btc/btc.hpp"
#include "kernels/chapel_quicksort/chapel_quicksort.hpp"
#include "kernels/chapel_tree/chapel_tree.hpp"
#include "kernels/comp/comp.hpp"
#include "kernels/creation/creation.hpp"
#include "kernels/fib/fib.hpp"
#include "kernels/hash/hash.hpp"
#include "kernels/lwt/lwt.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/mergesort/mergesort.hpp"
#include "kernels/pentomino/pentomino.hpp"
#include "kernels/ping_pong/ping_pong.hpp"
#include "kernels/queens/queens.hpp"
#include "kernels/queens_array/queens_array.hpp"
#include "kernels/queens_board/queens_board.hpp"
#include "kernels/quicksort/quicksort.hpp"
#include "kernels/random_access/random_access.hpp"
#include "kernels/strassen/strassen.hpp"
#include "kernels/stream/stream.hpp"
#include "kernels/stream_ep/stream_ep.hpp"
#include "kernels/thread_ops/thread_ops.hpp"
#include "kernels/tree/tree.hpp"
#include "kernels/uts/uts.hpp"
#include "kernels/yield/yield.hpp"

namespace bench {

namespace {

constexpr std::array kernels = {&fib::every_call,
                                &fib::with_cutoff,
                                &uts::t1,
                                &uts::t3,
                                &uts::t1l,
                                &queens::queens,
                                &queens_array::queens_array,
                                &queens_board::queens_board,
                                &quicksort::with_cutoff,
                                &quicksort::every_segment,
                                &mergesort::mergesort,
                                &matmul::matmul,
                                &strassen::strassen,
                                &tree::tree,
                                &stream::stream,
                                &stream_ep::stream_ep,
                                &random_access::random_access,
                                &chapel_quicksort::on_one_level,
                                &chapel_quicksort::on_levels_for_workers,
                                &chapel_quicksort::on_ten_levels,
                                &chapel_quicksort::on_all_levels,
                                &chapel_tree::chapel_tree,
                                &btc::btc,
                                &pentomino::pentomino,
                                &comp::comp,
                                &creation::flat,
                                &creation::nested,
                                &yield::any,
                                &yield::to,
                                &ping_pong::mutex_handover,
                                &ping_pong::condition,
                                &ping_pong::channel,
                                &blocked::blocked,
                                &thread_ops::without_yields,
                                &thread_ops::with_yields,
                                &lwt::create,
                                &lwt::join,
                                &lwt::loop,
                                &lwt::nested_loops,
                                &lwt::tasks_of_one,
                                &lwt::tasks_of_all,
                                &lwt::nested_tasks,
                                &hash::hash};

}  // namespace

std::span<const kernel* const> all_kernels() { return kernels; }

const kernel* find_kernel(std::string_view name) {
  auto const found = std::ranges::find(kernels, name, &kernel::name);
  return found == kernels.end() ? nullptr : *found;
}

}  // namespace bench
