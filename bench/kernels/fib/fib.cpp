#include "kernels/fib/fib.hpp"

namespace bench::fib {

namespace {

std::uint64_t expected(const kernel_input& input) { return answer(input.size); }

constexpr variant every_call_variants[] = {{"sequential", run_sequential}, {"ult", run_ult}, {"fork", run_fork}};
constexpr variant cutoff_variants[] = {{"sequential", run_sequential_cutoff}, {"ult", run_ult_cutoff}, {"fork", run_fork_cutoff}};

}  // namespace

const kernel every_call = {
    .name = "fib",
    .title = "fib(n), every call a thread or fork",
    .size_word = "n",
    .unit = "call",
    .default_size = 30,
    .quick_size = 18,
    .max_size = 60,
    .variants = every_call_variants,
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
    .variants = cutoff_variants,
    .expected = expected,
};

}  // namespace bench::fib
