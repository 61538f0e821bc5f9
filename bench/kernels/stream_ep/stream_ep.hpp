// STREAM-EP ("embarrassingly parallel"; Chapel's hpcc/stream-ep.chpl): a task for each locale,
// which has vectors of its own and does by itself what STREAM does, without a word to the others. A
// machine of one memory is one locale. What differs from STREAM there is what hands the loops out: a
// task, not the program's first thread. units: elements, in all trials.
#pragma once

#include "kernels/stream/stream.hpp"

namespace bench::stream_ep {

template <class Way>
kernel_run run(const kernel_input& input, stopwatch& watch) {
  kernel_run outcome;
  Way::run([&] { outcome = stream::run_trials<Way>(input, watch); });
  return outcome;
}

extern const kernel stream_ep;

}  // namespace bench::stream_ep
