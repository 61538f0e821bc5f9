#include "kernels/libfork.hpp"
#include "kernels/quicksort/quicksort.hpp"

namespace bench::quicksort {

namespace {

template <std::size_t Cutoff>
constexpr auto sort_task = [](auto self, segment whole) -> lf::task<std::uint64_t> {
  if (whole.count <= Cutoff) {
    sort_rest<Cutoff>(whole);
    co_return 1;
  }
  halves const parts = partition(whole);
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  co_await lf::fork(&low, self)(parts.low);
  co_await lf::call(&high, self)(parts.high);
  co_await lf::join;
  co_return low + high;
};

template <std::size_t Cutoff>
std::uint64_t sort(segment whole) {
  return lf::sync_wait(libfork_pool(), sort_task<Cutoff>, whole);
}

}  // namespace

kernel_run run_libfork(const kernel_input& input, stopwatch& watch) { return run<sort<cutoff>>(input, watch); }
kernel_run run_libfork_every(const kernel_input& input, stopwatch& watch) { return run<sort<no_cutoff>>(input, watch); }

}  // namespace bench::quicksort
