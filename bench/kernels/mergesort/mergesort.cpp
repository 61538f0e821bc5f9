#include "kernels/mergesort/mergesort.hpp"

#include "harness/together.hpp"

namespace bench::mergesort {

namespace {

template <class Together>
kernel_run run(const kernel_input& input, stopwatch& watch) {
  auto const count = static_cast<std::size_t>(input.size);
  std::unique_ptr<value[]> const values = sorting::make_values(count);
  std::unique_ptr<value[]> const scratch = std::make_unique<value[]>(count);
  watch.start();
  sort<Together>({values.get(), count}, scratch.get(), false);
  watch.stop();
  return {sorting::digest_sorted(values.get(), count), segments(count), {}};
}

constexpr variant variants[] = {{"sequential", run<one_by_one>}, {"ult", run<as_threads>}, {"fork", run<as_forks>}};

}  // namespace

const kernel mergesort = {
    .name = "mergesort",
    .title = "mergesort of integers; each half and each part of a long merge a thread or fork",
    .size_word = "integers",
    .unit = "segment",
    .default_size = std::uint64_t{1} << 21,
    .quick_size = std::uint64_t{1} << 16,
    .max_size = std::uint64_t{1} << 36,
    .variants = variants,
    .expected = sorting::expected,
    .is_digest = true,
};

}  // namespace bench::mergesort
