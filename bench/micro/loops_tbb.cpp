// parallel_for of oneTBB, by its simple partitioner: every step may go to another worker.
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include "loops.hpp"

void loops_with(unsigned workers, loops::stage& stage) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, workers);
  stage.play([](std::size_t steps, long rounds) {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, steps, 1),
        [rounds](const tbb::blocked_range<std::size_t>& part) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) loops::step(rounds);
        },
        tbb::simple_partitioner());
  });
}
