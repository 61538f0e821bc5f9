// The program over what a runtime offers its threads (harness/threads.hpp).
#pragma once

#include <algorithm>
#include <array>

#include "kernels/thread_ops/thread_ops.hpp"

namespace bench::thread_ops {

template <class Threads, std::uint64_t Yields>
struct yielder {
  std::uint64_t done = 0;

  void run() {
    for (std::uint64_t count = 0; count < Yields; ++count) {
      Threads::yield();
      ++done;
    }
    ++done;
  }
};

template <class Threads, std::uint64_t Yields>
void run_round(std::array<yielder<Threads, Yields>, threads_at_once>& yielders) {
  std::array<typename Threads::thread, threads_at_once> threads;
  for (std::size_t index = 0; index < threads_at_once; ++index) threads[index].start_record(&yielders[index]);
  for (auto& thread : threads) thread.join();
}

template <class Threads, std::uint64_t Yields>
kernel_run run_by(const kernel_input& input, stopwatch& watch) {
  std::array<yielder<Threads, Yields>, threads_at_once> yielders;
  watch.start();
  for (std::uint64_t round = 0; round < input.size; ++round) run_round<Threads, Yields>(yielders);
  watch.stop();
  std::uint64_t done = 0;
  for (const auto& each : yielders) done += each.done;
  return {done, input.size * threads_at_once * std::max<std::uint64_t>(Yields, 1), {}};
}

}  // namespace bench::thread_ops
