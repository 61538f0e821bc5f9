// STREAM's triad, a = b + alpha * c, as the HPC Challenge program of Chapel has it
// (hpcc/stream.chpl): ten trials, each a loop over all elements with a part a worker, of which the
// best counts. John D. McCalpin (1995), Memory Bandwidth and Machine Balance in Current High
// Performance Computers. It measures memory, and what it costs to hand a loop out and to wait for
// it.
//
// The values of b and c are multiples of 2^-21 below 1, so that the triad is exact in any order and
// with any contraction, and the right answer comes from whole numbers. units: elements, in all
// trials.
#pragma once

#include <memory>

#include "harness/chunks.hpp"
#include "harness/kernel.hpp"

namespace bench::stream {

inline constexpr unsigned trials = 10;
inline constexpr std::uint64_t bytes_per_element = 3 * sizeof(double);

struct vectors {
  explicit vectors(std::uint64_t size)
      : count(size),
        a(std::make_unique_for_overwrite<double[]>(size)),
        b(std::make_unique_for_overwrite<double[]>(size)),
        c(std::make_unique_for_overwrite<double[]>(size)) {}

  std::uint64_t count;
  std::unique_ptr<double[]> a;
  std::unique_ptr<double[]> b;
  std::unique_ptr<double[]> c;
};

// One code for all runtimes.
void fill(const vectors& of, chunk indices);
void triad(const vectors& of, chunk indices);

std::uint64_t digest(const vectors& of);  // of every bit of a
std::uint64_t expected(const kernel_input& input);
fitted_size fit(std::uint64_t size);
std::vector<metric> describe(std::uint64_t count, double best_seconds);

// What the program and each locale of stream-ep do.
template <class Way>
kernel_run run_trials(const kernel_input& input, stopwatch& watch) {
  vectors const of(input.size);
  for_all<Way>(input.workers, of.count, [&](chunk indices) { fill(of, indices); });
  double best = 0;
  for (unsigned trial = 0; trial < trials; ++trial) {
    double const before = watch.seconds();
    watch.start();
    for_all<Way>(input.workers, of.count, [&](chunk indices) { triad(of, indices); });
    watch.stop();
    double const seconds = watch.seconds() - before;
    if (trial == 0 || seconds < best) best = seconds;
  }
  return {digest(of), trials * of.count, describe(of.count, best)};
}

extern const kernel stream;

}  // namespace bench::stream
