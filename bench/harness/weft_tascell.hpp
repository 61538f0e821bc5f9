// Tascell in kernels: a worker function that `weft tascell` has compiled, or one of tascell.hpp, as
// the root of a run on all workers. What is measured holds the start and the end of the run.
#pragma once

#include <weft/tascell.hpp>

#include "harness/stopwatch.hpp"

namespace bench {

namespace tascell = weft::tascell;

// function(context): a worker function of C++.
template <class Function>
auto run_tascell(stopwatch& watch, Function function) {
  watch.start();
  auto const result = tascell::run(function);
  watch.stop();
  return result;
}

// function(worker, newest, arguments...): a worker function of C.
template <class Function, class... Arguments>
auto run_compiled(stopwatch& watch, Function* function, Arguments... arguments) {
  return run_tascell(watch, [=](tascell::context c) { return tascell::call(c, function, arguments...); });
}

}  // namespace bench
