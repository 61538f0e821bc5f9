// Reductions and scans with weft::par against std's: operations that are associative and not
// commutative, sizes, aliased outputs, exceptions.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <weft/algorithm.hpp>
#include <weft/numeric.hpp>
#include <weft/weft.hpp>

#include "callers.hpp"

namespace {

const std::size_t sizes[] = {0, 1, 2, 3, 5, 1023, 1024, 1025, 4097, 60001};

// x -> factor * x + offset, modulo 2^32: composed in order.
struct affine {
  unsigned factor = 1;
  unsigned offset = 0;
  friend bool operator==(const affine&, const affine&) = default;
};
affine composed(const affine& first, const affine& then) {
  return {first.factor * then.factor, first.offset * then.factor + then.offset};
}

std::vector<affine> maps_of(std::size_t size) {
  std::vector<affine> maps;
  for (unsigned i = 0; i < size; ++i) maps.push_back({2 * i + 3, i * i + 1});
  return maps;
}

affine raised(const affine& map) { return {map.factor + 2, map.offset + 5}; }

void check_all(std::size_t size) {
  const std::vector<affine> maps = maps_of(size);
  const affine init{5, 9};
  std::vector<affine> found(size), expected(size);
  CHECK(weft::reduce(weft::par, maps, init, composed) == std::accumulate(maps.begin(), maps.end(), init, composed));
  CHECK(weft::transform_reduce(weft::par, maps, init, composed, raised) ==
        std::transform_reduce(maps.begin(), maps.end(), init, composed, raised));
  CHECK(weft::inclusive_scan(weft::par, maps, found.begin(), composed) == found.end());
  std::inclusive_scan(maps.begin(), maps.end(), expected.begin(), composed);
  CHECK((found == expected));
  CHECK(weft::inclusive_scan(weft::par, maps, found.begin(), composed, init) == found.end());
  std::inclusive_scan(maps.begin(), maps.end(), expected.begin(), composed, init);
  CHECK((found == expected));
  CHECK(weft::exclusive_scan(weft::par, maps, found.begin(), init, composed) == found.end());
  std::exclusive_scan(maps.begin(), maps.end(), expected.begin(), init, composed);
  CHECK((found == expected));
  weft::transform_inclusive_scan(weft::par, maps, found.begin(), composed, raised);
  std::transform_inclusive_scan(maps.begin(), maps.end(), expected.begin(), composed, raised);
  CHECK((found == expected));
  weft::transform_inclusive_scan(weft::par, maps, found.begin(), composed, raised, init);
  std::transform_inclusive_scan(maps.begin(), maps.end(), expected.begin(), composed, raised, init);
  CHECK((found == expected));
  weft::transform_exclusive_scan(weft::par, maps.begin(), maps.end(), found.begin(), init, composed, raised);
  std::transform_exclusive_scan(maps.begin(), maps.end(), expected.begin(), init, composed, raised);
  CHECK((found == expected));
  found = expected = maps;  // in place
  weft::exclusive_scan(weft::par, found, found.begin(), init, composed);
  std::exclusive_scan(maps.begin(), maps.end(), expected.begin(), init, composed);
  CHECK((found == expected));
  found = maps;
  weft::inclusive_scan(weft::par, found, found.begin(), composed);
  std::inclusive_scan(maps.begin(), maps.end(), expected.begin(), composed);
  CHECK((found == expected));
  std::vector<long> a(size), b(size + 3);  // no product overflows
  std::iota(a.begin(), a.end(), 1);
  std::iota(b.begin(), b.end(), 7);
  CHECK(weft::reduce(weft::par, a) == std::reduce(a.begin(), a.end()));
  CHECK(weft::reduce(weft::par, a.begin(), a.end(), 0L) == std::accumulate(a.begin(), a.end(), 0L));
  CHECK(weft::transform_reduce(weft::par, a.begin(), a.end(), b.begin(), 1L) ==
        std::transform_reduce(a.begin(), a.end(), b.begin(), 1L));
  CHECK(weft::transform_reduce(weft::par, a, b, 0L, std::bit_xor<>(), std::plus<>()) ==
        std::transform_reduce(a.begin(), a.end(), b.begin(), 0L, std::bit_xor<>(), std::plus<>()));
  CHECK(weft::transform_reduce(weft::par, b, a, 0L) == std::transform_reduce(a.begin(), a.end(), b.begin(), 0L));
  std::vector<long> sums(size), expected_sums(size);
  weft::exclusive_scan(weft::par, a, sums.begin(), 10L);  // in the type of init
  std::exclusive_scan(a.begin(), a.end(), expected_sums.begin(), 10L);
  CHECK((sums == expected_sums));
  const std::vector<int> narrow(size, 1 << 30);
  weft::exclusive_scan(weft::par, narrow, sums.begin(), 1L << 40);
  std::exclusive_scan(narrow.begin(), narrow.end(), expected_sums.begin(), 1L << 40);
  CHECK((sums == expected_sums));
  CHECK(weft::reduce(weft::par, narrow, 0L) == static_cast<long>(size) << 30);
  weft::inclusive_scan(weft::par, narrow, sums.begin(), std::plus<long>(), 1L << 40);
  std::inclusive_scan(narrow.begin(), narrow.end(), expected_sums.begin(), std::plus<long>(), 1L << 40);
  CHECK((sums == expected_sums));
  weft::inclusive_scan(weft::par, a, sums.begin());
  std::inclusive_scan(a.begin(), a.end(), expected_sums.begin());
  CHECK((sums == expected_sums));
}

}  // namespace

