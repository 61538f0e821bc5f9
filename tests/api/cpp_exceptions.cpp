// Exceptions and switches: a ULT may yield, block and move to another worker inside a catch block,
// and while it unwinds.
#include <doctest/doctest.h>

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <weft/weft.hpp>

namespace {

// What a ULT catches, rethrows and finds current, with switch_now() between all of these; the empty
// string when all was its own.
template <class Switch>
std::string rethrow_own(const std::string& name, Switch switch_now) {
  try {
    try {
      throw std::runtime_error(name);
    } catch (const std::runtime_error&) {
      switch_now();
      try {
        throw std::logic_error(name + " inner");
      } catch (const std::logic_error& inner) {
        switch_now();
        if (inner.what() != name + " inner") return "inner: " + std::string(inner.what());
      }
      switch_now();
      throw;  // the outer one, which must still be ours
    }
  } catch (const std::runtime_error& outer) {
    switch_now();
    if (outer.what() != name) return "outer: " + std::string(outer.what());
  } catch (const std::exception& other) {
    return "other: " + std::string(other.what());
  }
  if (std::current_exception() != nullptr) return "an exception is left over";
  return "";
}

template <class Switch>
std::vector<std::string> rethrow_in_many(int count, Switch switch_now) {
  std::vector<std::string> wrong(static_cast<std::size_t>(count));
  std::vector<weft::thread> threads;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&wrong, &switch_now, i] {
      for (int round = 0; round < 20 && wrong[i].empty(); ++round)
        wrong[i] = rethrow_own("thread " + std::to_string(i), switch_now);
    });
  }
  for (weft::thread& each : threads) each.join();
  return wrong;
}

struct yields_when_destroyed {
  int* in_flight;
  ~yields_when_destroyed() {
    weft::this_thread::yield();
    *in_flight = std::uncaught_exceptions();
  }
};

}  // namespace

// The first, before a weft::runtime registers them.
TEST_CASE("a program that starts by weft_init carries exceptions if it registered them") {
  REQUIRE(weft::carry_exceptions() == WEFT_OK);
  REQUIRE(weft_init(nullptr) == WEFT_OK);
  CHECK(rethrow_in_many(10, [] { weft_yield(); }) == std::vector<std::string>(10));
  CHECK(weft_finalize() == WEFT_OK);
}

TEST_CASE("two ULTs take turns inside their catch blocks on one worker") {
  const weft::runtime runtime({.workers = 1});
  for (const std::string& wrong : rethrow_in_many(2, [] { weft::this_thread::yield(); })) CHECK(wrong == "");
}

TEST_CASE("many ULTs yield inside catch blocks on several workers") {
  const weft::runtime runtime({.workers = 3});
  for (const std::string& wrong : rethrow_in_many(30, [] { weft::this_thread::yield(); })) CHECK(wrong == "");
}

TEST_CASE("ULTs change workers inside catch blocks") {
  const weft::runtime runtime({.workers = 3});
  const auto move_on = [] { weft::this_thread::pin((weft::this_thread::worker() + 1) % 3); };
  for (const std::string& wrong : rethrow_in_many(6, move_on)) CHECK(wrong == "");
}

TEST_CASE("ULTs block on a mutex inside catch blocks") {
  const weft::runtime runtime({.workers = 2});
  weft::mutex mutex;
  const auto contend = [&mutex] {
    const std::lock_guard hold(mutex);
    weft::this_thread::yield();
  };
  for (const std::string& wrong : rethrow_in_many(8, contend)) CHECK(wrong == "");
}

TEST_CASE("the adopted main thread waits inside a catch block while others throw") {
  const weft::runtime runtime({.workers = 1});
  std::string caught;
  try {
    try {
      throw std::runtime_error("main's");
    } catch (...) {
      weft::async([] {
        try {
          throw std::logic_error("another's");
        } catch (...) {
          weft::this_thread::yield();
        }
      }).get();
      throw;
    }
  } catch (const std::exception& e) {
    caught = e.what();
  }
  CHECK(caught == "main's");
}

TEST_CASE("exceptions in flight are counted for the thread, not for the worker") {
  const weft::runtime runtime({.workers = 1});
  int first = -1;
  int second = -1;
  std::atomic<int> others = -1;
  const auto throw_through = [](int* in_flight) {
    try {
      const yields_when_destroyed guard{in_flight};
      throw 1;
    } catch (int) {
    }
  };
  weft::thread one(throw_through, &first);
  weft::thread two(throw_through, &second);
  weft::thread bystander([&others] { others = std::uncaught_exceptions(); });
  one.join();
  two.join();
  bystander.join();
  CHECK(first == 1);
  CHECK(second == 1);
  CHECK(others == 0);
}

TEST_CASE("an exception crosses from thread to thread through a future") {
  const weft::runtime runtime({.workers = 2});
  const auto fail_at = [](auto&& self, int depth) -> void {
    if (depth == 0) throw std::range_error("at the bottom");
    weft::async([&self, depth] { self(self, depth - 1); }).get();
  };
  CHECK_THROWS_AS(fail_at(fail_at, 10), std::range_error);
}

TEST_CASE("registering again is harmless") {
  CHECK(weft::carry_exceptions() == weft::carry_exceptions());
  CHECK(weft_ext_carry(nullptr, 16) != WEFT_OK);
}
