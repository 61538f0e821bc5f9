// One-way wake-ups: a waker on an OS thread outside of the runtime notes the time, wakes a sleeper,
// and looks at a word until the sleeper has answered.
#pragma once

#include <errno.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace one_way {

using timer = std::chrono::steady_clock;

constexpr std::size_t batch = 100;
constexpr auto pause = std::chrono::microseconds(400);  // until the workers have gone to sleep

inline void must(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "%s: %s failed\n", program_invocation_short_name, what);
  std::exit(1);
}

struct size {
  unsigned workers;
  std::size_t batches;
};

// Of the program's words: [WORKERS [SAMPLES]].
inline size size_of_run(int count, char** words) {
  const long workers = count > 1 ? std::atol(words[1]) : 2;
  const long samples = count > 2 ? std::atol(words[2]) : 2000;
  if (count <= 3 && workers >= 1 && samples >= static_cast<long>(batch))
    return {static_cast<unsigned>(workers), static_cast<std::size_t>(samples) / batch};
  std::fprintf(stderr, "usage: %s [WORKERS [SAMPLES]]; at least %zu samples\n", program_invocation_short_name, batch);
  std::exit(2);
}

// What a sleeper shares with the waker.
struct round_trip {
  timer::time_point woken_at;
  std::atomic<bool> is_answered{false};
  std::atomic<bool> is_over{false};

  void answer() {
    woken_at = timer::now();
    is_answered.store(true, std::memory_order_release);
  }
  void await_answer() {
    while (!is_answered.load(std::memory_order_acquire)) std::this_thread::yield();
    is_answered.store(false, std::memory_order_relaxed);
  }
};

template <class Sleeper>
void measure_batch(Sleeper& sleeper, std::vector<double>& samples) {
  for (std::size_t i = 0; i < batch; ++i) {
    std::this_thread::sleep_for(pause);
    const auto start = timer::now();
    sleeper.wake();
    sleeper.trip.await_answer();
    samples.push_back(std::chrono::duration<double, std::micro>(sleeper.trip.woken_at - start).count());
  }
}

double percentile(std::vector<double> samples, double part) {
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

void print(const char* name, const std::vector<double>& samples) {
  std::printf("%-20s median %7.2f us   p99 %7.2f us   p99.9 %7.2f us\n", name, percentile(samples, 0.5),
              percentile(samples, 0.99), percentile(samples, 0.999));
}

// Medians of the batches of both, one behind the other in time.
void print_ratios(const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> ratios;
  const auto median_of = [](const std::vector<double>& all, std::size_t begin) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
    return percentile({first, first + static_cast<std::ptrdiff_t>(batch)}, 0.5);
  };
  for (std::size_t begin = 0; begin < ours.size(); begin += batch)
    ratios.push_back(median_of(ours, begin) / median_of(theirs, begin));
  std::printf("%-20s median %7.2f      95 %%   %.2f - %.2f\n", "ratio", percentile(ratios, 0.5), percentile(ratios, 0.025),
              percentile(ratios, 0.975));
}

}  // namespace one_way
