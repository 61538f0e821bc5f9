// The compiler as a program of the build: it makes C of the Tascell programs that the weft command
// itself holds. Users have `weft tascell`, which takes the same words.
#include <cstdio>
#include <cstdlib>

#include "driver.hpp"

int main(int count, char** words) {
  constexpr int makes_no_sense = 2;
  try {
    tascell::order order;
    tascell::take_words({words + 1, words + count}, order);
    if (order.source.empty()) throw tascell::usage_problem("a program is wanted: FILE.tc");
    const char* const compiler = std::getenv("CC");  // NOLINT(concurrency-mt-unsafe): one OS thread
    order.c_compiler = compiler == nullptr ? "cc" : compiler;
    return tascell::carry_out(order, {WEFT_SOURCE_FOLDER "/include", {}});
  } catch (const tascell::driver_error& problem) {
    std::fprintf(stderr, "%s: %s\n", words[0], problem.what());
    return makes_no_sense;
  }
}
