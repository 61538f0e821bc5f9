// Plain calls.
#include "loops.hpp"

void loops_with(unsigned, loops::stage& stage) {
  stage.play([](std::size_t steps, long rounds) {
    for (std::size_t i = 0; i < steps; ++i) loops::step(rounds);
  });
}
