// fib(n) by its definition: the cheapest possible work at every call, so that what is measured is
// the cost of the calls.
//   fib         every call is a thread, down to fib(0)
//   fib-cutoff  calls with n < 10 are plain calls; above, both children of a call are threads
// With forks instead of threads, fib forks one child of a call and calls the other, as programs do;
// fib-cutoff forks both. units: calls; those that are threads in the ult variants.
#pragma once

#include "harness/kernel.hpp"

namespace bench::fib {

inline constexpr std::uint64_t no_cutoff = 2;  // fib(0) and fib(1) have no children
inline constexpr std::uint64_t cutoff = 10;

// Iterative: how the answer is checked.
constexpr std::uint64_t answer(std::uint64_t n) {
  std::uint64_t current = 0;
  std::uint64_t next = 1;
  for (; n > 0; --n) {
    std::uint64_t const after = current + next;
    current = next;
    next = after;
  }
  return current;
}

// Calls with n at or above the cutoff have two children each: a binary tree with one leaf per call
// below it.
constexpr std::uint64_t calls(std::uint64_t n, std::uint64_t cut) { return n < cut ? 1 : 2 * answer(n - cut + 3) - 1; }
static_assert(calls(30, cutoff) == 57'313 && calls(35, cutoff) == 635'621 && calls(40, cutoff) == 7'049'155);
static_assert(calls(4, no_cutoff) == 9);

// The plain recursion, which all variants use below their cutoff.
std::uint64_t plain(std::uint64_t n);

kernel_run run_sequential(const kernel_input& input, stopwatch& watch);
kernel_run run_sequential_cutoff(const kernel_input& input, stopwatch& watch);
kernel_run run_ult(const kernel_input& input, stopwatch& watch);
kernel_run run_ult_cutoff(const kernel_input& input, stopwatch& watch);
kernel_run run_fork(const kernel_input& input, stopwatch& watch);
kernel_run run_tascell(const kernel_input& input, stopwatch& watch);
kernel_run run_tascell_library(const kernel_input& input, stopwatch& watch);
kernel_run run_fork_cutoff(const kernel_input& input, stopwatch& watch);

extern const kernel every_call;
extern const kernel with_cutoff;

}  // namespace bench::fib
