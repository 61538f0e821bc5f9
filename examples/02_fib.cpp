// Two futures a call. Written for Boost.Fiber: `boost` became `weft`, and that is all.
#include <weft/fiber/all.hpp>

#include <iostream>

int fib(int n) {
  if (n < 2) return n;
  weft::fibers::future<int> left = weft::fibers::async(fib, n - 1);
  weft::fibers::future<int> right = weft::fibers::async(fib, n - 2);
  return left.get() + right.get();
}

int main() { std::cout << "fib(15) = " << fib(15) << '\n'; }
