// The algorithms with weft::par against std's: sizes around what is sequential, distributions,
// elements that can only be moved, functions that throw.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <weft/algorithm.hpp>
#include <weft/numeric.hpp>
#include <weft/weft.hpp>

#include "callers.hpp"

// A user's names that are those of weft's inner functions, for any arguments.
namespace elsewhere {

struct element {
  int value = 0;
  friend auto operator<=>(const element&, const element&) = default;
};
template <class... Any>
void at(const Any&...) = delete;
template <class... Any>
void exchange(const Any&...) = delete;
template <class... Any>
void median(const Any&...) = delete;
void fold(auto&&...) = delete;
void divide(auto&&...) = delete;
void passed(auto&&...) = delete;
void run_parts(auto&&...) = delete;
void size_between(auto&&...) = delete;
void parallel_for(auto&&...) = delete;
void merge_in_parallel(auto&&...) = delete;
void partition_in_parallel(auto&&...) = delete;
void run_scan(auto&&...) = delete;

}  // namespace elsewhere

namespace {

using values = std::vector<int>;

std::vector<values> inputs_of(std::size_t size) {
  std::minstd_rand random(static_cast<unsigned>(size) + 1);
  values any(size), few(size), equal(size, 7), sorted(size), reversed(size);
  for (std::size_t i = 0; i < size; ++i) {
    any[i] = static_cast<int>(random());
    few[i] = static_cast<int>(random() % 3);
    sorted[i] = static_cast<int>(i / 2);
    reversed[i] = static_cast<int>(size - i);
  }
  return {any, few, equal, sorted, reversed};
}

void by_workers(const std::function<void()>& body) {
  for (unsigned workers : {1U, 2U, 3U}) {
    CAPTURE(workers);
    const weft::runtime runtime(config_of(workers));
    body();
    weft::thread(body).join();  // without CAPTURE, which is bound to the OS thread
  }
}

#if IS_SLOW || defined(__SANITIZE_ADDRESS__)
constexpr bool is_slow = true;
#else
constexpr bool is_slow = false;
#endif

const std::size_t sizes[] = {0, 1, 2, 3, 150, 1023, 2047, 2048, 4095, 4097, 8193, 20001, 70000};

bool is_even(int value) { return value % 2 == 0; }
bool is_less(int one, int other) { return one < other; }

// A comparison that cannot be copied.
struct less_once {
  less_once() = default;
  less_once(const less_once&) = delete;
  less_once& operator=(const less_once&) = delete;
  bool operator()(int one, int other) const { return one < other; }
};

// Small, trivially copyable, and only moved.
struct ticket {
  int number;
  explicit ticket(int of) : number(of) {}
  ticket(ticket&&) = default;
  ticket& operator=(ticket&&) = default;
};
static_assert(std::is_trivially_copyable_v<ticket> && !std::is_copy_constructible_v<ticket>);

// An element that counts those that are alive; equal ones are told apart by their place.
struct item {
  static inline std::atomic<long> alive = 0;
  int value = 0;
  int place = 0;

