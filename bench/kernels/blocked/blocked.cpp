#include "kernels/blocked/blocked.hpp"

#include "harness/memory.hpp"

namespace bench::blocked {

namespace {

std::uint64_t expected(const kernel_input& input) {
  std::uint64_t sum = 0;
  for (std::uint64_t number = 1; number <= input.size; ++number) sum += number;
  return sum;
}

fitted_size fit(std::uint64_t size) {
  return fit_to_memory(size, "threads", [](std::uint64_t threads) { return threads * bytes_per_thread; });
}

}  // namespace

const kernel blocked = {
    .name = "blocked",
    .title = "threads that are all blocked at the same time",
    .size_word = "threads",
    .unit = "thread",
    .default_size = 1'000'000,
    .quick_size = 10'000,
    .max_size = 1'000'000'000,
    .expected = expected,
    .fit = fit,
    .demo_size = 300'000,  // a million takes half of the demonstration's time
};

}  // namespace bench::blocked
