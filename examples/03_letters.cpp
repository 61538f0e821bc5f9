// Two threads on one worker take turns: a yield returns when every thread that was ready has had its turn. So the letters come out in
// this order and no other.
#include <cstdio>

#include <weft/runtime.hpp>
#include <weft/thread.hpp>

namespace {

void say(char letter) {
  for (int i = 0; i < 5; ++i) {
    std::putchar(letter);
    weft::this_thread::yield();
  }
}

}  // namespace

int main() {
  const weft::runtime runtime({.workers = 1});
  weft::thread first([] {
    weft::thread second(say, 'b');
    say('a');
    second.join();
  });
  first.join();
  std::putchar('\n');
}