TEST_CASE("reductions and scans with weft::par are std's, in order") {
  for (unsigned workers : {1U, 2U, 3U}) {
    CAPTURE(workers);
    const weft::runtime runtime(config_of(workers));
    for (std::size_t size : sizes) {
      CAPTURE(size);
      check_all(size);
    }
  }
}

TEST_CASE("reductions and scans take every caller") {
  by_every_caller([] { check_all(5000); });
}

TEST_CASE("strings, whose values are moved") {
  const weft::runtime runtime(config_of(3));
  std::vector<std::string> words, found(3000), expected(3000);
  for (int i = 0; i < 3000; ++i) words.push_back(std::to_string(i % 10));
  CHECK(weft::reduce(weft::par, words) == std::accumulate(words.begin(), words.end(), std::string()));
  weft::inclusive_scan(weft::par, words, found.begin());
  std::inclusive_scan(words.begin(), words.end(), expected.begin());
  CHECK((found == expected));
}

TEST_CASE("elements that are temporaries outlive what combines them") {
  for (unsigned workers : {1U, 3U}) {
    const weft::runtime runtime(config_of(workers));
    constexpr int size = 100000;
    const auto thirds = std::views::iota(0, size) | std::views::transform([](int i) { return std::string(20, "abc"[i % 3]); });
    const auto itself = [](const std::string& word) -> const std::string& { return word; };  // a part of a temporary
    const auto greater = [](const std::string& one, const std::string& other) { return std::max(one, other); };
    std::vector<std::string> words(size), expected(size);
    weft::inclusive_scan(weft::par, thirds, words.begin(), greater);
    std::inclusive_scan(thirds.begin(), thirds.end(), expected.begin(), greater);
    CHECK((words == expected));
    weft::transform_exclusive_scan(weft::par, thirds, words.begin(), std::string(), greater, itself);
    std::exclusive_scan(thirds.begin(), thirds.end(), expected.begin(), std::string(), greater);
    CHECK((words == expected));
    CHECK(weft::transform_reduce(weft::par, thirds, std::string(), greater, itself) == std::string(20, 'c'));
    const auto numbers = std::views::iota(0, size);
    const auto mod = numbers | std::views::transform([](int i) { return i % 3; });
    std::vector<int> sums(size), expected_sums(size);
    weft::inclusive_scan(weft::par, mod, sums.begin());
    std::inclusive_scan(mod.begin(), mod.end(), expected_sums.begin());
    CHECK((sums == expected_sums));
    CHECK(weft::transform_reduce(weft::par, numbers, 0L, std::plus<>(), std::identity()) == 4999950000L);
    const auto first = [](const int& one, const int&) -> const int& { return one; };
    CHECK(weft::transform_reduce(weft::par, numbers, numbers, 0L, std::plus<>(), first) == 4999950000L);
    std::vector<bool> bits(size);
    for (std::size_t i = 0; i < bits.size(); i += 7) bits[i] = true;
    weft::inclusive_scan(weft::par, bits, sums.begin(), std::plus<>(), 0);
    CHECK(sums.back() == std::ranges::count(bits, true));
    weft::exclusive_scan(weft::par, bits, sums.begin(), 1);
    CHECK(sums[size - 1] == std::count(bits.begin(), bits.end() - 1, true) + 1);
    CHECK(weft::transform_reduce(weft::par, bits, 0, std::plus<>(), std::identity()) == std::ranges::count(bits, true));
  }
}

TEST_CASE("two elements are combined in the type of the result") {
  for (unsigned workers : {1U, 3U}) {
    const weft::runtime runtime(config_of(workers));
    const std::vector<unsigned> large(100000, 4000000000U);
    CHECK(weft::reduce(weft::par, large, 0UL) == 400000000000000UL);
    CHECK(weft::transform_reduce(weft::par, large, 0UL, std::plus<>(), std::identity()) == 400000000000000UL);
    std::vector<unsigned long> sums(large.size());
    weft::inclusive_scan(weft::par, large, sums.begin(), std::plus<>(), 0UL);
    CHECK(sums.back() == 400000000000000UL);
  }
}

