// os/shared_fence.hpp, on one OS thread: how often fences are made, and what a caller does while
// another caller's is under way. That they order is protocol X's model.
#include "os/shared_fence.hpp"

#include <doctest/doctest.h>

namespace {

struct counts {
  int fences = 0;
  int passes = 0;
};

struct counted {
  weft::os::shared_fence shared;
  counts seen;
  void run(unsigned patience) {
    shared.run(patience, [this] { ++seen.fences; }, [this] { ++seen.passes; });
  }
};

TEST_CASE("a caller alone makes a fence each time, and waits for none") {
  counted fence;
  for (int i = 0; i < 3; ++i) fence.run(10);
  CHECK(fence.seen.fences == 3);
  CHECK(fence.seen.passes == 0);
}

TEST_CASE("a caller that loses its patience makes a fence of its own") {
  counted fence;
  bool was_under_way = false;
  fence.shared.run(
      10,
      [&] {
        was_under_way = true;
        fence.run(4);
      },
      [] {});
  CHECK(was_under_way);
  CHECK(fence.seen.fences == 1);
  CHECK(fence.seen.passes == 4);
  fence.run(4);
  CHECK(fence.seen.fences == 2);
  CHECK(fence.seen.passes == 4);
}

TEST_CASE("a child of fork waits for no fence that was under way") {
  counted fence;
  fence.shared.run(
      10,
      [&] {
        fence.shared.forget_others();
        fence.run(4);
      },
      [] {});
  CHECK(fence.seen.fences == 1);
  CHECK(fence.seen.passes == 0);
}

}  // namespace
