#include "base/assert.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>

#include "../../support/child.hpp"

using weft::test::run_in_child;

TEST_CASE("report writes one line with the project's name") {
  const auto end = run_in_child([] {
    weft::base::report("%s has %d", "worker", 3);
    return 7;
  });
  CHECK(end.exit_code == 7);
  CHECK(end.errors == "weft: worker has 3\n");
}

TEST_CASE("panic says why and aborts") {
  const auto end = run_in_child([]() -> int { weft::base::panic("no way on: %d", 42); });
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("weft: fatal: no way on: 42\n"));
}

TEST_CASE("a message that is too long is cut, not lost") {
  const auto end = run_in_child([] {
    weft::base::report("%s", std::string(5000, 'x').c_str());
    return 0;
  });
  CHECK(end.errors.size() <= 1024);
  CHECK(end.errors.size() > 1000);
  CHECK(end.errors.back() == '\n');
}

TEST_CASE("WEFT_ALWAYS names condition, message and place") {
  const auto end = run_in_child([] {
    const int workers = 0;
    WEFT_ALWAYS(workers > 0, "there must be a worker");
    return 0;
  });
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("weft: fatal: there must be a worker (workers > 0, "));
  CHECK(end.says("assert_test.cpp:"));
}

TEST_CASE("WEFT_ASSERT aborts in checked builds and evaluates nothing elsewhere") {
  const auto end = run_in_child([] {
    int evaluated = 0;
    WEFT_ASSERT(++evaluated == 0, "never true");
    return evaluated;
  });
  if (weft::config::checked)
    CHECK(end.signal == SIGABRT);
  else
    CHECK(end.exit_code == 0);
}
