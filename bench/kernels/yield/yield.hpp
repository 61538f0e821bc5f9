// Threads that do nothing but let others run.
//   yield     two threads a worker, each of which yields as often as the others; the metric others_done_ratio says how much of their yields
//             those that yielded least had done when the first thread was through: near 1 where yields give turns, near 0 where they
//             are empty calls
//   yield-to  two threads on every worker, each of which yields to the other by name. The answer is how often the other one had run
//             in between: a yield that does not hand over is a wrong answer
// units: yields. With more workers the same number is divided among more threads.
#pragma once

#include "harness/kernel.hpp"

namespace bench::yield {

extern const kernel any;
extern const kernel to;

}  // namespace bench::yield
