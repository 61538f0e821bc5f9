// Short parallel loops, over and over: what a runtime adds to a few steps of about a microsecond.
//
//     loops-RUNTIME STEPS ROUNDS WORKERS    the median of the time of a loop, in nanoseconds; a step is ROUNDS dependent multiplications
//     loops-RUNTIME first WORKERS           the time from the start of the runtime to the end of the first loop, of WORKERS empty steps
//
// Each runtime's file defines loops_with. Steps are dealt one by one (grain 1), as where each is
// worth a worker. loops.py runs the programs in turn. What a step does is the same everywhere, so
// that sums of instructions can be compared, too.
#ifndef WEFT_BENCH_MICRO_LOOPS_HPP
#define WEFT_BENCH_MICRO_LOOPS_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace loops {

struct order {
  std::size_t steps;
  long rounds;
  unsigned workers;
};

using timer = std::chrono::steady_clock;

inline double ns_since(timer::time_point start) { return std::chrono::duration<double, std::nano>(timer::now() - start).count(); }

// A round takes four cycles or so; nothing is read or written.
inline void step(long rounds) {
  std::uint64_t value = 1;
  asm volatile("" : "+r"(value));  // a step of no rounds is one, too
  for (long i = 0; i < rounds; ++i) {
    value = value * 0x5851f42d4c957f2d + 1;
    asm volatile("" : "+r"(value));
  }
}

// Batches of some 200 us, so that most are over before the kernel takes a CPU away.
template <class Loop>
double median_ns(const Loop& loop) {
  constexpr int batches = 200;
  constexpr double batch_ns = 200'000;
  for (int i = 0; i < 100; ++i) loop();
  const auto trial = timer::now();
  for (int i = 0; i < 10; ++i) loop();
  const long repeats = std::clamp(static_cast<long>(batch_ns * 10 / ns_since(trial)), 2L, 100'000L);
  std::vector<double> times;
  for (int batch = 0; batch < batches; ++batch) {
    const auto start = timer::now();
    for (long i = 0; i < repeats; ++i) loop();
    times.push_back(ns_since(start) / static_cast<double>(repeats));
  }
  std::nth_element(times.begin(), times.begin() + batches / 2, times.end());
  return times[batches / 2];
}

// For loops_with: measures loop(steps, rounds), or notes when the first is over.
class stage {
 public:
  explicit stage(const order* what) : what_(what) {}
  template <class Loop>
  void play(const Loop& loop) {
    if (what_->rounds < 0) {
      loop(what_->steps, 0);
      result_ns_ = ns_since(start_);
    } else {
      result_ns_ = median_ns([&] { loop(what_->steps, what_->rounds); });
    }
  }
  double result_ns() const { return result_ns_; }

 private:
  const order* what_;
  const timer::time_point start_ = timer::now();
  double result_ns_ = 0;
};

}  // namespace loops

// Starts the runtime with so many workers, plays one loop on the stage, and ends the runtime.
void loops_with(unsigned workers, loops::stage& stage);

inline int loops_refuse(const char* program) {
  std::fprintf(stderr, "usage: %s STEPS ROUNDS WORKERS, or %s first WORKERS\n", program, program);
  return 2;
}

int main(int count, char** words) {
  loops::order what{0, 0, 0};
  if (count == 3 && std::strcmp(words[1], "first") == 0) {
    what.workers = static_cast<unsigned>(std::strtoul(words[2], nullptr, 10));
    what.steps = what.workers;
    what.rounds = -1;
  } else if (count == 4) {
    what = {std::strtoul(words[1], nullptr, 10), std::strtol(words[2], nullptr, 10),
            static_cast<unsigned>(std::strtoul(words[3], nullptr, 10))};
    if (what.rounds < 0) return loops_refuse(words[0]);
  }
  if (what.steps == 0 || what.workers == 0) return loops_refuse(words[0]);
  loops::stage stage(&what);
  loops_with(what.workers, stage);
  std::printf("%.3f\n", stage.result_ns());
  return 0;
}

#endif
