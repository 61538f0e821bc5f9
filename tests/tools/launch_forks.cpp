// Forks that migrate, for ever: launch_deaths.py kills its ranks. The frames are large, so that a rank
// is often inside a claim, copying them. As `exit STATUS` its root exits with that status.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

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

}  // namespace

int main(int count, char** words) {
  if (count > 2) {
    const int status = std::atoi(words[2]);
    weft::dist::root([status] { std::exit(status); });
  }
  std::printf("process %d %d\n", weft::dist::rank(), getpid());
  std::fflush(stdout);
  while (weft::dist::root([] { return fib(9); }) == 34) continue;
  return EXIT_FAILURE;
}
