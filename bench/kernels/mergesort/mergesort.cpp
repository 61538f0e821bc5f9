#include "kernels/mergesort/mergesort.hpp"

namespace bench::mergesort {

const kernel mergesort = {
    .name = "mergesort",
    .title = "mergesort of integers; each half and each part of a long merge a thread or fork",
    .size_word = "integers",
    .unit = "segment",
    .default_size = std::uint64_t{1} << 21,
    .quick_size = std::uint64_t{1} << 16,
    .max_size = std::uint64_t{1} << 36,
    .expected = sorting::expected,
    .is_digest = true,
};

}  // namespace bench::mergesort
