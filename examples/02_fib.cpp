// A thread for every call: weft::async gives a future, and getting it waits without blocking the worker.
#include <cstdio>

#include <weft/async.hpp>
#include <weft/runtime.hpp>

namespace {

long fib(int n) {
  if (n < 2) return n;
  weft::future<long> left = weft::async(fib, n - 1);
  const long right = fib(n - 2);
  return left.get() + right;
}

}  // namespace

int main() {
  const weft::runtime runtime;
  std::printf("fib(25) = %ld\n", fib(25));
}
