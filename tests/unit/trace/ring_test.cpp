#include "trace/ring.hpp"

#include <doctest/doctest.h>

#include <vector>

using weft::trace::record;
using weft::trace::ring;

namespace {

std::vector<std::uint64_t> put_and_read(std::size_t places, std::uint64_t count, std::uint64_t* pushed_out) {
  ring one;
  REQUIRE(one.start(places * sizeof(record)));
  for (std::uint64_t number = 1; number <= count; ++number) {
    record made{};
    made.thread = number;
    one.put(made);
  }
  std::vector<std::uint64_t> found;
  *pushed_out = one.read([&](const record* each) { found.push_back(each->thread); });
  one.stop();
  return found;
}

}  // namespace

TEST_CASE("a copy of a ring that was written elsewhere is read as the ring is, and can be changed") {
  constexpr std::size_t bytes = 4 * sizeof(record);
  record places[4] = {};
  for (std::uint64_t at = 0; at < 4; ++at) places[at].thread = 4 + at;
  for (const std::uint64_t written : {std::uint64_t{3}, std::uint64_t{8}}) {
    ring copy;
    copy.adopt(places, bytes, written);
    CHECK(copy.written() == written);
    CHECK(ring::used(written, bytes) == (written < 4 ? written : 4));
    copy.change([](record* each) { each->thread += 10; });
    std::vector<std::uint64_t> found;
    CHECK(copy.read([&](const record* each) { found.push_back(each->thread); }) == (written < 4 ? 0 : 5));
    CHECK(found == (written < 4 ? std::vector<std::uint64_t>{14, 15, 16} : std::vector<std::uint64_t>{25, 26, 17}));
  }
}

TEST_CASE("what fits is all there, in order") {
  std::uint64_t pushed_out = 7;
  CHECK(put_and_read(4, 0, &pushed_out).empty());
  CHECK(put_and_read(4, 3, &pushed_out) == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(pushed_out == 0);
}

TEST_CASE("the newest push out the oldest; of a full ring the oldest is left out, which may be written right then") {
  std::uint64_t pushed_out = 0;
  CHECK(put_and_read(4, 4, &pushed_out) == std::vector<std::uint64_t>{2, 3, 4});
  CHECK(pushed_out == 1);
  CHECK(put_and_read(4, 11, &pushed_out) == std::vector<std::uint64_t>{9, 10, 11});
  CHECK(pushed_out == 8);
}
