// Boost.Fiber as its programs are written: posted fibers on stacks of the default kind.
#include <boost/fiber/all.hpp>
#include <boost/version.hpp>

#include "fib_futures.hpp"

namespace {

struct way {
  template <class Function>
  static auto async(Function function, std::uint64_t n) {
    return boost::fibers::async(function, n);
  }
  static void start() {}
  static std::string version() {
    return "Boost " + std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000);
  }
  static std::string settings() { return "boost::fibers::async, one OS thread"; }
};

}  // namespace

int main(int count, char** words) { return bench::futures::run<way>(count, words); }
