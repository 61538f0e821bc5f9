// The Tascell compiler alone, for builds without the weft command: under sanitizers, by clang, for
// other processors. It takes the words of `weft tascell`.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "compiler/driver.hpp"

int main(int count, char** arguments) {
  std::vector<std::string> const words(arguments + 1, arguments + count);
  tascell::order order;
  for (size_t i = 1; i < words.size(); i++) {  // behind "tascell"
    if (words[i] == "-o" && i + 1 < words.size()) {
      order.out = words[++i];
    } else if (words[i] == "-c") {
      order.only_compiles = true;
    } else if (words[i] == "--emit-c") {
      order.emits_c = true;
    } else if (words[i] == "--plain") {
      order.is_plain = true;
    } else if (words[i].ends_with(".tc")) {
      order.source = words[i];
    } else {
      order.words.push_back(words[i]);
    }
  }
  if (words.empty() || words[0] != "tascell" || order.source.empty()) {
    std::fputs("usage: tascell_tool tascell FILE.tc [-o OUT] [-c] [--emit-c] [--plain] [CC OPTIONS]\n", stderr);
    return 2;
  }
  const char* const compiler = std::getenv("CC");
  order.c_compiler = compiler == nullptr ? "cc" : compiler;
  try {
    return tascell::carry_out(order, {WEFT_TEST_INCLUDE, {WEFT_TEST_BUILD "/lang/runtime", WEFT_TEST_BUILD}});
  } catch (const tascell::driver_error& error) {
    std::fprintf(stderr, "tascell: %s\n", error.what());
    return 1;
  }
}
