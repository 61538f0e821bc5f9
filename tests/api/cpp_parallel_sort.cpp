// parallel_sort against std::sort: distributions, sizes, comparisons, types, comparisons that
// throw.
#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <weft/weft.hpp>

#include "callers.hpp"

namespace {

using values = std::vector<int>;

template <class Value>
values made(std::size_t size, Value value) {
  values all(size);
  for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<int>(value(i));
  return all;
}

struct distribution {
  const char* name;
  values (*make)(std::size_t size);
};

const distribution distributions[] = {
    {"random",
     [](std::size_t size) { return made(size, [random = std::minstd_rand(7)](std::size_t) mutable { return random(); }); }},
    {"sorted", [](std::size_t size) { return made(size, [](std::size_t i) { return i; }); }},
    {"reversed", [](std::size_t size) { return made(size, [size](std::size_t i) { return size - i; }); }},
    {"equal", [](std::size_t size) { return made(size, [](std::size_t) { return 5; }); }},
    {"few values", [](std::size_t size) { return made(size, [](std::size_t i) { return i * i % 7; }); }},
    {"two values", [](std::size_t size) { return made(size, [](std::size_t i) { return i % 2; }); }},
    {"one is different", [](std::size_t size) { return made(size, [size](std::size_t i) { return i == size / 2 ? 4 : 5; }); }},
    {"saw", [](std::size_t size) { return made(size, [](std::size_t i) { return i % 1000; }); }},
    {"organ pipe", [](std::size_t size) { return made(size, [size](std::size_t i) { return std::min(i, size - i); }); }},
    {"sorted but the last", [](std::size_t size) { return made(size, [size](std::size_t i) { return i + 1 == size ? 0 : i; }); }},
    {"shuffled, blocks of equals",
     [](std::size_t size) { return made(size, [](std::size_t i) { return i * 7919 % 1009 / 10; }); }},
};

constexpr std::size_t sizes[] = {0, 1, 2, 3, 10, 2047, 2049, 10000};

}  // namespace

TEST_CASE("as std::sort, whatever the distribution") {
  by_every_caller([] {
    for (const distribution& each : distributions) {
      for (std::size_t size : sizes) {
        values found = each.make(size), expected = found;
        std::sort(expected.begin(), expected.end());
        weft::parallel_sort(found);
        if (found != expected) FAIL_CHECK(each.name, ", ", size);
        found = each.make(size);
        weft::parallel_sort(found.begin(), found.end(), std::greater<>());
        if (!std::equal(found.begin(), found.end(), expected.rbegin())) FAIL_CHECK(each.name, ", ", size, ", descending");
      }
    }
  });
}

TEST_CASE("large enough for partitions in parallel") {
  for (unsigned workers : {2U, 4U, 16U}) {
    const weft::runtime runtime(config_of(workers));
    for (const distribution& each : distributions) {
      values found = each.make(IS_SLOW ? 100000 : 300000), expected = found;  // both are partitioned in parallel
      std::sort(expected.begin(), expected.end());
      weft::parallel_sort(found);
      if (found != expected) FAIL_CHECK(each.name);
    }
  }
}

TEST_CASE("elements that can only be moved, and other containers") {
  const weft::runtime runtime(config_of(4));
  std::deque<std::unique_ptr<int>> owners;
  for (int value : distributions[0].make(100000)) owners.push_back(std::make_unique<int>(value));
  const auto less = [](const std::unique_ptr<int>& left, const std::unique_ptr<int>& right) { return *left < *right; };
  weft::parallel_sort(owners, less);
  CHECK(std::is_sorted(owners.begin(), owners.end(), less));

  std::vector<std::string> words;
  for (int value : distributions[0].make(20000)) words.push_back(std::to_string(value));
  std::vector<std::string> expected = words;
  std::sort(expected.begin(), expected.end());
  weft::parallel_sort(words);
  CHECK((words == expected));
}

