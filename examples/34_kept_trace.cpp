// What came before, in C++. Under WEFT_TRACE=keep each worker keeps its newest records in memory;
// the program writes them to a file when something took too long:
//
//     WEFT_TRACE=keep ./34_kept_trace_cpp slow.json
//     weft profile slow.json
#include <chrono>
#include <cstdio>
#include <thread>

#include <weft/runtime.hpp>
#include <weft/thread.hpp>

namespace {

using namespace std::chrono_literals;
using steady_clock = std::chrono::steady_clock;

void serve(int request) {
  weft::thread({.name = "parser"}, [] {}).join();
  if (request == 70) std::this_thread::sleep_for(20ms);  // forgets weft::blocking
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s FILE\n", arguments[0]);
    return 2;
  }
  const weft::runtime runtime;
  for (int request = 0; request < 100; ++request) {
    const auto begin = steady_clock::now();
    serve(request);
    if (steady_clock::now() - begin < 10ms) continue;
    if (weft_trace_dump(arguments[1]) != WEFT_OK) {
      std::fprintf(stderr, "%s\n", weft_last_error());  // it names the variable that is missing
      return 1;
    }
    std::puts("a request was slow: its trace is written");
    break;
  }
}
