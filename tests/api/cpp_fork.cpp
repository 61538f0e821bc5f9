// Forks from C++: results of all kinds, exceptions, ends of scopes, misuse that checked builds
// name.
#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <weft/weft.hpp>

namespace {

class with_workers {
 public:
  explicit with_workers(unsigned count) {
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = count;
    REQUIRE(weft_init(&config) == WEFT_OK);
  }
  ~with_workers() { CHECK(weft_finalize() == WEFT_OK); }
  with_workers(const with_workers&) = delete;
  with_workers& operator=(const with_workers&) = delete;
};

constexpr int rounds = IS_SLOW ? 10 : 50;

long fib(int n) noexcept {
  if (n < 2) return n;
  auto left = weft::fork([=] { return fib(n - 1); });
  const long right = fib(n - 2);
  return left.join() + right;
}

// Throws at one leaf.
long fib_or_throw(int n, int bad) {
  if (n == bad) throw std::runtime_error("leaf " + std::to_string(n));
  if (n < 2) return n;
  auto left = weft::fork([=] { return fib_or_throw(n - 1, bad); });
  const long right = fib_or_throw(n - 2, bad);
  return left.join() + right;
}

long sum(const std::vector<long>& values, std::size_t from, std::size_t to) {
  if (to - from < 3) return std::accumulate(values.begin() + static_cast<long>(from), values.begin() + static_cast<long>(to), 0L);
  const std::size_t middle = from + (to - from) / 2;
  auto left = weft::fork([&, from, middle] { return sum(values, from, middle); });
  const long right = sum(values, middle, to);
  return left.join() + right;
}

template <class Body>
void on_all(Body body) {
  for (unsigned workers : {1U, 2U, 4U, 16U}) {
    CAPTURE(workers);
    const with_workers here(workers);
    body();
    weft::thread other([&] { body(); });
    other.join();
  }
}

}  // namespace

TEST_CASE("recursion") {
  on_all([] {
    CHECK(fib(18) == 2584);
    std::vector<long> values(5000);
    std::iota(values.begin(), values.end(), 1);
    CHECK(sum(values, 0, values.size()) == 5000 * 5001 / 2);
  });
}

TEST_CASE("results that do not travel as bytes") {
  on_all([] {
    for (int round = 0; round < rounds; ++round) {
      auto text = weft::fork([round] { return std::string(100, static_cast<char>('a' + round % 26)); });
      auto owner = weft::fork([kept = std::make_unique<int>(round)]() mutable { return std::move(kept); });
      int value = 0;
      auto reference = weft::fork([&]() -> int& { return value; });
      auto nothing = weft::fork([&] { value = 0; });
      if (round % 2 != 0) weft_yield();
      nothing.join();
      CHECK(&reference.join() == &value);
      CHECK(*owner.join() == round);
      CHECK(text.join() == std::string(100, static_cast<char>('a' + round % 26)));
    }
  });
}

TEST_CASE("an exception of a child comes out of join") {
  on_all([] {
    for (int round = 0; round < rounds / 2; ++round) {
      auto small = weft::fork([]() -> int { throw std::out_of_range("small"); });
      auto large = weft::fork([text = std::string("large")]() -> std::string { throw std::runtime_error(text); });
      if (round % 2 != 0) weft_yield();
      CHECK_THROWS_WITH_AS(static_cast<void>(large.join()), "large", std::runtime_error);
      CHECK_THROWS_WITH_AS(static_cast<void>(small.join()), "small", std::out_of_range);
    }
    CHECK_THROWS_WITH_AS(static_cast<void>(fib_or_throw(14, 1)), "leaf 1", std::runtime_error);
    CHECK(fib_or_throw(14, -1) == 377);
  });
}

TEST_CASE("the end of the scope joins, also when it is left by an exception") {
  on_all([] {
    std::atomic<int> ended = 0;
    for (int round = 0; round < rounds; ++round) {
      const auto plain = weft::fork([&] { ++ended; });
      try {
        const auto inner = weft::fork([&ended, text = std::string(200, 'x')] { ended += text.size() == 200 ? 1 : 1000; });
        if (round % 2 != 0) weft_yield();
        throw round;
      } catch (int caught) {
        CHECK(caught == round);
        CHECK(ended >= round * 2 + 1);
      }
    }
    CHECK(ended == 2 * rounds);
    const std::uint64_t dropped = weft::dropped_exceptions();
    for (int round = 0; round < 2; ++round) {
      const auto small = weft::fork([] { throw 1; });
      const auto large = weft::fork([text = std::string("large")] { throw std::runtime_error(text); });
      if (round != 0) weft_yield();
    }
    CHECK(weft::dropped_exceptions() == dropped + 4);
  });
}

TEST_CASE("children block in the middle of a deep recursion") {
  struct tree {
    static long walk(int depth) {
      if (depth == 0) {
        weft_yield();
        return 1;
      }
      auto left = weft::fork([=] { return walk(depth - 1); });
      const long right = walk(depth - 1);
      return left.join() + right;
    }
  };
  on_all([] { CHECK(tree::walk(IS_SLOW ? 5 : 9) == (IS_SLOW ? 32 : 512)); });
}
