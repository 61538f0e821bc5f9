// Sets of bytes, against a table with a mark for each byte.
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "../../lang/runtime/lazy_ranges.hpp"

using weft::tascell_runtime::byte_range;
using weft::tascell_runtime::range_set;

namespace {

constexpr std::uint64_t end = 64;

bool is_right(const range_set& set, const std::vector<bool>& marks) {
  for (std::uint64_t low = 0; low <= end; ++low) {
    for (std::uint64_t high = low; high <= end; ++high) {
      std::uint64_t from = low;
      while (from < high && marks[from]) ++from;
      std::uint64_t to = from;
      while (to < high && !marks[to]) ++to;
      byte_range gap{};
      if (set.has(low, high) != (from == high) || set.find_gap(low, high, &gap) != (from != high)) return false;
      if (from != high && (gap.low != from || gap.high != to)) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("sets of bytes know what is missing") {
  std::mt19937 draw(1);
  for (int turn = 0; turn < 40; ++turn) {
    byte_range memory[end];
    range_set set;
    set.use(memory, end);
    std::vector<bool> marks(end, false);
    for (int step = 0; step < 12; ++step) {
      const std::uint64_t low = draw() % end;
      const std::uint64_t high = low + draw() % (turn % 2 == 0 ? 4 : end - low + 1);
      const bool is_added = turn < 20 || draw() % 3 != 0;
      REQUIRE((is_added ? set.add(low, high > end ? end : high) : set.remove(low, high)));
      for (std::uint64_t i = low; i < high && i < end; ++i) marks[i] = is_added;
      REQUIRE(is_right(set, marks));
    }
    std::size_t runs = 0;
    for (std::size_t i = 0; i < end; ++i) runs += marks[i] && (i == 0 || !marks[i - 1]) ? 1 : 0;
    REQUIRE(set.count() == runs);
  }
}

TEST_CASE("a set of bytes that is full loses all but the middle of a range") {
  byte_range memory[2];
  range_set set;
  set.use(memory, 2);
  REQUIRE(set.add(0, 10));
  REQUIRE(set.add(20, 30));
  REQUIRE_FALSE(set.remove(4, 5));
  REQUIRE_FALSE(set.remove(24, 25));
  REQUIRE(set.has(0, 10));
  REQUIRE(set.remove(8, 22));
  REQUIRE((set.has(0, 8) && set.has(22, 30) && !set.has(8, 9) && !set.has(21, 22)));
  REQUIRE(set.remove(0, 8));
  REQUIRE(set.remove(23, 24));
  REQUIRE(set.count() == 2);
  set.clear();
  REQUIRE_FALSE(set.has(22, 23));
}

TEST_CASE("a set of bytes that is full still grows at its ranges") {
  byte_range memory[2];
  range_set set;
  set.use(memory, 2);
  REQUIRE(set.add(0, 1));
  REQUIRE(set.add(10, 11));
  REQUIRE_FALSE(set.add(5, 6));
  REQUIRE(set.add(1, 5));
  REQUIRE(set.add(4, 10));
  REQUIRE(set.count() == 1);
  REQUIRE(set.has(0, 11));
}
