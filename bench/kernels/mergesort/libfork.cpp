#include "kernels/libfork.hpp"
#include "kernels/mergesort/mergesort.hpp"

namespace bench::mergesort {

namespace {

constexpr auto merge_task = [](auto self, segment longer, segment other, value* to) -> lf::task<void> {
  if (longer.count + other.count <= merge_cutoff) {
    std::merge(longer.first, longer.first + longer.count, other.first, other.first + other.count, to);
    co_return;
  }
  if (longer.count < other.count) std::swap(longer, other);
  std::size_t const middle = longer.count / 2;
  value* const place = std::lower_bound(other.first, other.first + other.count, longer.first[middle]);
  auto const lows = cut(longer, middle);
  auto const others = cut(other, static_cast<std::size_t>(place - other.first));
  co_await lf::fork(self)(lows.first, others.first, to);
  co_await lf::call(self)(lows.second, others.second, to + lows.first.count + others.first.count);
  co_await lf::join;
};

constexpr auto sort_task = [](auto self, segment whole, value* scratch, bool is_wanted_in_scratch) -> lf::task<void> {
  if (whole.count <= sorting::insertion_cutoff) {
    sorting::sort_insertion(whole);
    if (is_wanted_in_scratch) std::copy_n(whole.first, whole.count, scratch);
    co_return;
  }
  std::size_t const half = whole.count / 2;
  auto const parts = cut(whole, half);
  co_await lf::fork(self)(parts.first, scratch, !is_wanted_in_scratch);
  co_await lf::call(self)(parts.second, scratch + half, !is_wanted_in_scratch);
  co_await lf::join;
  value* const from = is_wanted_in_scratch ? whole.first : scratch;
  value* const to = is_wanted_in_scratch ? scratch : whole.first;
  co_await lf::call(merge_task)(segment{from, half}, segment{from + half, whole.count - half}, to);
  co_await lf::join;
};

}  // namespace

kernel_run run_libfork(const kernel_input& input, stopwatch& watch) {
  auto const count = static_cast<std::size_t>(input.size);
  std::unique_ptr<value[]> const values = sorting::make_values(count);
  std::unique_ptr<value[]> const scratch = std::make_unique<value[]>(count);
  run_watched(watch, sort_task, segment{values.get(), count}, scratch.get(), false);
  return {sorting::digest_sorted(values.get(), count), segments(count), {}};
}

}  // namespace bench::mergesort
