// Yields over harness/threads.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

#include "harness/share.hpp"
#include "harness/threads.hpp"
#include "kernels/yield/yield.hpp"

namespace bench::yield {

template <class Threads>
struct yielder_by;

template <class Threads>
struct crowd_by {
  std::span<yielder_by<Threads>> all;
  std::atomic<bool> has_one_ended = false;
  double others_done = 0;  // a ratio, of the thread that had yielded least when the first one ended
};

template <class Threads>
struct alignas(64) yielder_by {
  crowd_by<Threads>* of;
  std::uint64_t times;
  std::atomic<std::uint64_t> done;

  void run() {
    for (std::uint64_t count = 1; count <= times; ++count) {
      Threads::yield();
      done.store(count, std::memory_order_relaxed);
    }
    if (!of->has_one_ended.exchange(true, std::memory_order_relaxed)) look_at_others();
  }

 private:
  void look_at_others() {
    double least = 1;
    for (const yielder_by& each : of->all) {
      if (each.times > 0)
        least = std::min(least, static_cast<double>(each.done.load(std::memory_order_relaxed)) / static_cast<double>(each.times));
    }
    of->others_done = least;
  }
};

template <class Threads>
kernel_run run_by(const kernel_input& input, stopwatch& watch) {
  std::size_t const count = std::size_t{2} * input.workers;
  auto const yielders = std::make_unique<yielder_by<Threads>[]>(count);
  auto const threads = std::make_unique<typename Threads::thread[]>(count);
  crowd_by<Threads> crowd{{yielders.get(), count}};
  for (std::size_t index = 0; index < count; ++index) {
    yielders[index].of = &crowd;
    yielders[index].times = share(input.size, count, index);
  }
  watch.start();
  for (std::size_t index = 0; index < count; ++index) threads[index].start_record(&yielders[index]);
  for (std::size_t index = 0; index < count; ++index) threads[index].join();
  watch.stop();
  std::uint64_t yields = 0;
  for (const yielder_by<Threads>& each : crowd.all) yields += each.done.load(std::memory_order_relaxed);
  return {yields, yields, {{"others_done_ratio", crowd.others_done}}};
}

// Two that one worker runs: nothing of this is shared between OS threads while they run.
template <class Threads>
struct pair_by {
  struct member {
    pair_by* of;
    std::size_t own;
    std::uint64_t times;

    void run() { of->play(own, times); }
  };

  typename Threads::neighbours threads;
  member members[2];
  std::atomic<bool> are_both_made = false;
  std::size_t ended = 0;
  std::size_t last = 2;  // which ran last; none has
  std::uint64_t turns = 0;

  // Neither ends while the other one can still yield to it.
  void play(std::size_t own, std::uint64_t times) {
    while (!are_both_made.load(std::memory_order_acquire)) Threads::yield();
    for (; times > 0; --times) {
      if (last != own) ++turns;
      last = own;
      threads.yield_to(1 - own);
    }
    for (++ended; ended < 2;) Threads::yield();
  }
};

template <class Threads>
kernel_run run_to_by(const kernel_input& input, stopwatch& watch) {
  using pair = pair_by<Threads>;
  auto const pairs = std::make_unique<pair[]>(input.workers);
  for (unsigned index = 0; index < input.workers; ++index) {
    for (std::size_t own = 0; own < 2; ++own)
      pairs[index].members[own] = {&pairs[index], own, share(input.size, input.workers, index)};
  }
  watch.start();
  for (unsigned index = 0; index < input.workers; ++index) {
    pair& two = pairs[index];
    two.threads.start(index, &two.members[0], &two.members[1]);
    two.are_both_made.store(true, std::memory_order_release);
  }
  for (unsigned index = 0; index < input.workers; ++index) pairs[index].threads.join();
  watch.stop();
  std::uint64_t turns = 0;
  for (unsigned index = 0; index < input.workers; ++index) turns += pairs[index].turns;
  return {turns, 2 * input.size, {}};
}

}  // namespace bench::yield
