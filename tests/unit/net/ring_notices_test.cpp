// Bytes of a ring that are read in any order give their senders room up to the first gap.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "net/frames/mpi_ring_notices.hpp"

using weft::net::note_read;
using weft::net::pass_read;
using weft::net::read_behind_gap;
using weft::net::ring_notice;

TEST_CASE("bytes that are read in any order are passed up to the first gap") {
  constexpr std::uint64_t begin = 1000;
  std::array<ring_notice, 6> pieces{};
  std::uint64_t end = begin;
  for (ring_notice& each : pieces) {
    each = {end, 8 + 8 * (end % 3)};
    end += each.bytes;
  }
  std::array<unsigned, 6> order{0, 1, 2, 3, 4, 5};
  do {
    read_behind_gap all{};
    std::array<bool, 6> is_read{};
    std::uint64_t read = begin;
    for (unsigned const each : order) {
      REQUIRE(note_read(&all, pieces[each]));
      is_read[each] = true;
      auto const gap = std::ranges::find(is_read, false) - is_read.begin();
      read = pass_read(&all, read);
      REQUIRE(read == (gap == 6 ? end : pieces[static_cast<std::size_t>(gap)].at));
    }
    REQUIRE(all.count == 0);
    std::free(all.notices);
  } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("many pieces may be read behind one gap") {
  read_behind_gap all{};
  for (std::uint64_t at = 1; at < 100; ++at) {
    REQUIRE(note_read(&all, {100 - at, 1}));
    REQUIRE(pass_read(&all, 0) == 0);
  }
  REQUIRE(all.count == 99);
  REQUIRE(note_read(&all, {0, 1}));
  REQUIRE(pass_read(&all, 0) == 100);
  REQUIRE(all.count == 0);
  std::free(all.notices);
}
