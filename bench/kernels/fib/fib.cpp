#include "kernels/fib/fib.hpp"

namespace bench::fib {

namespace {

std::uint64_t expected(const kernel_input& input) { return answer(input.size); }

}  // namespace

const kernel every_call = {
    .name = "fib",
    .title = "fib(n), every call a thread or fork",
    .size_word = "n",
    .unit = "call",
    .default_size = 30,
    .quick_size = 18,
    .max_size = 60,
    .expected = expected,
};

const kernel with_cutoff = {
    .name = "fib-cutoff",
    .title = "fib(n), calls with n < 10 are plain calls",
    .size_word = "n",
    .unit = "call",
    .default_size = 40,
    .quick_size = 25,
    .max_size = 60,
    .expected = expected,
};

}  // namespace bench::fib
