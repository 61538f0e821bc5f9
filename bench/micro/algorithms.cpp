// One text for parallel algorithms: with oneDPL on oneTBB where ON_ONEDPL is defined, else with
// Weft. Prints a line for each: its name and the median time of a call in nanoseconds.
//
//   algorithms-weft [ELEMENTS [CALLS [WORKERS]]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include "../harness/stopwatch.hpp"

#if defined(ON_ONEDPL)
#include <oneapi/tbb/global_control.h>
#include <oneapi/dpl/algorithm>
#include <oneapi/dpl/execution>
#include <oneapi/dpl/numeric>
namespace library = oneapi::dpl;
static const auto& par = oneapi::dpl::execution::par;
struct runtime {
  explicit runtime(unsigned workers) : limit(oneapi::tbb::global_control::max_allowed_parallelism, workers) {}
  oneapi::tbb::global_control limit;
};
#else
#include <weft/algorithm.hpp>
#include <weft/numeric.hpp>
#include <weft/runtime.hpp>
namespace library = weft;
static const auto& par = weft::par;
struct runtime {
  explicit runtime(unsigned workers) : one({.workers = workers}) {}
  weft::runtime one;
};
#endif

namespace {

struct settings {
  std::size_t elements = 1000000;
  unsigned calls = 11;
};

// before(): puts the input back, outside of the measured time.
template <class Before, class Call>
void tell(const settings& how, const char* name, const Before& before, const Call& call) {
  std::vector<double> times;
  for (unsigned i = 0; i < how.calls; ++i) {
    before();
    const std::uint64_t start = bench::read_clock_ns(CLOCK_MONOTONIC);
    call();
    times.push_back(static_cast<double>(bench::read_clock_ns(CLOCK_MONOTONIC) - start));
  }
  std::nth_element(times.begin(), times.begin() + how.calls / 2, times.end());
  std::printf("%s %.0f\n", name, times[how.calls / 2]);
  std::fflush(stdout);
}

// About 20 to 30 ns.
double slow(double value) {
  for (int i = 0; i < 6; ++i) value = value * 0.999 + 1.0 / (1.0 + value);
  return value;
}

void measure(const settings& how) {
  const std::size_t size = how.elements;
  std::minstd_rand random(1);
  std::vector<int> input(size), work(size), sorted, out(2 * size);
  for (int& each : input) each = static_cast<int>(random());
  sorted = input;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> numbers(size, 0.5), results(size);
  volatile double sum = 0;
  volatile std::ptrdiff_t place = 0;
  const auto nothing = [] {};
  const auto again = [&] { work = input; };
  const auto is_odd = [](int value) { return value % 2 != 0; };

  tell(how, "sort", again, [&] { library::sort(par, work.begin(), work.end()); });
  tell(how, "stable_sort", again, [&] { library::stable_sort(par, work.begin(), work.end()); });
  tell(how, "merge", nothing,
       [&] { library::merge(par, sorted.begin(), sorted.end(), sorted.begin(), sorted.end(), out.begin()); });
  tell(how, "partition", again, [&] { library::partition(par, work.begin(), work.end(), is_odd); });
  tell(how, "copy_if", nothing, [&] { library::copy_if(par, input.begin(), input.end(), out.begin(), is_odd); });
  tell(how, "unique", [&] { work = sorted; }, [&] { library::unique(par, work.begin(), work.end()); });
  tell(how, "inclusive_scan", nothing, [&] { library::inclusive_scan(par, numbers.begin(), numbers.end(), results.begin()); });
  tell(how, "exclusive_scan", nothing,
       [&] { library::exclusive_scan(par, numbers.begin(), numbers.end(), results.begin(), 0.0); });
  tell(how, "transform_slow", nothing, [&] { library::transform(par, numbers.begin(), numbers.end(), results.begin(), slow); });
  tell(how, "reduce_slow", nothing,
       [&] { sum = library::transform_reduce(par, numbers.begin(), numbers.end(), 0.0, std::plus<>(), slow); });
  tell(how, "reduce", nothing, [&] { sum = library::reduce(par, numbers.begin(), numbers.end(), 0.0); });
  tell(how, "transform", nothing,
       [&] { library::transform(par, numbers.begin(), numbers.end(), results.begin(), [](double x) { return x * 2; }); });
  tell(how, "fill", nothing, [&] { library::fill(par, results.begin(), results.end(), 1.0); });
  tell(how, "find", nothing, [&] { place = library::find(par, input.begin(), input.end(), -1) - input.begin(); });
  tell(how, "count_if", nothing, [&] { place = library::count_if(par, input.begin(), input.end(), is_odd); });
  tell(how, "max_element", nothing, [&] { place = library::max_element(par, input.begin(), input.end()) - input.begin(); });
}

}  // namespace

int main(int count, char** arguments) {
  settings how;
  if (count > 1) how.elements = std::strtoul(arguments[1], nullptr, 10);
  if (count > 2) how.calls = static_cast<unsigned>(std::strtoul(arguments[2], nullptr, 10));
  const unsigned workers = count > 3 ? static_cast<unsigned>(std::strtoul(arguments[3], nullptr, 10)) : 2;
  if (how.elements == 0 || how.calls == 0 || workers == 0) {
    std::fprintf(stderr, "usage: %s [ELEMENTS [CALLS [WORKERS]]], each above 0\n", arguments[0]);
    return 2;
  }
  const runtime on(workers);
  measure(how);
}
