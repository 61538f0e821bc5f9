// A parallel loop of OpenMP, dealt in advance, which suits steps of one length best.
#include <omp.h>

#include "loops.hpp"

void loops_with(unsigned workers, loops::stage& stage) {
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(workers));
  stage.play([](std::size_t steps, long rounds) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < steps; ++i) loops::step(rounds);
  });
}