  item() { ++alive; }
  item(int its_value, int its_place) : value(its_value), place(its_place) { ++alive; }
  item(item&& other) noexcept : value(other.value), place(std::exchange(other.place, -1)) { ++alive; }
  item& operator=(item&& other) noexcept {
    value = other.value;
    if (this != &other) place = std::exchange(other.place, -1);
    return *this;
  }
  ~item() { --alive; }
  friend bool operator==(const item& left, const item& right) { return left.value == right.value && left.place == right.place; }
};

std::vector<item> items_of(const values& from) {
  std::vector<item> items;
  items.reserve(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) items.emplace_back(from[i], static_cast<int>(i));
  return items;
}

const auto by_value = [](const item& left, const item& right) { return left.value < right.value; };

// Throws at its n-th call, counted over all workers.
struct countdown {
  std::atomic<long>* left;
  void operator()() const {
    if (left->fetch_sub(1, std::memory_order_relaxed) == 0) throw std::runtime_error("countdown");
  }
};

template <class Call>
bool throws_countdown(const Call& call) {
  try {
    call();
  } catch (const std::runtime_error& problem) {
    return std::string(problem.what()) == "countdown";
  }
  return false;
}

void check_searches(const values& in) {
  CHECK(weft::count(weft::par, in, 7) == std::ranges::count(in, 7));
  CHECK(weft::count_if(weft::par, in.begin(), in.end(), is_even) == std::ranges::count_if(in, is_even));
  CHECK(weft::min_element(weft::par, in) == std::min_element(in.begin(), in.end()));
  CHECK(weft::max_element(weft::par, in) == std::max_element(in.begin(), in.end()));
  CHECK(weft::minmax_element(weft::par, in) == std::minmax_element(in.begin(), in.end()));
  CHECK(weft::min_element(weft::par, in, std::greater<>()) == std::min_element(in.begin(), in.end(), std::greater<>()));
  CHECK(weft::find_if(weft::par, in, is_even) == std::find_if(in.begin(), in.end(), is_even));
  CHECK(weft::find_if_not(weft::par, in, is_even) == std::find_if_not(in.begin(), in.end(), is_even));
  for (std::size_t place : {std::size_t{0}, in.size() / 3, in.size() - 1}) {
    if (place < in.size()) CHECK(weft::find(weft::par, in, in[place]) == std::ranges::find(in, in[place]));
  }
  CHECK(weft::find(weft::par, in, -5) == in.end());
  CHECK(weft::all_of(weft::par, in, [](int value) { return value >= 0; }));
  CHECK(weft::none_of(weft::par, in, [](int value) { return value < 0; }));
  CHECK(weft::any_of(weft::par, in, is_even) == std::ranges::any_of(in, is_even));
}

void check_writes(const values& in) {
  const std::size_t size = in.size();
  values found(size, -1), expected(size, -1);
  CHECK(weft::copy(weft::par, in, found.begin()) == found.end());
  CHECK((found == in));
  CHECK(weft::transform(weft::par, in, found.begin(), [](int value) { return value / 3; }) == found.end());
  std::ranges::transform(in, expected.begin(), [](int value) { return value / 3; });
  CHECK((found == expected));
  CHECK(weft::transform(weft::par, in.begin(), in.end(), expected.begin(), found.begin(), std::minus<>()) == found.end());
  std::transform(in.begin(), in.end(), expected.begin(), expected.begin(), std::minus<>());
  CHECK((found == expected));
  weft::transform(weft::par, in, expected, found.begin(), std::bit_xor<>());
  std::ranges::transform(in, expected, expected.begin(), std::bit_xor<>());
  CHECK((found == expected));
  const std::span<const int> fewer(in.data(), size / 2);
  found.assign(size, -1);
  CHECK(weft::transform(weft::par, in, fewer, found.begin(), std::bit_xor<>()) - found.begin() == std::ssize(fewer));
  CHECK(weft::transform(weft::par, fewer, in, found.begin(), std::bit_xor<>()) - found.begin() == std::ssize(fewer));
  CHECK(std::all_of(found.begin() + std::ssize(fewer), found.end(), [](int value) { return value == -1; }));
  found = expected;
  CHECK(weft::copy(weft::par, found, found.begin()) == found.end());  // in place
  CHECK((found == expected));
  weft::transform(weft::par, found, found.begin(), std::negate<>());
  CHECK(std::ranges::equal(found, expected, {}, {}, std::negate<>()));
  weft::transform(weft::par, expected, found, found.begin(), std::plus<>());
  CHECK((found == values(size, 0)));
  found = expected;
  weft::for_each(weft::par, found, [](int& value) { value = ~value; });
  CHECK(std::ranges::equal(found, expected, {}, {}, [](int value) { return ~value; }));
  CHECK(weft::for_each_n(weft::par, found.begin(), size, [](int& value) { value = ~value; }) == found.end());
  CHECK((found == expected));
  weft::fill(weft::par, found, 3);
  CHECK((found == values(size, 3)));
  std::atomic<int> next = 0;
  weft::generate(weft::par, found, [&] { return next++; });
  std::ranges::sort(found);
  CHECK(std::ranges::equal(found, std::views::iota(0, static_cast<int>(size))));
}

void check_packing(const values& in) {
  values found(in.size(), -1), expected(in.size(), -1);
  const auto end = weft::copy_if(weft::par, in, found.begin(), is_even);
  CHECK(end - found.begin() == std::copy_if(in.begin(), in.end(), expected.begin(), is_even) - expected.begin());
  CHECK((found == expected));
  CHECK(weft::unique_copy(weft::par, in, found.begin()) - found.begin() ==
        std::unique_copy(in.begin(), in.end(), expected.begin()) - expected.begin());
  CHECK((found == expected));
  found = expected = in;
  found.erase(weft::unique(weft::par, found), found.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  CHECK((found == expected));
  found = expected = in;
  found.erase(weft::remove_if(weft::par, found, is_even), found.end());
  std::erase_if(expected, is_even);
  CHECK((found == expected));
  found = in;
  const auto others = weft::partition(weft::par, found, is_even);
  CHECK(std::all_of(found.begin(), others, is_even));
  CHECK(std::none_of(others, found.end(), is_even));
  expected = in;
  std::ranges::sort(found);
  std::ranges::sort(expected);
  CHECK((found == expected));  // none was lost
  std::vector<item> moved = items_of(in), still = items_of(in);
  const auto even = [](const item& each) { return is_even(each.value); };
  CHECK(weft::stable_partition(weft::par, moved, even) - moved.begin() ==
        std::stable_partition(still.begin(), still.end(), even) - still.begin());
  CHECK((moved == still));
}

void check_order(const values& in, const values& others) {
  values found = in, expected = in, sorted = others;
  std::ranges::sort(expected);
  weft::sort(weft::par, found.begin(), found.end());
  CHECK((found == expected));
  found = in;
  weft::stable_sort(weft::par, found);
  CHECK((found == expected));
  std::vector<item> items = items_of(in), in_order = items_of(in);
  weft::stable_sort(weft::par, items, by_value);
  std::stable_sort(in_order.begin(), in_order.end(), by_value);
  CHECK((items == in_order));
  struct small {  // unlike std::pair, trivially copied
    int value;
    int place;
    bool operator==(const small&) const = default;
  };
  static_assert(std::is_trivially_copyable_v<small>);
  std::vector<small> smalls, smalls_in_order;
  for (std::size_t i = 0; i < in.size(); ++i) smalls.push_back({in[i], static_cast<int>(i)});
  smalls_in_order = smalls;
  const auto descending = [](const small& left, const small& right) { return left.value > right.value; };
  weft::stable_sort(weft::par, smalls.begin(), smalls.end(), descending);
  std::stable_sort(smalls_in_order.begin(), smalls_in_order.end(), descending);
  CHECK((smalls == smalls_in_order));
  std::ranges::sort(sorted);
  values merged(in.size() + others.size()), expected_merge(merged.size());
  CHECK(weft::merge(weft::par, found, sorted, merged.begin()) == merged.end());
  std::ranges::merge(found, sorted, expected_merge.begin());
  CHECK((merged == expected_merge));
}

}  // namespace

TEST_CASE("algorithms with weft::par find, write and order as std's do") {
  by_workers([] {
    for (std::size_t size : sizes) {
      if (is_slow && size > 10000) continue;
      auto inputs = inputs_of(size);
      if (is_slow) inputs.resize(2);
      for (const values& in : inputs) {
        check_searches(in);
        check_writes(in);
        check_packing(in);
        check_order(in, inputs[size % 2]);
      }
    }
  });
  CHECK(item::alive == 0);
}

TEST_CASE("algorithms with weft::par take every caller") {
  const values in = inputs_of(9000)[0], few = inputs_of(700)[1];
  by_every_caller([&] {
    check_searches(in);
    check_writes(in);
    check_packing(in);
    check_order(in, few);
  });
}

TEST_CASE("a merge takes equal elements of the first sequence first") {
  const weft::runtime runtime(config_of(3));
  using pair = std::pair<int, int>;
  std::vector<pair> left, right, found(60000), expected(60000);
  for (int i = 0; i < 20000; ++i) left.emplace_back(i / 500, i);
  for (int i = 0; i < 40000; ++i) right.emplace_back(i / 3000, -i);
  const auto by_first = [](const pair& one, const pair& other) { return one.first < other.first; };
  for (int round = 0; round < 2; ++round) {
    weft::merge(weft::par, left, right, found.begin(), by_first);
    std::merge(left.begin(), left.end(), right.begin(), right.end(), expected.begin(), by_first);
    CHECK((found == expected));
    left.swap(right);
  }
}

TEST_CASE("the first and the last of equal elements are chosen as std chooses") {
  const weft::runtime runtime(config_of(3));
  std::vector<item> items = items_of(values(50000, 4));
  for (std::size_t place : {std::size_t{100}, std::size_t{30000}, std::size_t{49000}}) items[place].value = 1;
  for (std::size_t place : {std::size_t{200}, std::size_t{31000}, std::size_t{49500}}) items[place].value = 9;
  CHECK(weft::min_element(weft::par, items, by_value)->place == 100);
  CHECK(weft::max_element(weft::par, items, by_value)->place == 200);
  const auto [least, most] = weft::minmax_element(weft::par, items, by_value);
  CHECK(least->place == 100);
  CHECK(most->place == 49500);
}

TEST_CASE("few slow elements run at the same time") {
  if (std::getenv("WEFT_SCHEDULE") != nullptr) return;  // two elements run on the caller there
  const weft::runtime runtime(config_of(2));
  values in{1, 2};
  std::atomic<int> waiting = 0, all = 4;
  values many(4, 0);  // the first one runs alone, and shows that they are slow
  weft::for_each(weft::par, many, [&](int& each) {
    if (&each == many.data()) {
      for (std::atomic<int> turns = 0; turns < 200000;) ++turns;
      return;
    }
    ++waiting;
    while (waiting < 2) weft::this_thread::yield();  // ends only beside another
    --all;
  });
  CHECK(all == 1);
}

TEST_CASE("an exception of a function leaves the call, and no element is lost") {
  by_workers([] {
    const values in = inputs_of(30000)[0];
    for (long allowed : {0L, 1L, 100L, 2500L, 20000L}) {
      std::atomic<long> left = allowed;
      const countdown count{&left};
      const auto again = [&](const auto& call) {
        left = allowed;
        CHECK(throws_countdown(call));
      };
      values out(in.size());
      again([&] { weft::for_each(weft::par, in, [&](int) { count(); }); });
      again([&] { weft::transform(weft::par, in, out.begin(), [&](int value) { return count(), value; }); });
      again([&] { weft::generate(weft::par, out, [&] { return count(), 1; }); });
      again([&] { (void)weft::count_if(weft::par, in, [&](int) { return count(), true; }); });
      again([&] { (void)weft::find_if(weft::par, in, [&](int) { return count(), false; }); });
      again([&] { weft::copy_if(weft::par, in, out.begin(), [&](int) { return count(), true; }); });
      again([&] { (void)weft::max_element(weft::par, in, [&](int one, int other) { return count(), one < other; }); });
      std::vector<item> items = items_of(in);
      const auto less = [&](const item& one, const item& other) { return count(), one.value < other.value; };
      again([&] { weft::sort(weft::par, items, less); });
      again([&] { weft::stable_sort(weft::par, items, less); });
      again([&] { weft::stable_partition(weft::par, items, [&](const item& each) { return count(), each.value > 5; }); });
      again([&] { weft::unique(weft::par, items, [&](const item&, const item&) { return count(), false; }); });
      CHECK(item::alive == static_cast<long>(in.size()));
      values sorted = in;
      std::ranges::sort(sorted);
      values both(2 * in.size());
      again([&] { weft::merge(weft::par, sorted, sorted, both.begin(), [&](int a, int b) { return count(), a < b; }); });
    }
  });
  CHECK(item::alive == 0);
}

TEST_CASE("the exception of the first part arrives, and none from behind what was found") {
  const weft::runtime runtime(config_of(3));
  for (int round = 0; round < 50; ++round) {
    const auto numbers = std::views::iota(0, 100000);
    try {
      weft::for_each(weft::par, numbers, [](int i) {
        if (i % 1000 == 999) throw i;
      });
      FAIL_CHECK("nothing was thrown");
    } catch (int first) {
      CHECK(first == 999);
    }
    const auto found = weft::find_if(weft::par, numbers, [](int i) { return i > 70000 ? throw i : i == 61234; });
    CHECK(*found == 61234);
    CHECK_THROWS_AS((void)weft::find_if(weft::par, numbers, [](int i) { return i == 3000 ? throw i : i == 61234; }), int);
  }
}

TEST_CASE("the first part decides a search, whichever worker ends last") {
  const weft::runtime runtime(config_of(3));
  constexpr int size = 100000, near = 40000, far = 90000;
  const auto numbers = std::views::iota(0, size);
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> has_ended = false;
    const auto waits = [&] {  // ends only beside another worker
      while (!has_ended) weft::this_thread::yield();
      return true;
    };
    const auto ends = [&] { return has_ended = true; };
    CHECK(*weft::find_if(weft::par, numbers, [&](int i) {  // the later part throws first
      if (i == far && ends()) throw i;
      return i == near && waits();
    }) == near);
    has_ended = false;
    try {
      (void)weft::find_if(weft::par, numbers, [&](int i) {  // the later part finds first
        if (i == near && waits()) throw i;
        return i == far && ends();
      });
      FAIL_CHECK("nothing was thrown");
    } catch (int thrown) {
      CHECK(thrown == near);
    }
    has_ended = false;
    CHECK(*weft::find_if(weft::par, numbers, [&](int i) {  // both find, the later part last
      if (i == near) return ends();
      if (i != far) return false;
      waits();
      for (int turns = 0; turns < 100; ++turns) weft::this_thread::yield();
      return true;
    }) == near);
  }
}

