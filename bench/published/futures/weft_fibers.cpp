// The text of boost_fiber.cpp with `weft` in place of `boost`.
#include <weft/version.h>
#include <weft/fiber/all.hpp>

#include "fib_futures.hpp"

namespace {

struct way {
  template <class Function>
  static auto async(Function function, std::uint64_t n) {
    return weft::fibers::async(function, n);
  }
  static void start() {}
  static std::string version() { return "Weft " WEFT_VERSION; }
  static std::string settings() { return "weft::fibers::async, one OS thread"; }
};

}  // namespace

int main(int count, char** words) { return bench::futures::run<way>(count, words); }
