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
