// Memory that all ranks share, on one machine or on several: the primes below a number, by ranges
// whose results lie in a global array, and a future that threads on all ranks read.
//
//   26_dist_heap [n]     default 100000
#include <weft/dist.hpp>
#include <weft/parallel_for.hpp>
#include <weft/range.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int parts = 64;

bool is_prime(long n) {
  for (long divisor = 2; divisor * divisor <= n; ++divisor) {
    if (n % divisor == 0) return false;
  }
  return n >= 2;
}

long count_primes(long from, long to) {
  long count = 0;
  for (long n = from; n < to; ++n) count += is_prime(n) ? 1 : 0;
  return count;
}

// The limit is known only later: each part waits for it, and its rank does other work meanwhile.
void fill(weft::dist::global<long> counts, weft::dist::shared_future<long> limit) {
  weft::parallel_for(weft::range(0, parts, 1), [=](int part) {
    const long n = limit.get();
    counts[part].put(count_primes(n * part / parts, n * (part + 1) / parts));
  });
}

}  // namespace

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 100'000;
  const weft::dist::global_array<long> counts(parts);  // on each rank, which has a block of it
  const long sum = weft::dist::root([n, first = counts.begin()] {
    const auto limit = weft::dist::shared_future<long>::make(0);
    auto filled = weft::fork([=] { return fill(first, limit), 0; });
    limit.set(n);
    (void)filled.join();
    limit.drop();
    long counted[parts];
    weft::dist::get(first, std::span(counted));  // from all ranks
    long all = 0;
    for (const long each : counted) all += each;
    return all;
  });
  if (weft::dist::rank() == 0) std::printf("%ld primes below %ld\n", sum, n);
}