TEST_CASE("an exception of an operation leaves the call") {
  for (unsigned workers : {1U, 3U}) {
    const weft::runtime runtime(config_of(workers));
    const std::vector<int> in(30000, 1);
    std::vector<int> out(in.size());
    for (long allowed : {0L, 1L, 1000L, 20000L}) {
      std::atomic<long> left = allowed;
      const auto plus = [&](int one, int other) {
        return left.fetch_sub(1, std::memory_order_relaxed) == 0 ? throw std::runtime_error("plus") : one + other;
      };
      CHECK_THROWS_WITH_AS((void)weft::reduce(weft::par, in, 0, plus), "plus", std::runtime_error);
      left = allowed;
      CHECK_THROWS_WITH_AS((void)weft::inclusive_scan(weft::par, in, out.begin(), plus), "plus", std::runtime_error);
      left = allowed;
      CHECK_THROWS_WITH_AS((void)weft::exclusive_scan(weft::par, in, out.begin(), 0, plus), "plus", std::runtime_error);
    }
  }
}

TEST_CASE("what is left of large chunks moves together, over itself and beyond") {
  struct number {
    long value;
    explicit number(long of) : value(of) {}
    number(number&&) = default;
    number& operator=(number&& other) noexcept {
      value = other.value;
      if (value % 25000 == 0) static_cast<void>(weft_sleep_until(weft_deadline_in(1000000)));  // others overtake it
      return *this;
    }
  };
  const weft::runtime runtime(config_of(2));
  for (const long kept : {2L, 9L}) {  // of ten
    std::vector<number> all;
    all.reserve(400000);
    for (long i = 0; i < 400000; ++i) all.emplace_back(i);
    all.erase(weft::remove_if(weft::par, all, [kept](const number& each) { return each.value % 10 >= kept; }), all.end());
    REQUIRE(std::ssize(all) == 40000 * kept);
    long wrong = 0, place = 0;
    for (const number& each : all) wrong += each.value != place / kept * 10 + place % kept, ++place;
    CHECK(wrong == 0);
  }
}

TEST_CASE("a pointer to a member is a function, whatever the size") {
  struct item {
    int key;
    bool is_less(const item& other) const { return key < other.key; }
    bool is_same(const item& other) const { return key == other.key; }
    int get() const { return key; }
  };
  const weft::runtime runtime(config_of(3));
  for (const std::size_t size : {std::size_t{10}, std::size_t{100000}}) {
    std::vector<item> all(size), both(2 * size);
    for (std::size_t i = 0; i < size; ++i) all[i].key = static_cast<int>(i * 7919 % size);
    std::vector<int> keys(size);
    weft::transform(weft::par, all, keys.begin(), &item::get);
    CHECK(keys[1] == all[1].key);
    CHECK(weft::min_element(weft::par, all, &item::is_less)->key == 0);
    CHECK(weft::max_element(weft::par, all, &item::is_less)->key == static_cast<int>(size) - 1);
    CHECK(weft::minmax_element(weft::par, all, &item::is_less).first->key == 0);
    weft::sort(weft::par, all, &item::is_less);
    CHECK(std::is_sorted(all.begin(), all.end(), std::mem_fn(&item::is_less)));
    std::reverse(all.begin(), all.end());
    weft::stable_sort(weft::par, all, &item::is_less);
    weft::merge(weft::par, all, all, both.begin(), &item::is_less);
    CHECK(std::is_sorted(both.begin(), both.end(), std::mem_fn(&item::is_less)));
    CHECK(both.back().key == static_cast<int>(size) - 1);
    CHECK(weft::unique(weft::par, both, &item::is_same) - both.begin() == static_cast<std::ptrdiff_t>(size));
  }
}

TEST_CASE("two arrays with a function are a range and its output, or two ranges") {
  const weft::runtime runtime(config_of(2));
  const int a[] = {1, 2, 2, 3};
  int b[5] = {}, n = 4;
  const std::plus<> add;
  CHECK(weft::inclusive_scan(weft::par, a, b, add) == b + n);
  CHECK(b[3] == 8);
  CHECK(weft::inclusive_scan(weft::par, a, b, add, 10) == b + n);
  CHECK(b[3] == 18);
  CHECK(weft::exclusive_scan(weft::par, a, b, 20, add) == b + n);
  CHECK(b[3] == 25);
  CHECK(weft::transform_inclusive_scan(weft::par, a, b, add, std::negate<>(), 10) == b + n);
  CHECK(b[3] == 2);
  CHECK(weft::transform_exclusive_scan(weft::par, a, b, 20, add, std::negate<>()) == b + n);
  CHECK(b[3] == 15);
  CHECK(weft::unique_copy(weft::par, a, b, std::equal_to<>()) == b + 3);
  CHECK(b[2] == 3);
  CHECK(weft::transform_reduce(weft::par, a, b, 100, add, std::multiplies<>()) == 100 + 1 + 4 + 6 + 3 * 15);
}
