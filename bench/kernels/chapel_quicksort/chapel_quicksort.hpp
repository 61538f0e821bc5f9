// Quicksort as Chapel's example program has it (quicksort.chpl, 2010-11), with which Wheeler,
// Murphy, Stark and Chamberlain (2011), The Chapel Tasking Layer Over Qthreads, compared it with OS
// threads: a sequential partition about the median of three, eight values and fewer by bubbles, and
// a `cobegin` of both parts, on the upper levels of the recursion alone.
//   chapel-quicksort-1    on one level, as the program comes: two tasks
//   chapel-quicksort-log  on log2 of the workers + 2 levels: about four tasks a worker
//   chapel-quicksort-10   on ten levels: 2046 tasks
//   chapel-quicksort-all  on every level: some 0.3 tasks a value
// units: values.
#pragma once

#include <bit>
#include <cstddef>
#include <limits>
#include <memory>

#include "harness/kernel.hpp"

namespace bench::chapel_quicksort {

inline constexpr std::size_t sorted_by_bubbles = 8;

struct segment {
  double* first;
  std::size_t count;
};

struct parts {
  segment low;
  segment high;  // what lies between them is in its place
};

void sort_by_bubbles(segment values);
parts partition(segment values);  // of more than sorted_by_bubbles

template <class Way>
void sort(segment values, int levels) {
  if (values.count <= sorted_by_bubbles) return sort_by_bubbles(values);
  parts const of = partition(values);
  if (levels <= 0) {
    sort<Way>(of.low, 0);
    sort<Way>(of.high, 0);
  } else {
    Way::run([&] { sort<Way>(of.low, levels - 1); }, [&] { sort<Way>(of.high, levels - 1); });
  }
}

constexpr int one_level(unsigned) { return 1; }
constexpr int levels_for_workers(unsigned workers) { return static_cast<int>(std::bit_width(workers - 1)) + 2; }
constexpr int ten_levels(unsigned) { return 10; }
constexpr int all_levels(unsigned) { return std::numeric_limits<int>::max(); }

std::unique_ptr<double[]> make_values(std::size_t count);
// The same for whatever order, and for these values only; zero when they are not sorted.
std::uint64_t digest_sorted(const double* values, std::size_t count);

template <class Way, int (*Levels)(unsigned workers)>
kernel_run run(const kernel_input& input, stopwatch& watch) {
  auto const count = static_cast<std::size_t>(input.size);
  std::unique_ptr<double[]> const values = make_values(count);
  watch.start();
  sort<Way>({values.get(), count}, Levels(input.workers));
  watch.stop();
  return {digest_sorted(values.get(), count), input.size, {}};
}

extern const kernel on_one_level;
extern const kernel on_levels_for_workers;
extern const kernel on_ten_levels;
extern const kernel on_all_levels;

}  // namespace bench::chapel_quicksort
