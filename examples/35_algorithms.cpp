// Algorithms with the names and arguments of std, run in parallel: prices of sales, sorted, summed
// up and searched.
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <weft/algorithm.hpp>
#include <weft/numeric.hpp>
#include <weft/runtime.hpp>

namespace {

struct sale {
  std::string name;
  long cents;
};

}  // namespace

int main() {
  const weft::runtime runtime;
  std::vector<sale> sales;
  for (long i = 0; i < 200000; ++i) sales.push_back({"item " + std::to_string(i % 100), i * 7919 % 10007});
  const auto cents = [](const sale& each) { return each.cents; };

  weft::stable_sort(weft::par, sales, [](const sale& a, const sale& b) { return a.cents < b.cents; });
  std::printf("in all %ld cents\n", weft::transform_reduce(weft::par, sales, 0L, std::plus<>(), cents));

  std::vector<long> so_far(sales.size());
  weft::transform_inclusive_scan(weft::par, sales.begin(), sales.end(), so_far.begin(), std::plus<>(), cents);
  const auto half = weft::find_if(weft::par, so_far, [&](long sum) { return 2 * sum >= so_far.back(); });
  std::printf("%td sales make half of it\n", half - so_far.begin() + 1);
  std::printf("%td cost nothing\n", weft::count_if(weft::par, sales, [](const sale& each) { return each.cents == 0; }));

  try {
    weft::for_each(weft::par, sales, [](const sale& each) {
      if (each.cents > 10000) throw std::runtime_error("too dear: " + each.name);
    });
  } catch (const std::runtime_error& problem) {
    std::printf("%s\n", problem.what());
  }
}