TEST_CASE("other containers, views, and elements without addresses where nothing is written") {
  const weft::runtime runtime(config_of(2));
  std::deque<std::unique_ptr<int>> owners;
  const values in = inputs_of(20000)[0];
  for (int value : in) owners.push_back(std::make_unique<int>(value));
  const auto less = [](const std::unique_ptr<int>& left, const std::unique_ptr<int>& right) { return *left < *right; };
  weft::stable_sort(weft::par, owners, less);
  CHECK(std::is_sorted(owners.begin(), owners.end(), less));
  std::vector<bool> bits(100000, false);
  bits[77777] = true;
  CHECK(weft::find(weft::par, bits, true) - bits.begin() == 77777);
  CHECK(weft::count(weft::par, bits, false) == 99999);
  int array[] = {3, 1, 2};
  weft::sort(weft::par, array);
  CHECK(std::ranges::is_sorted(array));
  CHECK(*weft::max_element(weft::par, std::views::iota(0, 5)) == 4);
  CHECK(*weft::min_element(weft::par, std::views::iota(3, 5)) == 3);
  CHECK(*weft::minmax_element(weft::par, std::views::iota(3, 50)).second == 49);
  const auto numbers = std::views::iota(std::size_t{0}, std::size_t{30000});
  std::vector<std::size_t> all(numbers.size()), both(2 * numbers.size());
  CHECK(weft::copy(weft::par, numbers, all.begin()) == all.end());
  CHECK(std::ranges::equal(all, numbers));
  for (long size : {10L, 30000L}) {
    all.assign(numbers.size(), 1);
    const auto some = std::views::iota(std::size_t{0}, static_cast<std::size_t>(size));
    CHECK(weft::unique_copy(weft::par, some, all.begin()) - all.begin() == size);
    CHECK(std::equal(some.begin(), some.end(), all.begin()));
    CHECK(weft::merge(weft::par, some, some, both.begin()) - both.begin() == 2 * size);
    for (std::size_t i = 0; i != 2 * some.size(); ++i) CHECK(both[i] == i / 2);
  }
  static_assert(std::is_same_v<decltype(weft::find(weft::par, values(), 1)), std::ranges::dangling>);
}

