#include "kernels/chapel_quicksort/chapel_quicksort.hpp"

#include <algorithm>
#include <utility>

#include "harness/memory.hpp"
#include "harness/random.hpp"

namespace bench::chapel_quicksort {

namespace {

void put_in_order(double& one, double& other) {
  if (other < one) std::swap(one, other);
}

constexpr std::uint64_t seed = 1;

double next_value(random_numbers& numbers) { return static_cast<double>(numbers.next() >> 11) * 0x1p-53; }

std::uint64_t digest(double value) { return random_numbers(std::bit_cast<std::uint64_t>(value)).next(); }

// From the numbers as they are drawn: nothing is sorted.
std::uint64_t expected(const kernel_input& input) {
  random_numbers numbers(seed);
  std::uint64_t sum = 0;
  for (std::uint64_t index = 0; index < input.size; ++index) sum += digest(next_value(numbers));
  return sum;
}

fitted_size fit(std::uint64_t size) {
  return fit_to_memory(size, "values", [](std::uint64_t values) { return values * sizeof(double); });
}

constexpr kernel make(std::string_view name, std::string_view title) {
  return {
      .name = name,
      .title = title,
      .size_word = "values",
      .unit = "value",
      .default_size = std::uint64_t{1} << 20,
      .quick_size = std::uint64_t{1} << 14,
      .max_size = std::uint64_t{1} << 36,
      .expected = expected,
      .fit = fit,
      .is_digest = true,
      .is_of_experiment = true,
  };
}

}  // namespace

// As many passes as there are values, also when an earlier one has sorted them.
void sort_by_bubbles(segment values) {
  for (std::size_t pass = 0; pass < values.count; ++pass) {
    for (std::size_t place = 1; place < values.count; ++place) put_in_order(values.first[place - 1], values.first[place]);
  }
}

parts partition(segment values) {
  double* const v = values.first;
  std::size_t const last = values.count - 1;
  std::size_t const middle = values.count / 2;
  put_in_order(v[0], v[middle]);
  put_in_order(v[0], v[last]);
  put_in_order(v[middle], v[last]);
  double const pivot = v[middle];
  v[middle] = v[last - 1];
  v[last - 1] = pivot;
  std::size_t low = 0;  // the first and the last value stop the searches
  std::size_t high = last - 1;
  while (low < high) {
    do ++low;
    while (v[low] < pivot);
    do --high;
    while (pivot < v[high]);
    if (low < high) std::swap(v[low], v[high]);
  }
  v[last - 1] = v[low];
  v[low] = pivot;
  return {{v, low}, {v + low + 1, last - low}};
}

std::unique_ptr<double[]> make_values(std::size_t count) {
  auto values = std::make_unique_for_overwrite<double[]>(count);
  random_numbers numbers(seed);
  std::generate_n(values.get(), count, [&] { return next_value(numbers); });
  return values;
}

std::uint64_t digest_sorted(const double* values, std::size_t count) {
  if (!std::is_sorted(values, values + count)) return 0;
  std::uint64_t sum = 0;
  for (std::size_t index = 0; index < count; ++index) sum += digest(values[index]);
  return sum;
}

const kernel on_one_level = make("chapel-quicksort-1", "Chapel's quicksort of reals; one cobegin");
const kernel on_levels_for_workers =
    make("chapel-quicksort-log", "Chapel's quicksort; cobegin on log2 of the workers + 2 levels");
const kernel on_ten_levels = make("chapel-quicksort-10", "Chapel's quicksort; cobegin on ten levels");
const kernel on_all_levels = make("chapel-quicksort-all", "Chapel's quicksort; cobegin on every level");

}  // namespace bench::chapel_quicksort
