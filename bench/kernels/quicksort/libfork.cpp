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
kernel_run sort(const kernel_input& input, stopwatch& watch) {
  auto const count = static_cast<std::size_t>(input.size);
  std::unique_ptr<value[]> const values = sorting::make_values(count);
  auto const units = result_watched<std::uint64_t>(watch, sort_task<Cutoff>, segment{values.get(), count});
  return {sorting::digest_sorted(values.get(), count), units, {}};
}

}  // namespace

kernel_run run_libfork(const kernel_input& input, stopwatch& watch) { return sort<cutoff>(input, watch); }
kernel_run run_libfork_every(const kernel_input& input, stopwatch& watch) { return sort<no_cutoff>(input, watch); }

}  // namespace bench::quicksort
