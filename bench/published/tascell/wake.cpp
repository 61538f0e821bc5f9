// How soon a sleeping worker begins: the first worker computes without a poll until the other one
// sleeps, and then has work to give. `tascell-wake` prints what bench/published reads: the median
// and the 90th percentile of 101 times.
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include <weft/tascell.hpp>
#include <weft/weft.hpp>

namespace tascell = weft::tascell;
using tascell::context;

namespace {

constexpr double until_it_sleeps = 0.02;

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double begins_after() {
  double offered = 0, begun = 0;
  tascell::run([&](context c) {
    const double until = now() + until_it_sleeps;
    while (now() < until) continue;
    offered = now();
    volatile bool has_begun = false;
    tascell::do_two(
        c,
        [&](context inner) {
          while (!has_begun) inner.poll();
        },
        [&](context) {
          begun = now();
          has_begun = true;
        });
  });
  return begun - offered;
}

}  // namespace

int main() {
  weft::runtime runtime({.workers = 2});
  std::array<double, 101> us{};
  for (double& each : us) each = 1e6 * begins_after();
  std::sort(us.begin(), us.end());
  std::printf(
      "{\"format\": \"weft-figures-1\", \"correct\": true, \"figures\": {\"us\": %.3f, \"us_90\": %.3f}, \"facts\": {}}\n",
      us[50], us[90]);
}
