#include "kernels/quicksort/quicksort.hpp"

namespace bench::quicksort {

void sort_small(segment segment) {
  while (segment.count > sorting::insertion_cutoff) {
    halves const parts = partition(segment);
    sort_small(parts.low);
    segment = parts.high;
  }
  sorting::sort_insertion(segment);
}

const kernel with_cutoff = {
    .name = "quicksort",
    .title = "quicksort of integers; each part above 2048 a thread or fork",
    .size_word = "integers",
    .unit = "segment",
    .default_size = std::uint64_t{1} << 22,
    .quick_size = std::uint64_t{1} << 17,
    .max_size = std::uint64_t{1} << 36,
    .expected = sorting::expected,
    .is_digest = true,
};

const kernel every_segment = {
    .name = "quicksort-every",
    .title = "quicksort of integers; every part a thread or fork",
    .size_word = "integers",
    .unit = "segment",
    .default_size = std::uint64_t{1} << 20,
    .quick_size = std::uint64_t{1} << 14,
    .max_size = std::uint64_t{1} << 36,
    .expected = sorting::expected,
    .is_digest = true,
};

}  // namespace bench::quicksort
