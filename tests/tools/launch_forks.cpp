// Forks that migrate, for ever: launch_deaths.py kills its ranks. The frames are large, so that a
// rank is often inside a claim, copying them. As `exit STATUS` its root exits with that status; as
// `for SECONDS` it ends well then.
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <weft/dist.hpp>
#include <weft/fork.hpp>

namespace {

long fib(int n) noexcept {
  if (n < 2) {
    for (int spin = 0; spin < 20'000; ++spin) asm volatile("");
    return n;
  }
  volatile char weight[1 << 18];
  weight[0] = static_cast<char>(n);
  weight[sizeof weight - 1] = static_cast<char>(n);
  auto left = weft::fork([=] { return fib(n - 1); });
  const long right = fib(n - 2);
  return left.join() + right + weight[0] - weight[sizeof weight - 1];
}

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct outcome {
  long result;
  double ended_at;  // the same on all ranks
};

bool go_on_for(double seconds) {
  const auto round = [] { return outcome{fib(9), now()}; };
  const outcome first = weft::dist::root(round);
  outcome last = first;
  while (last.result == 34 && last.ended_at - first.ended_at < seconds) last = weft::dist::root(round);
  return last.result == 34;
}

}  // namespace

int main(int count, char** words) {
  const bool is_limited = count > 2 && std::strcmp(words[1], "for") == 0;
  if (count > 2 && !is_limited) {
    const int status = std::atoi(words[2]);
    weft::dist::root([status] { std::exit(status); });
  }
  std::printf("process %d %d\n", weft::dist::rank(), getpid());
  std::fflush(stdout);
  if (is_limited) return go_on_for(std::atof(words[2])) ? EXIT_SUCCESS : EXIT_FAILURE;
  while (weft::dist::root([] { return fib(9); }) == 34) continue;
  return EXIT_FAILURE;
}
