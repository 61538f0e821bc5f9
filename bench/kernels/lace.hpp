// The bodies of the kernels for Lace: kernels/<kernel>/lace.cpp.
#pragma once

#include "harness/kernel.hpp"
#include "kernels/uts/uts.hpp"

namespace bench {

namespace fib {
kernel_run run_lace(const kernel_input& input, stopwatch& watch);
kernel_run run_lace_cutoff(const kernel_input& input, stopwatch& watch);
}  // namespace fib
namespace uts {
std::uint64_t count_lace(const tree& tree);
}
namespace queens {
kernel_run run_lace(const kernel_input& input, stopwatch& watch);
}
namespace queens_array {
kernel_run run_lace(const kernel_input& input, stopwatch& watch);
}
namespace quicksort {
kernel_run run_lace(const kernel_input& input, stopwatch& watch);
kernel_run run_lace_every(const kernel_input& input, stopwatch& watch);
}  // namespace quicksort
namespace tree {
kernel_run run_lace(const kernel_input& input, stopwatch& watch);
}
namespace btc {
kernel_run run_lace(const kernel_input& input, stopwatch& watch);
}
namespace pentomino {
kernel_run run_lace(const kernel_input& input, stopwatch& watch);
}
namespace comp {
kernel_run run_lace(const kernel_input& input, stopwatch& watch);
}
namespace creation {
kernel_run run_lace_flat(const kernel_input& input, stopwatch& watch);
kernel_run run_lace_nested(const kernel_input& input, stopwatch& watch);
}  // namespace creation

}  // namespace bench
