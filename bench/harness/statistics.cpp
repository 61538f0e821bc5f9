#include "harness/statistics.hpp"

#include <algorithm>
#include <vector>

#include "harness/random.hpp"

namespace bench {

namespace {

constexpr std::size_t resamples = 2000;

double median_of_resample(std::span<const double> samples, random_numbers& numbers) {
  std::vector<double> drawn(samples.size());
  std::ranges::generate(drawn, [&] { return samples[numbers.next() % samples.size()]; });
  return summarise(drawn).median;
}

}  // namespace

spread summarise(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  std::size_t const middle = sorted.size() / 2;
  double const median = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return {median, sorted.front(), sorted.back()};
}

ratio ratio_of_medians(std::span<const double> ours, std::span<const double> theirs) {
  random_numbers numbers(1);
  std::vector<double> ratios(resamples);
  std::ranges::generate(ratios, [&] {
    double const one = median_of_resample(ours, numbers);
    return one / median_of_resample(theirs, numbers);
  });
  std::ranges::sort(ratios);
  return {summarise(ours).median / summarise(theirs).median, ratios[resamples / 40], ratios[resamples - 1 - resamples / 40]};
}

}  // namespace bench
