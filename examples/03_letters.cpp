// Two fibers on one OS thread take turns: a yield lets the others run. Written for Boost.Fiber:
// `boost` became `weft`, and that is all.
#include <weft/fiber/all.hpp>

#include <iostream>

void say(char first) {
  for (char letter = first; letter < first + 3; ++letter) {
    std::cout << letter << ' ';
    weft::this_fiber::yield();
  }
}

int main() {
  weft::fibers::fiber one(say, 'A');
  weft::fibers::fiber other(say, 'D');
  one.join();
  other.join();
  std::cout << '\n';
}
