#include "kernels/stream/stream.hpp"

#include <bit>

#include "harness/memory.hpp"
#include "harness/random.hpp"

namespace bench::stream {

namespace {

constexpr unsigned alpha = 3;
constexpr unsigned value_bits = 21;
constexpr double step = 1.0 / (1U << value_bits);

enum class vector : std::uint64_t { b = 1, c = 2 };

// In steps.
std::uint64_t number_at(vector of, std::uint64_t index) {
  return random_numbers(index << 2 | static_cast<std::uint64_t>(of)).next() >> (64 - value_bits);
}

// Depends on the place: elements that changed places are noticed.
std::uint64_t weigh(double element, std::uint64_t index) {
  return random_numbers(std::bit_cast<std::uint64_t>(element) ^ std::rotl(index, 32)).next();
}

}  // namespace

void fill(const vectors& of, chunk indices) {
  for (std::uint64_t index = indices.first; index < indices.last; ++index) {
    of.a[index] = 0;
    of.b[index] = static_cast<double>(number_at(vector::b, index)) * step;
    of.c[index] = static_cast<double>(number_at(vector::c, index)) * step;
  }
}

void triad(const vectors& of, chunk indices) {
  double* const a = of.a.get();
  const double* const b = of.b.get();
  const double* const c = of.c.get();
  for (std::uint64_t index = indices.first; index < indices.last; ++index) a[index] = b[index] + alpha * c[index];
}

std::uint64_t digest(const vectors& of) {
  std::uint64_t sum = 0;
  for (std::uint64_t index = 0; index < of.count; ++index) sum += weigh(of.a[index], index);
  return sum;
}

std::uint64_t expected(const kernel_input& input) {
  std::uint64_t sum = 0;
  for (std::uint64_t index = 0; index < input.size; ++index) {
    std::uint64_t const steps = number_at(vector::b, index) + alpha * number_at(vector::c, index);
    sum += weigh(static_cast<double>(steps) * step, index);
  }
  return sum;
}

fitted_size fit(std::uint64_t size) {
  return fit_to_memory(size, "elements", [](std::uint64_t elements) { return elements * bytes_per_element; });
}

std::vector<metric> describe(std::uint64_t count, double best_seconds) {
  auto const bytes = static_cast<double>(count * bytes_per_element);
  return {{"best_trial_seconds", best_seconds}, {"bytes_per_second", bytes / best_seconds}};
}

const kernel stream = {
    .name = "stream",
    .title = "STREAM's triad of vectors, ten times; a part a worker",
    .size_word = "elements",
    .unit = "element",
    .default_size = std::uint64_t{1} << 23,
    .quick_size = std::uint64_t{1} << 14,
    .max_size = std::uint64_t{1} << 40,
    .expected = expected,
    .fit = fit,
    .is_digest = true,
};

}  // namespace bench::stream
