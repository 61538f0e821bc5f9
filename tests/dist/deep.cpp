// Forks without end: the stack overflows, and a line says on which rank, how deep and in which function.
#include <weft/dist.hpp>

namespace {

long sink(long depth) noexcept {
  volatile char frame[200];
  frame[0] = static_cast<char>(depth);
  auto child = weft::fork([=] { return sink(depth + 1); });
  return child.join() + frame[0];
}

}  // namespace

int main() {
  return static_cast<int>(weft::dist::root([] { return sink(0); }));
}
