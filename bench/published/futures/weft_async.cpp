// Weft's own futures, whose threads take no turns: the newest runs first.
#include <weft/version.h>
#include <weft/weft.hpp>

#include "fib_futures.hpp"

namespace {

struct way {
  template <class Function>
  static auto async(Function function, std::uint64_t n) {
    return weft::async(function, n);
  }
  static void start() { static const weft::runtime runtime({.workers = 1}); }
  static std::string version() { return "Weft " WEFT_VERSION; }
  static std::string settings() { return "weft::async, one worker"; }
};

}  // namespace

int main(int count, char** words) { return bench::futures::run<way>(count, words); }
