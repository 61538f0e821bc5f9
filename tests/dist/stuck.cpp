// Under WEFT_DIST_CHECK=all a forker that cannot leave its stack may wait in its join for a thread that no rank is free to take up. The
// job must end then, with a line. On one rank the order in which threads are taken up is fixed, and makes it happen here.
//
//   stuck exception | stuck memory
#include <cstring>
#include <stdexcept>

#include <weft/dist.hpp>

namespace {

constexpr std::size_t more_than_the_pool = 5 * 1024 * 1024;

// Three that have moved: the newest is taken up first, then the oldest, which joins the one in between.
long below(long depth) {
  if (depth == 0) return 1;
  auto child = weft::fork([=] { return below(depth - 1); });
  return child.join();
}

long join_with_exception() {
  auto child = weft::fork([] { return below(2); });
  try {
    throw std::runtime_error("open");
  } catch (const std::runtime_error&) {
    return child.join();
  }
}

template <class Child>
[[gnu::noinline]] long join_above(Child& child) {
  volatile char large[more_than_the_pool];
  large[0] = 1;
  return child.join() + large[0] - 1;
}

long join_without_memory() {
  auto child = weft::fork([] { return below(2); });
  return join_above(child);
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  long (*const test)() = std::strcmp(words[1], "memory") == 0 ? join_without_memory : join_with_exception;
  return weft::dist::root([=] { return test(); }) == 1 ? 0 : 1;
}
