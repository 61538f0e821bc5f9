#include "kernels/queens_array/queens_array.hpp"

namespace bench::queens_array {

namespace {

constexpr variant variants[] = {{"sequential", run_sequential}, {"ult", run_ult}, {"fork", run_fork}};

}  // namespace

const kernel queens_array = {
    .name = "queens-array",
    .title = "n-queens with boards that are copied; each placement a thread or fork",
    .size_word = "n",
    .unit = "placement",
    .default_size = 12,
    .quick_size = 8,
    .max_size = queens::max_size,
    .variants = variants,
    .expected = queens::expected,
};

}  // namespace bench::queens_array
