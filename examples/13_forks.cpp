// Forks in C++: results and exceptions come out of join, and the end of the scope joins what is
// left.
#include <cstdio>
#include <stdexcept>

#include <weft/fork.hpp>
#include <weft/runtime.hpp>

namespace {

long fib(int n) noexcept {
  if (n < 2) return n;
  auto left = weft::fork([=] { return fib(n - 1); });
  const long right = fib(n - 2);
  return left.join() + right;
}

long checked_root(long square) {
  for (long root = 0; root * root <= square; ++root) {
    if (root * root == square) return root;
  }
  throw std::domain_error("no whole root");
}

}  // namespace

int main() {
  const weft::runtime runtime;
  std::printf("fib(30) = %ld\n", fib(30));

  auto good = weft::fork([] { return checked_root(144); });
  auto bad = weft::fork([] { return checked_root(145); });
  try {
    std::printf("the root of 145 is %ld\n", bad.join());
  } catch (const std::domain_error& problem) {
    std::printf("145: %s\n", problem.what());
  }
  std::printf("the root of 144 is %ld\n", good.join());
}