TEST_CASE("arrays are given by two pointers, too") {
  const weft::runtime runtime(config_of(2));
  int a[] = {5, 3, 4, 1, 2}, b[5] = {}, n = 5;
  CHECK(weft::min_element(weft::par, a, a + n) == a + 3);
  CHECK(weft::max_element(weft::par, a, a + n) == a);
  CHECK(weft::minmax_element(weft::par, a, a + n) == std::pair(a + 3, a + 0));
  CHECK(weft::reduce(weft::par, a, a + n) == 15);
  CHECK(weft::reduce(weft::par, a, a + n, 1) == 16);
  CHECK(weft::reduce(weft::par, a, 1) == 16);
  CHECK(weft::transform_reduce(weft::par, a, a + n, a, 1) == 56);
  CHECK(weft::transform_reduce(weft::par, a, a, 1) == 56);
  CHECK(weft::inclusive_scan(weft::par, a, a + n, b) == b + n);
  CHECK(weft::inclusive_scan(weft::par, a, b) == b + n);
  CHECK(b[4] == 15);
  weft::inclusive_scan(weft::par, a, a + n, b, std::plus<>());
  weft::inclusive_scan(weft::par, a, a + n, b, std::plus<>(), 1);
  weft::transform_inclusive_scan(weft::par, a, a + n, b, std::plus<>(), std::identity());
  CHECK(weft::exclusive_scan(weft::par, a, a + n, b, 7) == b + n);
  CHECK(weft::exclusive_scan(weft::par, a, b, 7) == b + n);
  CHECK(b[4] == 20);
  weft::stable_sort(weft::par, a, a + n);
  CHECK(std::ranges::is_sorted(a));
  weft::sort(weft::par, a, a + n, std::greater<>());
  weft::sort(weft::par, a, a + n);
  CHECK(std::ranges::is_sorted(a));
  weft::parallel_sort(a, a + n, std::greater<>());
  weft::parallel_sort(a, a + n);
  CHECK(std::ranges::is_sorted(a));
  CHECK(weft::unique_copy(weft::par, a, a + n, b) == b + n);
  CHECK(weft::unique(weft::par, a, a + n) == a + n);
  CHECK(std::ranges::equal(a, b));
  CHECK(weft::transform(weft::par, a, b, b, std::plus<>()) == b + n);
  CHECK(b[4] == 10);
  const int few[] = {1, 1, 1};
  CHECK(weft::transform(weft::par, a, few, b, std::plus<>()) == b + 3);
  CHECK(weft::transform(weft::par, few, a, b, std::plus<>()) == b + 3);
  CHECK(b[3] == 8);
}

