#include "base/rng.hpp"

#include <doctest/doctest.h>

#include <set>

using weft::base::rng;

TEST_CASE("the same seed gives the same sequence") {
  rng a(17), b(17);
  for (int i = 0; i < 1000; ++i) CHECK(a.next() == b.next());
}

TEST_CASE("neighbouring seeds, and seed 0, give unrelated sequences") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) seen.insert(rng(seed).next());
  CHECK(seen.size() == 1000);
}

TEST_CASE("the seed of which splitmix64 makes 0 gives numbers, too") {
  rng numbers(0x61c8864680b583eb);
  CHECK(numbers.next() != 0);
  CHECK(numbers.next() != numbers.next());
}

TEST_CASE("the first numbers never change: a printed seed replays a run of an earlier build") {
  rng numbers(1);
  CHECK(numbers.next() == 0x4b46a55df3611b9bULL);
  CHECK(numbers.next() == 0xd7e1f1410e763ef4ULL);
  CHECK(numbers.next() == 0x5f14ec66975f9b06ULL);
  CHECK(rng(0).next() == 0x7bbcb40d550682d0ULL);
  CHECK(rng(1).below(1000) == 294);
}

TEST_CASE("below stays below, and reaches every value about as often") {
  rng numbers(5);
  int counts[7] = {};
  for (int i = 0; i < 70000; ++i) {
    const std::uint32_t value = numbers.below(7);
    REQUIRE(value < 7);
    ++counts[value];
  }
  for (int count : counts) {
    CHECK(count > 9500);
    CHECK(count < 10500);
  }
  for (int i = 0; i < 100; ++i) CHECK(numbers.below(1) == 0);
}

TEST_CASE("fractions fill [0, 1) evenly, and are the numbers of next") {
  rng numbers(9), same(9);
  int counts[8] = {};
  for (int i = 0; i < 80000; ++i) {
    const double value = numbers.fraction();
    REQUIRE(value >= 0);
    REQUIRE(value < 1);
    CHECK(value == static_cast<double>(same.next() >> 11) / (std::uint64_t{1} << 53));
    ++counts[static_cast<int>(value * 8)];
  }
  for (int count : counts) {
    CHECK(count > 9500);
    CHECK(count < 10500);
  }
}
