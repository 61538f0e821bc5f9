#include "kernels/blocked/blocked.hpp"

#include <algorithm>

#include "harness/memory.hpp"

namespace bench::blocked {

namespace {

std::uint64_t expected(const kernel_input& input) {
  std::uint64_t sum = 0;
  for (std::uint64_t number = 1; number <= input.size; ++number) sum += number;
  return sum;
}

fitted_size fit(std::uint64_t size) {
  std::uint64_t const available = available_memory_bytes();
  std::uint64_t const most = available / 4 * 3 / bytes_per_thread;
  if (available == 0 || size <= most) return {size, ""};
  std::uint64_t const fitted = std::max<std::uint64_t>(most, 1);
  return {fitted, "scaled down from " + std::to_string(size) + " threads: " + std::to_string(available >> 20) +
                      " MiB of memory are available"};
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
};

}  // namespace bench::blocked