TEST_CASE("comparisons and projections may be members, as std::ranges takes them") {
  struct person {
    std::string name;
    int age = 0;
    bool is_younger(const person& than) const { return age < than.age; }
    int born() const { return -age; }
  };
  const weft::runtime runtime(config_of(4));
  std::vector<person> people;
  for (int value : distributions[0].make(20000)) people.push_back({std::to_string(value), value % 10007});
  weft::parallel_sort(people, &person::is_younger);
  CHECK(std::ranges::is_sorted(people, {}, &person::age));
  weft::parallel_sort(people, {}, &person::name);
  CHECK(std::ranges::is_sorted(people, {}, &person::name));
  weft::parallel_sort(people.begin(), people.end(), std::greater<>(), &person::born);
  weft::parallel_sort(people, {}, [](person& one) -> int& { return one.age; });  // of what may be changed
  CHECK(std::ranges::is_sorted(people, {}, &person::age));
  int few[] = {3, 1, 2};
  weft::parallel_sort(few, {});
  CHECK(std::ranges::is_sorted(few));
  weft::parallel_sort(few, {}, std::negate<>());
  CHECK(std::ranges::is_sorted(few, std::greater<>()));
  weft::parallel_sort(people.begin(), people.end(), std::greater<>(), &person::born);
  CHECK(std::ranges::is_sorted(people, {}, &person::age));
  weft::parallel_sort(people, [](int one, int other) { return one > other; }, [](const person& of) { return of.age; });
  CHECK(std::ranges::is_sorted(people, std::greater<>(), &person::age));
}

TEST_CASE("elements in order, or in the reverse order, cost one pass") {
  const weft::runtime runtime(config_of(4));
  constexpr std::size_t size = 100001;
  std::atomic<long> comparisons = 0;
  const auto less = [&](int left, int right) {
    comparisons.fetch_add(1, std::memory_order_relaxed);
    return left < right;
  };
  for (const char* const name : {"sorted", "reversed", "equal"}) {
    CAPTURE(name);
    const auto* const found = std::ranges::find(distributions, std::string_view(name), &distribution::name);
    values items = found->make(size), expected = items;
    std::ranges::sort(expected);
    comparisons = 0;
    weft::parallel_sort(items, less);
    CHECK((items == expected));
    CHECK(comparisons <= long{size} + 1);
  }
}

TEST_CASE("an adversary's input takes no more than n log n comparisons") {
  // M. D. McIlroy, A killer adversary for quicksort, 1999: values are decided while they are
  // compared. One worker runs at a time.
  const weft::runtime runtime(config_of(2));
  constexpr int size = 20000, undecided = size;
  std::vector<int> value(size, undecided), items(size);
  for (int i = 0; i < size; ++i) items[static_cast<std::size_t>(i)] = i;
  value[1] = -1;  // or the first look would find them sorted
  int decided = 0, candidate = 0;
  std::atomic<long> comparisons = 0;
  weft::mutex one_at_a_time;
  const auto less = [&](int left, int right) {
    const std::lock_guard hold(one_at_a_time);
    ++comparisons;
    int& l = value[static_cast<std::size_t>(left)];
    int& r = value[static_cast<std::size_t>(right)];
    if (l == undecided && r == undecided) (left == candidate ? l : r) = decided++;
    if (l == undecided) candidate = left;
    if (r == undecided) candidate = right;
    return l < r;
  };
  weft::parallel_sort(items, less);
  CHECK(comparisons < 120L * size);
  CHECK(comparisons > 10L * size);
  CHECK(std::is_sorted(items.begin(), items.end(), less));
}

TEST_CASE("a comparison that throws") {
  for (unsigned workers : {1U, 2U, 4U}) {
    const weft::runtime runtime(config_of(workers));
    for (long allowed : {0L, 10L, 5000L, 150000L, 600000L}) {
      values found = distributions[0].make(200000);
      std::atomic<long> comparisons = 0;
      const auto less = [&](int left, int right) {
        if (comparisons++ >= allowed) throw std::runtime_error("comparison");
        return left < right;
      };
      CHECK_THROWS_WITH_AS(weft::parallel_sort(found, less), "comparison", std::runtime_error);
    }
  }
}