TEST_CASE("sorts take a function, and a comparison that cannot be copied") {
  const weft::runtime runtime(config_of(3));
  const values in = inputs_of(20000)[0];
  const less_once less;
  const auto sorts = [&](const auto& compare) {
    values stable = in, any = in, plain = in;
    weft::stable_sort(weft::par, stable, compare);
    weft::sort(weft::par, any, compare);
    weft::parallel_sort(plain, compare);
    CHECK(std::ranges::is_sorted(stable));
    CHECK((any == stable));
    CHECK((plain == stable));
  };
  sorts(is_less);
  sorts(less);
}

TEST_CASE("a stable sort moves small elements that cannot be copied") {
  const weft::runtime runtime(config_of(3));
  std::vector<ticket> tickets;
  for (int i = 0; i < 20000; ++i) tickets.emplace_back(i * 7919 % 10007);
  weft::stable_sort(weft::par, tickets, [](const ticket& one, const ticket& other) { return one.number < other.number; });
  CHECK(std::ranges::is_sorted(tickets, {}, &ticket::number));
}

TEST_CASE("names of the elements' namespace are not called") {
  const weft::runtime runtime(config_of(3));
  using elsewhere::element;
  std::vector<element> in(200000), out(400000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i].value = static_cast<int>(i * 7919 % 10007);
  std::vector<element> sorted = in;
  weft::sort(weft::par, sorted);
  CHECK(std::ranges::is_sorted(sorted));
  weft::stable_sort(weft::par, in);
  CHECK((in == sorted));
  const auto is_small = [](const element& each) { return each.value < 100; };
  CHECK(weft::find(weft::par, in, element{3})->value == 3);
  CHECK(weft::count_if(weft::par, in, is_small) == std::ranges::count_if(in, is_small));
  CHECK(weft::copy_if(weft::par, in, out.begin(), is_small) - out.begin() == std::ranges::count_if(in, is_small));
  CHECK(weft::merge(weft::par, in, sorted, out.begin()) == out.end());
  CHECK(weft::minmax_element(weft::par, in).second == in.end() - 1);
  const auto larger = [](const element& one, const element& other) { return std::max(one, other); };
  CHECK(weft::reduce(weft::par, in, element(), larger) == in.back());
  weft::inclusive_scan(weft::par, in, out.begin(), larger);
  CHECK(std::equal(in.begin(), in.end(), out.begin()));
  weft::stable_partition(weft::par, in, [](const element& each) { return each.value % 2 == 0; });
  weft::partition(weft::par, in, is_small);
  in.erase(weft::unique(weft::par, in), in.end());
  CHECK(weft::remove_if(weft::par, in, is_small) != in.end());
}

