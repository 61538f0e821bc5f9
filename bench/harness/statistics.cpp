#include "harness/statistics.hpp"

#include <algorithm>
#include <vector>

namespace bench {

spread summarise(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  std::size_t const middle = sorted.size() / 2;
  double const median = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return {median, sorted.front(), sorted.back()};
}

}  // namespace bench
