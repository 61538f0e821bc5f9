#include "kernels/cilksort/cilksort.hpp"

#include "kernels/sorting.hpp"

namespace bench::cilksort {

const kernel cilksort = {
    .name = "cilksort",
    .title = "mergesort of integers in memory that all ranks reach",
    .size_word = "integers",
    .unit = "piece",
    .default_size = std::uint64_t{1} << 22,
    .quick_size = std::uint64_t{1} << 17,
    .max_size = std::uint64_t{1} << 36,
    .expected = sorting::expected,
    .is_digest = true,
};

}  // namespace bench::cilksort
