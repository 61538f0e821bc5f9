// What a step of a generator or a coroutine costs, and making one, beside Boost.Coroutine2 in the
// same process, in turns: medians, the least and the most of the repetitions, and the ratio of the
// medians. Each sum is checked. usage: micro-generators [STEPS [REPETITIONS]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <boost/coroutine2/coroutine.hpp>

#include <weft/coroutine2.hpp>
#include <weft/generator.hpp>
#include <weft/runtime.hpp>

namespace {

namespace boost2 = boost::coroutines2;

using sum_function = long (*)(int steps);

long by_generator(int steps) {
  long sum = 0;
  for (const int each : weft::generator<int>([steps](weft::yielder<int>& yield) {
         for (int value = 0; value < steps; ++value) yield(int{value});
       }))
    sum += each;
  return sum;
}

template <template <class> class Coroutine>
long by_pulls(int steps) {
  using pull = typename Coroutine<int>::pull_type;
  using push = typename Coroutine<int>::push_type;
  long sum = 0;
  pull source([steps](push& sink) {
    for (int value = 0; value < steps; ++value) sink(value);
  });
  for (const int each : source) sum += each;
  return sum;
}

// One step each.
template <template <class> class Coroutine>
long by_making(int steps) {
  using pull = typename Coroutine<int>::pull_type;
  using push = typename Coroutine<int>::push_type;
  long sum = 0;
  for (int value = 0; value < steps; ++value) {
    pull source([value](push& sink) { sink(value); });
    sum += source.get();
  }
  return sum;
}

struct contender {
  const char* name;
  sum_function run;
  std::vector<double> ns = {};
};

struct comparison {
  const char* what;
  int steps;
  std::vector<contender> all;  // the last one is the rival
};

void measure(contender& one, int steps) {
  const auto before = std::chrono::steady_clock::now();
  const long sum = one.run(steps);
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - before;
  if (sum != long{steps} * (steps - 1) / 2) {
    std::fprintf(stderr, "%s: a wrong sum\n", one.name);
    std::exit(1);
  }
  one.ns.push_back(taken.count() / steps);
}

void print(comparison& of) {
  for (contender& one : of.all) std::ranges::sort(one.ns);
  const double rival = of.all.back().ns[of.all.back().ns.size() / 2];
  for (const contender& one : of.all) {
    const double median = one.ns[one.ns.size() / 2];
    std::printf("%-7s %-18s %8.1f ns  (%.1f to %.1f)  %.2f\n", of.what, one.name, median, one.ns.front(), one.ns.back(),
                median / rival);
  }
}

}  // namespace

int main(int count, char** words) {
  const int steps = count > 1 ? std::atoi(words[1]) : 1'000'000;
  const int repetitions = count > 2 ? std::atoi(words[2]) : 11;
  const weft::runtime runtime({.workers = 1});
  comparison all[] = {{"step",
                       steps,
                       {{"weft::generator", by_generator},
                        {"weft::coroutine", by_pulls<weft::coroutine>},
                        {"Boost.Coroutine2", by_pulls<boost2::coroutine>}}},
                      {"make",
                       steps / 20 + 1,
                       {{"weft::coroutine", by_making<weft::coroutine>}, {"Boost.Coroutine2", by_making<boost2::coroutine>}}}};
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (comparison& each : all) {
      for (contender& one : each.all) measure(one, each.steps);
    }
  }
  for (comparison& each : all) print(each);
  return 0;
}
