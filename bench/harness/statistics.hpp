// What is said about repeated measurements: the median, how far they spread, and how the medians of
// two compare.
#pragma once

#include <span>

namespace bench {

struct spread {
  double median = 0;
  double least = 0;
  double most = 0;
};

spread summarise(std::span<const double> samples);  // zeros for none

struct ratio {
  double value = 0;
  double low = 0;
  double high = 0;
};

// median(ours) / median(theirs) with its 95 % interval: both are resampled (percentile bootstrap),
// in the same way each time. Neither may be empty; with fewer than least_repetitions on either side
// the interval is too narrow to conclude anything from.
ratio ratio_of_medians(std::span<const double> ours, std::span<const double> theirs);

inline constexpr unsigned least_repetitions = 5;

}  // namespace bench
