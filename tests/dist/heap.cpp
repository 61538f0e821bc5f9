// A forker that keeps an address of its heap across a fork: with WEFT_DIST_CHECK=all the library says so, and names the fork, also on
// one rank, on which the program ends rightly.
#include <cstdio>
#include <vector>

#include <weft/dist.hpp>

namespace {

long sum_of(const std::vector<long>& all) {
  long sum = 0;
  for (const long each : all) sum += each;
  return sum;
}

long careless() {
  std::vector<long> mine(100, 3);
  auto child = weft::fork([] { return 42L; });
  const long sum = sum_of(mine);
  return sum + child.join();
}

}  // namespace

int main() {
  const long result = weft::dist::root([] { return careless(); });
  return result == 342 ? 0 : 1;
}
