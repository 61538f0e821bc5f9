#include "kernels/queens_array/queens_array.hpp"

namespace bench::queens_array {

const kernel queens_array = {
    .name = "queens-array",
    .title = "n-queens with boards that are copied; each placement a thread or fork",
    .size_word = "n",
    .unit = "placement",
    .default_size = 12,
    .quick_size = 8,
    .max_size = queens::max_size,
    .expected = queens::expected,
};

}  // namespace bench::queens_array
