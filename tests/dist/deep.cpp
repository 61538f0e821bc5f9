// A recursion without end: the stack overflows, and a line says on which rank, how deep and in which function.
//
//   deep forks | deep calls | deep child, one that calls | deep none, which ends
#include <cstring>

#include <weft/dist.hpp>

namespace {

long sink(long depth) noexcept {
  volatile char frame[200];
  frame[0] = static_cast<char>(depth);
  auto child = weft::fork([=] { return sink(depth + 1); });
  return child.join() + frame[0];
}

[[gnu::noinline]] long call(long depth) {
  volatile char frame[2000];
  frame[0] = static_cast<char>(depth);
  return frame[0] == 0 && depth < 0 ? 0 : call(depth + 1) + frame[0];
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  if (std::strcmp(words[1], "none") == 0) return weft::dist::root([] { return 0; });
  if (std::strcmp(words[1], "calls") == 0) return static_cast<int>(weft::dist::root([] { return call(0); }));
  if (std::strcmp(words[1], "child") == 0) {
    return static_cast<int>(weft::dist::root([] {
      auto child = weft::fork([] { return call(0); });
      return child.join();
    }));
  }
  return static_cast<int>(weft::dist::root([] { return sink(0); }));
}
