// OS threads that live as long as the loop: one a worker but the caller's.
#include <thread>

#include "loops.hpp"

void loops_with(unsigned workers, loops::stage& stage) {
  stage.play([workers](std::size_t steps, long rounds) {
    const auto part = [=](unsigned worker) {
      for (std::size_t i = worker; i < steps; i += workers) loops::step(rounds);
    };
    std::vector<std::thread> others;
    for (unsigned worker = 1; worker < workers; ++worker) others.emplace_back(part, worker);
    part(0);
    for (std::thread& one : others) one.join();
  });
}