TEST_CASE("the least and the largest of a temporary are nowhere") {
  const weft::runtime runtime(config_of(2));
  using dangling = std::ranges::dangling;
  static_assert(std::is_same_v<decltype(weft::minmax_element(weft::par, values(3))), std::pair<dangling, dangling>>);
  values in{4, 2, 9};
  (void)weft::minmax_element(weft::par, values(in));
  (void)weft::minmax_element(weft::par, in | std::views::transform(std::negate<>()));
  const auto negative = in | std::views::transform(std::negate<>());
  const auto [least, most] = weft::minmax_element(weft::par, negative);
  CHECK(*least == -9);
  CHECK(*most == -2);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which end a program that gets no memory
TEST_CASE("without memory, stable sorts and partitions are sequential, and copies of a choice throw") {
  const weft::runtime runtime(config_of(3));
  struct large {  // so that malloc asks the system for the buffer
    int key;
    char rest[10236];
  };
  std::vector<large> all(4096);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].key = static_cast<int>(i ^ (i / 2 == 1023 ? 1 : 0));
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  const rlimit none{0, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_AS, &none) == 0);
  weft::stable_sort(weft::par, all, [](const large& one, const large& other) { return one.key < other.key; });
  const auto others = weft::stable_partition(weft::par, all, [](const large& each) { return each.key < 2000; });
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(std::ranges::is_sorted(all, {}, &large::key));
  CHECK(others - all.begin() == 2000);
  const auto too_many = std::views::iota(0L, 1L << 50);
  std::vector<long> out(1);
  CHECK_THROWS_AS(weft::copy_if(weft::par, too_many, out.begin(), [](long) { return true; }), std::bad_alloc);
  CHECK_THROWS_AS(weft::unique_copy(weft::par, too_many, out.begin()), std::bad_alloc);
}
#endif
