#include "kernels/random_access/random_access.hpp"

#include <atomic>
#include <bit>

#include "harness/memory.hpp"

namespace bench::random_access {

namespace {

constexpr std::uint64_t one_in = 100;  // so many updates may be wrong

// The product of two polynomials over GF(2), modulo the benchmark's.
std::uint64_t multiply(std::uint64_t left, std::uint64_t right) {
  std::uint64_t product = 0;
  for (unsigned bit = 64; bit-- > 0;) {
    product = step(product);
    if ((left >> bit & 1) != 0) product ^= right;
  }
  return product;
}

std::uint64_t expected(const kernel_input& input) { return std::uint64_t{4} << input.size; }

fitted_size fit(std::uint64_t size) {
  return fit_to_memory(size, "index bits", [](std::uint64_t bits) { return sizeof(std::uint64_t) << bits; });
}

}  // namespace

std::uint64_t power_at(std::uint64_t exponent) {
  std::uint64_t power = 1;
  for (auto bit = static_cast<unsigned>(std::bit_width(exponent)); bit-- > 0;) {
    power = multiply(power, power);
    if ((exponent >> bit & 1) != 0) power = step(power);
  }
  return power;
}

void table::fill(chunk indices) const {
  for (std::uint64_t index = indices.first; index < indices.last; ++index) words_[index] = index;
}

void table::update(chunk numbers) const {
  std::uint64_t power = power_at(numbers.first);
  for (std::uint64_t number = numbers.first; number < numbers.last; ++number) {
    power = step(power);
    // Two accesses, between which another worker's update may be lost; but not a data race of the
    // language.
    std::atomic_ref<std::uint64_t> const word(words_[power & mask_]);
    word.store(word.load(std::memory_order_relaxed) ^ power, std::memory_order_relaxed);
  }
}

std::uint64_t table::count_errors() const {
  std::uint64_t power = 1;
  for (std::uint64_t number = 0; number < updates(); ++number) {
    power = step(power);
    words_[power & mask_] ^= power;
  }
  std::uint64_t errors = 0;
  for (std::uint64_t index = 0; index < size(); ++index) errors += words_[index] == index ? 0 : 1;
  return errors;
}

kernel_run describe(const table& of, double seconds) {
  std::uint64_t const updates = of.updates();
  std::uint64_t const errors = of.count_errors();
  std::uint64_t const holding = errors <= updates / one_in ? updates : updates - errors;
  return {holding,
          updates,
          {{"wrong_words", static_cast<double>(errors)}, {"updates_per_second", static_cast<double>(updates) / seconds}}};
}

const kernel random_access = {
    .name = "random-access",
    .title = "RandomAccess: updates all over a table; a part a worker",
    .size_word = "index bits",
    .unit = "update",
    .default_size = 21,
    .quick_size = 16,  // in a smaller table two workers meet so often that more than one_in updates are lost
    .max_size = 40,
    .expected = expected,
    .fit = fit,
};

}  // namespace bench::random_access
