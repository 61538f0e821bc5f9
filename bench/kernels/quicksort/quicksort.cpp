#include "kernels/quicksort/quicksort.hpp"

namespace bench::quicksort {

namespace {

// SplitMix64: Steele, Lea, Flood (2014), doi:10.1145/2660193.2660195.
std::uint64_t mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

std::uint64_t expected(const kernel_input& input) {
  auto const count = static_cast<std::size_t>(input.size);
  std::unique_ptr<value[]> const values = make_values(count);
  std::sort(values.get(), values.get() + count);
  return digest_sorted(values.get(), count);
}

constexpr variant variants[] = {{"sequential", run_sequential}, {"ult", run_ult}};

}  // namespace

std::unique_ptr<value[]> make_values(std::size_t count) {
  auto values = std::make_unique_for_overwrite<value[]>(count);
  std::uint64_t state = 1;
  std::generate_n(values.get(), count, [&] { return static_cast<value>(mix(state)); });
  return values;
}

std::uint64_t digest_sorted(const value* values, std::size_t count) {
  if (!std::is_sorted(values, values + count)) return 0;
  std::uint64_t digest = 0xcbf29ce484222325U;  // FNV-1a over the values
  for (std::size_t index = 0; index < count; ++index)
    digest = (digest ^ static_cast<std::uint32_t>(values[index])) * 0x100000001b3U;
  return digest;
}

void sort_insertion(const segment& segment) {
  for (std::size_t sorted = 1; sorted < segment.count; ++sorted) {
    value const moving = segment.first[sorted];
    std::size_t place = sorted;
    for (; place > 0 && moving < segment.first[place - 1]; --place) segment.first[place] = segment.first[place - 1];
    segment.first[place] = moving;
  }
}

void sort_small(segment segment) {
  while (segment.count > insertion_cutoff) {
    halves const parts = partition(segment);
    sort_small(parts.low);
    segment = parts.high;
  }
  sort_insertion(segment);
}

const kernel quicksort = {
    .name = "quicksort",
    .title = "quicksort of integers; each part above 2048 a thread",
    .size_word = "integers",
    .unit = "segment",
    .default_size = std::uint64_t{1} << 24,
    .quick_size = std::uint64_t{1} << 17,
    .max_size = std::uint64_t{1} << 36,
    .variants = variants,
    .expected = expected,
    .is_digest = true,
};

}  // namespace bench::quicksort
