// Forks that move between processes: only the root is new. Every rank runs main, and gets the
// result.
//
//   22_dist_fib [n]     default 30
#include <cstdio>
#include <cstdlib>

#include <weft/dist.hpp>

namespace {

long fib(long n) noexcept {
  if (n < 2) return n;
  auto left = weft::fork([=] { return fib(n - 1); });
  const long right = fib(n - 2);
  return left.join() + right;
}

}  // namespace

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 30;
  const long result = weft::dist::root([=] { return fib(n); });
  if (weft::dist::rank() == 0) std::printf("fib(%ld) = %ld\n", n, result);
}
