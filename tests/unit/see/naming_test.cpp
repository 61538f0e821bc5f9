// Where reports say that units were made: of many calls, each has its own line.
#include "see/naming.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace weft;

namespace {

volatile int last_caller;

[[gnu::noinline]] const void* return_address() {
  __asm__ volatile("");
  return __builtin_return_address(0);
}

struct made {
  const void* at;
  int line;
};

// Each instance has a call, and so an address, of its own.
template <int Number>
[[gnu::noinline]] made by_one() {
  const made where = {return_address(), __LINE__};
  last_caller = Number;  // no tail call, and no two instances are alike
  return where;
}
template <int Number>
[[gnu::noinline]] made by_other() {
  const made where = {return_address(), __LINE__};
  last_caller = -Number;
  return where;
}

void entry(void*) {}

std::string written;

std::string maker_of(const void* made_at) {
  sched::unit_view one;
  one.function = entry;
  one.made_at = made_at;
  written.clear();
  {
    sched::text out([](const char* words) { written += words; });
    sched::name_maker(out, "made in ", one, sched::names::readable);
  }
  return written;
}

void check(const made& where) {
  const std::string said = maker_of(where.at);
  INFO(said);
  CHECK(said.find("(naming_test.cpp:" + std::to_string(where.line) + ")") != std::string::npos);
}

template <int... Numbers>
void check_all(std::integer_sequence<int, Numbers...>) {
  for (int round = 0; round < 2; ++round) (..., (check(by_one<Numbers>()), check(by_other<Numbers>())));
}

}  // namespace

// More than the lines that are kept for the next unit that is made there.
TEST_CASE("units that are made by many calls are told with the line of theirs") {
  check_all(std::make_integer_sequence<int, 64>());
}
