// The least there is: start, a thread, end. What fails throws weft::error.
#include <cstdio>

#include <weft/runtime.hpp>
#include <weft/thread.hpp>

int main() {
  const weft::runtime runtime;  // as many workers as there are CPUs for us; main is now a thread of Weft, too
  weft::thread greeter([](const char* whom) { std::printf("hello, %s\n", whom); }, "world");
  greeter.join();
}
