// Many blocked threads over a rival's own (harness/threads.hpp). That all are blocked is known from
// a count that each raises just before it waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "harness/memory.hpp"
#include "kernels/blocked/blocked.hpp"

namespace bench::blocked {

template <class Gate>
struct crowd_by {
  Gate gate;
  std::atomic<std::uint64_t> waiting = 0;
  std::atomic<std::uint64_t> sum = 0;
};

template <class Gate>
struct member_by {
  crowd_by<Gate>* of;
  std::uint64_t number;

  void run() {
    of->waiting.fetch_add(1, std::memory_order_relaxed);
    of->gate.wait();
    of->sum.fetch_add(number, std::memory_order_relaxed);
  }
};

inline std::uint64_t held_bytes() {
  process_memory const now = read_process_memory();
  return now.resident_bytes + now.page_table_bytes;
}

template <class Threads>
kernel_run run_by(const kernel_input& input, stopwatch& watch) {
  auto const count = static_cast<std::size_t>(input.size);
  auto const members = std::make_unique<member_by<typename Threads::gate>[]>(count);
  auto const threads = std::make_unique<typename Threads::thread[]>(count);
  crowd_by<typename Threads::gate> crowd;
  std::uint64_t const before = held_bytes();
  watch.start();
  for (std::size_t index = 0; index < count; ++index) {
    members[index] = {&crowd, index + 1};
    threads[index].start_record(&members[index]);
  }
  while (crowd.waiting.load(std::memory_order_relaxed) < count) Threads::yield();
  watch.stop();
  auto const bytes = static_cast<double>(held_bytes()) - static_cast<double>(before);
  watch.start();
  crowd.gate.open();
  for (std::size_t index = 0; index < count; ++index) threads[index].join();
  watch.stop();
  return {crowd.sum.load(std::memory_order_relaxed), count, {{"bytes_per_thread", bytes / static_cast<double>(count)}}};
}

}  // namespace bench::blocked
