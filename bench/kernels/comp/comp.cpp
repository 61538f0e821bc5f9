#include "kernels/comp/comp.hpp"

namespace bench::comp {

arrays::arrays(std::uint64_t size)
    : size_(static_cast<number_of_elements>(size)),
      ones_(std::make_unique<element[]>(size)),
      others_(std::make_unique<element[]>(size)) {
  for (number_of_elements index = 0; index < size_; ++index) {
    ones_[index] = static_cast<element>(index);
    others_[index] = -static_cast<element>(index);
  }
}

namespace {

// Every element but the last of the first array has its complement in the second one.
std::uint64_t expected(const kernel_input& input) { return input.size - 1; }

}  // namespace

const kernel comp = {
    .name = "comp",
    .title = "all pairs of two arrays compared, down to blocks of 4 x 4",
    .size_word = "elements",
    .unit = "pair",
    .default_size = 8192,
    .quick_size = 100,
    .max_size = 1'000'000,
    .expected = expected,
};

}  // namespace bench::comp
