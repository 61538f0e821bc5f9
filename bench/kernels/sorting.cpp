#include "kernels/sorting.hpp"

#include <algorithm>

#include "harness/random.hpp"

namespace bench::sorting {

void sort_insertion(const segment& segment) {
  for (std::size_t sorted = 1; sorted < segment.count; ++sorted) {
    value const moving = segment.first[sorted];
    std::size_t place = sorted;
    for (; place > 0 && moving < segment.first[place - 1]; --place) segment.first[place] = segment.first[place - 1];
    segment.first[place] = moving;
  }
}

std::unique_ptr<value[]> make_values(std::size_t count) {
  auto values = std::make_unique_for_overwrite<value[]>(count);
  random_numbers numbers(1);
  std::generate_n(values.get(), count, [&] { return static_cast<value>(numbers.next()); });
  return values;
}

std::uint64_t digest_sorted(const value* values, std::size_t count) {
  if (!std::is_sorted(values, values + count)) return 0;
  std::uint64_t digest = 0xcbf29ce484222325U;  // FNV-1a over the values
  for (std::size_t index = 0; index < count; ++index)
    digest = (digest ^ static_cast<std::uint32_t>(values[index])) * 0x100000001b3U;
  return digest;
}

std::uint64_t expected(const kernel_input& input) {
  auto const count = static_cast<std::size_t>(input.size);
  std::unique_ptr<value[]> const values = make_values(count);
  std::sort(values.get(), values.get() + count);
  return digest_sorted(values.get(), count);
}

}  // namespace bench::sorting
