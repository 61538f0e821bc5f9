// What is said about repeated measurements: the median, and how far they spread.
#pragma once

#include <span>

namespace bench {

struct spread {
  double median = 0;
  double least = 0;
  double most = 0;
};

spread summarise(std::span<const double> samples);  // zeros for none

}  // namespace bench
