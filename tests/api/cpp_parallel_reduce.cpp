// Reductions and scans from C++: order of combination, forms of bodies, exceptions.
#include <atomic>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <weft/weft.hpp>

#include "callers.hpp"

namespace {

// Not commutative: the composition x -> a x + b, modulo 2^64.
struct affine {
  unsigned long a = 1, b = 0;
  friend affine operator*(affine first, affine then) { return {first.a * then.a, first.b * then.a + then.b}; }
  friend bool operator==(affine, affine) = default;
};
affine step(std::size_t i) { return {2 * i + 3, i}; }

affine sequential(std::size_t from, std::size_t to) {
  affine all;
  for (std::size_t i = from; i < to; ++i) all = all * step(i);
  return all;
}

constexpr std::size_t sizes[] = {0, 1, 2, 3, 5, 17, 1000, 5003};
constexpr std::size_t grains[] = {0, 1, 7, 10000};

}  // namespace

TEST_CASE("reductions keep the order of the indexes") {
  by_every_caller([] {
    for (std::size_t size : sizes) {
      CHECK(weft::parallel_reduce(std::size_t{0}, size, affine(), step, std::multiplies<>()) == sequential(0, size));
      for (std::size_t grain : grains) {
        const weft::range range(std::size_t{0}, size, grain);
        CHECK(weft::parallel_reduce(range, affine(), step, std::multiplies<>()) == sequential(0, size));
        const auto go_on = [](const weft::range<std::size_t>& part, affine so_far) {
          return so_far * sequential(part.begin(), part.end());
        };
        CHECK(weft::parallel_reduce(range, affine(), go_on, std::multiplies<>()) == sequential(0, size));
      }
    }
    const auto letter = [](int i) { return std::string(1, static_cast<char>('a' + i)); };
    CHECK(weft::parallel_reduce(0, 26, std::string(), letter, std::plus<>()) == "abcdefghijklmnopqrstuvwxyz");
  });
}

TEST_CASE("reductions over iterators and in two dimensions") {
  by_every_caller([] {
    std::vector<int> values(1000);
    std::iota(values.begin(), values.end(), 0);
    CHECK(weft::parallel_reduce(values.begin(), values.end(), 0, [](auto at) { return *at; }, std::plus<>()) == 499500);
    const weft::blocked_range table(weft::range(0, 30), weft::range(0, 40));
    CHECK(weft::parallel_reduce(table, 0, [](int row, int column) { return row * column; }, std::plus<>()) == 435 * 780);
  });
}

TEST_CASE("with a grain, floating point gives the same in every run") {
  const auto sum = [] {
    return weft::parallel_reduce(weft::range(1, 100000, 100), 0.0, [](int i) { return 1.0 / i; }, std::plus<>());
  };
  const double expected = sum();
  by_every_caller([&] { CHECK(sum() == expected); });
}

TEST_CASE("exceptions of bodies and of combine leave a reduction") {
  by_every_caller([] {
    for (int first : {0, 1, 500, 999}) {
      const auto body = [first](int i) { return i >= first ? throw i : i; };
      for (std::size_t grain : {std::size_t{0}, std::size_t{10}}) {
        try {
          static_cast<void>(weft::parallel_reduce(weft::range(0, 1000, grain), 0, body, std::plus<>()));
          FAIL("nothing was thrown");
        } catch (int thrown) {
          CHECK(thrown == first);
        }
      }
    }
    const auto refuse = [](int, int) -> int { throw std::runtime_error("combine"); };
    CHECK_THROWS_WITH_AS(
        static_cast<void>(weft::parallel_reduce(0, 100, 0, [](int i) { return i; }, refuse)), "combine", std::runtime_error);
  });
}

TEST_CASE("scans, inclusive and exclusive, also in place") {
  by_every_caller([] {
    for (std::size_t size : sizes) {
      std::vector<affine> values(size), expected(size), found(size);
      for (std::size_t i = 0; i < size; ++i) values[i] = step(i);

      std::inclusive_scan(values.begin(), values.end(), expected.begin(), std::multiplies<>());
      CHECK((weft::parallel_inclusive_scan(values.begin(), values.end(), found.begin(), std::multiplies<>()) == found.end()));
      CHECK((found == expected));
      found = values;
      weft::parallel_inclusive_scan(found.begin(), found.end(), found.begin(), std::multiplies<>());
      CHECK((found == expected));

      const affine init{5, 6};
      std::exclusive_scan(values.begin(), values.end(), expected.begin(), init, std::multiplies<>());
      CHECK(
          (weft::parallel_exclusive_scan(values.begin(), values.end(), found.begin(), init, std::multiplies<>()) == found.end()));
      CHECK((found == expected));
      found = values;
      weft::parallel_exclusive_scan(found.begin(), found.end(), found.begin(), init, std::multiplies<>());
      CHECK((found == expected));
    }
  });
}

TEST_CASE("scans of a range with a body of one's own") {
  by_every_caller([] {
    for (std::size_t size : sizes) {
      for (std::size_t grain : grains) {
        std::vector<long> positions(size);
        const auto body = [&](const weft::range<std::size_t>& part, long before, bool is_final) {
          part.for_each([&](std::size_t i) {
            if (is_final) positions[i] = before;
            if (i % 3 == 0) ++before;
          });
          return before;
        };
        const long total = weft::parallel_scan(weft::range(std::size_t{0}, size, grain), 0L, body, std::plus<>());
        CHECK(total == static_cast<long>((size + 2) / 3));
        for (std::size_t i = 0; i < size; ++i) {
          if (positions[i] != static_cast<long>((i + 2) / 3)) FAIL_CHECK("place ", i);
        }
      }
    }
  });
}

TEST_CASE("exceptions leave a scan") {
  by_every_caller([] {
    std::vector<int> values(1000, 1), out(1000);
    const auto refuse = [](int, int) -> int { throw std::runtime_error("combine"); };
    CHECK_THROWS_WITH_AS(weft::parallel_inclusive_scan(values.begin(), values.end(), out.begin(), refuse), "combine",
                         std::runtime_error);
  });
}
