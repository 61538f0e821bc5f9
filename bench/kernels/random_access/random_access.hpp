// RandomAccess of the HPC Challenge, as Chapel's program has it (hpcc/ra.chpl): a table of 2^size
// words, T[i] = i, and four times as many updates T[r mod 2^size] ^= r, a part a worker. The
// numbers r are those of the benchmark: powers of x modulo x^64 + x^2 + x + 1 over GF(2), so that a
// part can begin anywhere. Updates race and may be lost: the benchmark allows it, and 1 % of them
// to be wrong.
//
// Verification: the same updates again, undisturbed, must restore T[i] = i. They are made here by
// one thread, from the first to the last by single steps: a part that began elsewhere than at its
// place would not be undone. The answer: how many updates hold; all of them when what is wrong lies
// within the benchmark's tolerance. units: updates.
#pragma once

#include <memory>

#include "harness/chunks.hpp"
#include "harness/kernel.hpp"

namespace bench::random_access {

// The next power of x.
constexpr std::uint64_t step(std::uint64_t power) { return power << 1 ^ (power >> 63 != 0 ? 0x7U : 0x0U); }
std::uint64_t power_at(std::uint64_t exponent);

class table {
 public:
  explicit table(std::uint64_t bits)
      : words_(std::make_unique_for_overwrite<std::uint64_t[]>(std::uint64_t{1} << bits)),
        mask_((std::uint64_t{1} << bits) - 1) {}

  [[nodiscard]] std::uint64_t size() const { return mask_ + 1; }
  [[nodiscard]] std::uint64_t updates() const { return 4 * size(); }

  void fill(chunk indices) const;
  void update(chunk numbers) const;                  // which of the updates; may lose some to another worker
  [[nodiscard]] std::uint64_t count_errors() const;  // after all updates; does all of them again

 private:
  std::unique_ptr<std::uint64_t[]> words_;
  std::uint64_t mask_;
};

kernel_run describe(const table& of, double seconds);

template <class Way>
kernel_run run(const kernel_input& input, stopwatch& watch) {
  table const of(input.size);
  for_all<Way>(input.workers, of.size(), [&](chunk indices) { of.fill(indices); });
  watch.start();
  for_all<Way>(input.workers, of.updates(), [&](chunk numbers) { of.update(numbers); });
  watch.stop();
  return describe(of, watch.seconds());
}

extern const kernel random_access;

}  // namespace bench::random_access
