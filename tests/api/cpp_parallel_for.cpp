// Loops and invoke from C++: every index once, whatever the range; exceptions; many at once.
#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <forward_list>
#include <list>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>
#include <weft/weft.hpp>

#include "callers.hpp"

namespace {

// Counts visits of 0 .. size - 1.
class visits {
 public:
  explicit visits(std::size_t size) : counts_(size) {}
  void add(std::size_t index) { counts_.at(index).fetch_add(1, std::memory_order_relaxed); }
  bool is_once_each() const {
    return std::all_of(counts_.begin(), counts_.end(), [](const auto& count) { return count == 1; });
  }
  friend bool operator==(const visits& left, const visits& right) {
    return std::equal(left.counts_.begin(), left.counts_.end(), right.counts_.begin(), right.counts_.end(),
                      [](const auto& a, const auto& b) { return a == b; });
  }
  bool is_once_each_before(std::size_t end) const {
    return std::all_of(counts_.begin(), counts_.begin() + static_cast<long>(end), [](const auto& count) { return count == 1; });
  }

 private:
  std::vector<std::atomic<int>> counts_;
};

constexpr std::size_t sizes[] = {0, 1, 2, 3, 7, 64, 1000, 4099};

// A range of one's own: the nodes of a complete binary tree below one of them, numbered as in a
// heap.
class subtree {
 public:
  subtree(std::size_t root, int depth) : root_(root), depth_(depth) {}
  std::size_t size() const { return (std::size_t{2} << depth_) - 1 + above_.size(); }
  bool is_divisible(bool is_wanted) const { return is_wanted && depth_ > 0; }
  subtree split() {
    above_.push_back(root_);
    root_ *= 2;
    return {root_ + 1, --depth_};
  }
  template <class Body>
  void for_each(const Body& body) const {
    for (std::size_t node : above_) body(node);
    below(root_, depth_, body);
  }

 private:
  template <class Body>
  static void below(std::size_t root, int depth, const Body& body) {
    body(root);
    if (depth == 0) return;
    below(2 * root, depth - 1, body);
    below(2 * root + 1, depth - 1, body);
  }

  std::vector<std::size_t> above_;  // nodes that were cut off above the root
  std::size_t root_;
  int depth_;
};

struct odd {
  explicit odd(std::size_t at) : index(at) {}
  std::size_t index;
};

}  // namespace

TEST_CASE("a loop over indexes visits each once") {
  by_every_caller([] {
    for (std::size_t size : sizes) {
      visits seen(size);
      weft::parallel_for(0, size, [&](std::size_t i) { seen.add(i); });
      CHECK(seen.is_once_each());
    }
    visits negative(21);
    weft::parallel_for(-10, 11, [&](int i) { negative.add(static_cast<std::size_t>(i + 10)); });
    CHECK(negative.is_once_each());
    weft::parallel_for(5, 3, [&](int) { FAIL("an empty range"); });
  });
}

TEST_CASE("a loop over the whole of a small type") {
  const weft::runtime runtime({.workers = 4});
  visits seen(255);
  weft::parallel_for(static_cast<signed char>(-128), static_cast<signed char>(127),
                     [&](signed char i) { seen.add(static_cast<std::size_t>(i + 128)); });
  CHECK(seen.is_once_each());
}

TEST_CASE("a loop with a step visits what a plain loop visits") {
  by_every_caller([] {
    for (int end : {-7, 0, 1, 2, 3, 64, 1000}) {
      for (int step : {1, 2, 3, 7, 63, 64, 65, 5000}) {
        visits seen(1000), expected(1000);
        for (int i = 0; i < end; i += step) expected.add(static_cast<std::size_t>(i));
        weft::parallel_for(0, end, step, [&](int i) { seen.add(static_cast<std::size_t>(i)); });
        CHECK(seen == expected);
      }
    }
    std::atomic<int> sum = 0;
    weft::parallel_for(-10, 11, 5, [&](int i) { sum += i + 1; });
    CHECK(sum == 5);
  });
}

TEST_CASE("the index of a loop with a step has the type that both ends have in common") {
  const weft::runtime runtime({.workers = 2});
  std::atomic<std::int64_t> sum = 0;
  weft::parallel_for(0, std::int64_t{1} << 33, std::int64_t{1} << 32, [&](auto i) {
    static_assert(std::is_same_v<decltype(i), std::int64_t>);
    sum += i + 1;
  });
  CHECK(sum == (std::int64_t{1} << 32) + 2);
}

TEST_CASE("a loop with a step ends where its type ends") {
  const weft::runtime runtime({.workers = 4});
  visits seen(256);
  weft::parallel_for(static_cast<signed char>(-128), static_cast<signed char>(127), 100,
                     [&](signed char i) { seen.add(static_cast<std::size_t>(i + 128)); });
  visits expected(256);
  for (std::size_t i : {0U, 100U, 200U}) expected.add(i);
  CHECK(seen == expected);
  constexpr std::uint64_t last = UINT64_MAX;
  std::atomic<std::uint64_t> sum = 0;
  weft::parallel_for(last - 10, last, 4, [&](std::uint64_t i) { sum += last - i; });
  CHECK(sum == 10 + 6 + 2);
  sum = 0;
  weft::parallel_for(std::uint64_t{0}, last, last / 2, [&](std::uint64_t i) { sum += i == 0 ? 1 : last / i * 10; });
  CHECK(sum == 1 + 20 + 10);
  std::atomic<int> visited = 0;
  weft::parallel_for(std::int64_t{INT64_MIN}, std::int64_t{INT64_MAX}, INT64_MAX, [&](std::int64_t i) {
    if (i == INT64_MIN || i == -1 || i == INT64_MAX - 1) ++visited;
  });
  CHECK(visited == 3);
  weft::parallel_for(static_cast<unsigned char>(3), static_cast<unsigned char>(9), last, [&](unsigned char i) { visited += i; });
  CHECK(visited == 6);
}

TEST_CASE("a step of 0 or below is refused, also by an empty loop") {
  for (int step : {0, -1, INT_MIN}) {
    for (int end : {10, 0}) {
      try {
        weft::parallel_for(0, end, step, [](int) { FAIL("the body of a loop that was refused"); });
        FAIL("nothing was thrown");
      } catch (const weft::error& refused) {
        CHECK(refused.status() == WEFT_INVALID);
        CHECK(std::string(refused.what()).find("weft::parallel_for: the step must be above 0") == 0);
      }
    }
  }
}

TEST_CASE("the first exception of a loop with a step leaves") {
  by_every_caller([] {
    const auto fail_from_100 = [](std::size_t i) {
      if (i >= 100) throw odd(i);
    };
    CHECK_THROWS_AS(weft::parallel_for(std::size_t{0}, std::size_t{1000}, 3, fail_from_100), odd);
    try {
      weft::parallel_for(std::size_t{0}, std::size_t{1000}, 3, fail_from_100);
    } catch (const odd& thrown) {
      CHECK(thrown.index == 102);
    }
  });
}

TEST_CASE("the body of a loop over indexes may be generic") {
  by_every_caller([] {
    visits seen(100), stepped(100);
    weft::parallel_for(std::size_t{0}, std::size_t{100}, [&](auto i) { seen.add(i); });
    CHECK(seen.is_once_each());
    weft::parallel_for(std::size_t{0}, std::size_t{100}, 1, [&](auto i) { stepped.add(i); });
    CHECK(stepped.is_once_each());
  });
}

TEST_CASE("a loop over iterators") {
  by_every_caller([] {
    std::vector<int> values(1000, 1);
    weft::parallel_for(values.begin(), values.end(), [](auto at) { ++*at; });
    weft::parallel_for(weft::range(values.begin(), values.end(), 10), [](const auto& part) {
      for (int& value : part) ++value;
    });
    CHECK(std::accumulate(values.begin(), values.end(), 0) == 3000);
  });
}

TEST_CASE("parts are as large as the grain says") {
  by_every_caller([] {
    for (std::size_t size : sizes) {
      for (std::size_t grain : {std::size_t{1}, std::size_t{2}, std::size_t{100}, size, size + 1}) {
        if (grain == 0) continue;
        visits seen(size);
        weft::parallel_for(weft::range(std::size_t{0}, size, grain), [&](const weft::range<std::size_t>& part) {
          const bool is_good = part.size() <= grain && (part.size() == size || 2 * part.size() >= grain);
          if (!is_good) FAIL_CHECK(part.size(), " of ", size, " by ", grain);
          part.for_each([&](std::size_t i) { seen.add(i); });
        });
        CHECK(seen.is_once_each());
      }
    }
  });
}

TEST_CASE("blocked ranges in two and three dimensions") {
  by_every_caller([] {
    for (std::size_t rows : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{40}}) {
      for (std::size_t columns : {std::size_t{0}, std::size_t{1}, std::size_t{33}, std::size_t{200}}) {
        visits seen(rows * columns), tiled(rows * columns), paged(2 * rows * columns);
        weft::parallel_for(weft::blocked_range(weft::range(std::size_t{0}, rows), weft::range(std::size_t{0}, columns)),
                           [&](std::size_t row, std::size_t column) { seen.add(row * columns + column); });
        CHECK(seen.is_once_each());
        using tiles = weft::blocked_range<std::size_t, 2>;
        weft::parallel_for(tiles(weft::range(std::size_t{0}, rows, 8), weft::range(std::size_t{0}, columns, 16)),
                           [&](const tiles& tile) {
                             if (tile.rows().size() > 8 || tile.columns().size() > 16) FAIL_CHECK("a tile too large");
                             tile.for_each([&](std::size_t row, std::size_t column) { tiled.add(row * columns + column); });
                           });
        CHECK(tiled.is_once_each());
        weft::parallel_for(
            weft::blocked_range(weft::range(std::size_t{0}, std::size_t{2}), weft::range(std::size_t{0}, rows),
                                weft::range(std::size_t{0}, columns)),
            [&](std::size_t page, std::size_t row, std::size_t column) { paged.add((page * rows + row) * columns + column); });
        CHECK(paged.is_once_each());
      }
    }
  });
}

TEST_CASE("blocked ranges are cut across their longest side, and not where others have a grain") {
  using block = weft::blocked_range<int, 3>;
  block whole(weft::range(0, 10), weft::range(0, 100), weft::range(0, 30));
  const block later = whole.split();
  CHECK(whole.rows().end() == 50);
  CHECK(later.rows().begin() == 50);
  CHECK(later.pages().size() == 10);
  CHECK(later.columns().size() == 30);
  block grained(weft::range(0, 10, 1), weft::range(0, 100, 50), weft::range(0, 1000));
  const block last_pages = grained.split();
  CHECK(last_pages.pages().begin() == 5);
  CHECK(block(weft::range(0, 1, 1), weft::range(0, 50, 50), weft::range(0, 1000)).is_divisible(true) == false);
  CHECK(block(weft::range(0, 1), weft::range(0, 1), weft::range(0, 1)).is_divisible(true) == false);
  CHECK(block(weft::range(0, 1), weft::range(0, 2), weft::range(0, 1)).is_divisible(false) == false);
}

TEST_CASE("ranges of one's own") {
  by_every_caller([] {
    visits seen(1024);
    weft::parallel_for(subtree(1, 9), [&](std::size_t node) { seen.add(node); });
    seen.add(0);
    CHECK(seen.is_once_each());
    CHECK(weft::parallel_reduce(subtree(1, 9), 0UL, [](std::size_t node) { return node; }, std::plus<>()) == 1023 * 512);
  });
}

TEST_CASE("for_each over all kinds of iterators") {
  by_every_caller([] {
    for (std::size_t size : sizes) {
      std::vector<int> vector(size, 1);
      std::list<int> list(size, 1);
      std::forward_list<int> forward(size, 1);
      const auto add = [](int& value) { ++value; };
      weft::for_each(vector.begin(), vector.end(), add);
      weft::for_each(list, add);
      weft::for_each(forward, add);
      const auto is_two = [](int value) { return value == 2; };
      CHECK(std::all_of(vector.begin(), vector.end(), is_two));
      CHECK(std::all_of(list.begin(), list.end(), is_two));
      CHECK(std::all_of(forward.begin(), forward.end(), is_two));
    }
    struct item {
      int value = 1;
      void grow() { ++value; }
    };
    std::vector<item> items(100);
    std::list<item> others(100);
    weft::for_each(items, &item::grow);  // as std::invoke takes them
    weft::for_each(others, &item::grow);
    for (const item& each : items) CHECK(each.value == 2);
    for (const item& each : others) CHECK(each.value == 2);
    std::map<int, std::string> map{{1, "a"}, {2, "b"}, {3, "c"}};
    weft::for_each(map, [](auto& pair) { pair.second += std::to_string(pair.first); });
    CHECK(map[3] == "c3");
  });
}

TEST_CASE("for_each over weft's own ranges") {
  by_every_caller([] {
    visits seen(1000), blocked(35), paged(70);
    weft::for_each(weft::range(std::size_t{0}, std::size_t{1000}, 10), [&](auto i) { seen.add(i); });
    CHECK(seen.is_once_each());
    weft::range whole(0, 0);
    weft::for_each(whole, [](int) { FAIL("an empty range"); });
    weft::for_each(weft::blocked_range(weft::range(0, 5), weft::range(0, 7)),
                   [&](int row, int column) { blocked.add(static_cast<std::size_t>(row * 7 + column)); });
    CHECK(blocked.is_once_each());
    weft::for_each(weft::blocked_range(weft::range(0, 2), weft::range(0, 5), weft::range(0, 7)),
                   [&](int page, int row, int column) { paged.add(static_cast<std::size_t>((page * 5 + row) * 7 + column)); });
    CHECK(paged.is_once_each());
    std::vector<int> values(100, 1);
    weft::for_each(weft::range(values.begin(), values.end(), 10), [](int& value) { ++value; });
    CHECK(std::accumulate(values.begin(), values.end(), 0) == 200);
  });
}

// Its first element waits for its second one: a part that had both would never end.
TEST_CASE("for_each keeps the grain of a range") {
  const weft::runtime runtime({.workers = 2});
  std::vector<std::atomic<bool>> has_run(1000);
  const auto run = [&has_run](std::size_t i) {
    while (i == 0 && !has_run[1]) std::this_thread::yield();
    has_run[i] = true;
  };
  weft::for_each(weft::range(std::size_t{0}, has_run.size(), 1), run);
  has_run[1] = false;
  weft::for_each(weft::range(has_run.begin(), has_run.end(), 1),
                 [&](auto& element) { run(static_cast<std::size_t>(&element - has_run.data())); });
}

TEST_CASE("loops in loops, and bodies that block") {
  by_every_caller([] {
    std::atomic<long> sum = 0;
    weft::mutex mutex;
    long guarded = 0;
    weft::parallel_for(0, 20, [&](int i) {
      weft::parallel_for(0, 50, [&](int j) { sum += i * j; });
      if (weft_self() == nullptr || weft_thread_is_tasklet(weft_self())) return;
      weft::this_thread::yield();
      const std::lock_guard hold(mutex);
      ++guarded;
    });
    CHECK(sum == 190L * 1225);
    CHECK((guarded == 20 || !is_parallel()));
  });
}

TEST_CASE("parts run at the same time") {
  for (unsigned workers : {2U, 4U}) {
    const weft::runtime runtime({.workers = workers});
    for (int round = 0; round < 50; ++round) {
      std::atomic<unsigned> arrived = 0;
      weft::parallel_for(0U, workers, [&](unsigned) {
        ++arrived;
        while (arrived < workers) std::this_thread::yield();
      });
      arrived = 0;
      const auto meet = [&] {
        ++arrived;
        while (arrived < 2) std::this_thread::yield();
      };
      weft::invoke(meet, meet);
    }
  }
}

TEST_CASE("the first exception in program order leaves, and all before it has run") {
  by_every_caller([] {
    for (std::size_t first : {std::size_t{0}, std::size_t{1}, std::size_t{499}, std::size_t{998}}) {
      for (std::size_t grain : {std::size_t{0}, std::size_t{1}, std::size_t{30}}) {
        visits seen(1000);
        try {
          weft::parallel_for(weft::range(std::size_t{0}, std::size_t{1000}, grain), [&](std::size_t i) {
            seen.add(i);
            if (i >= first && i % 2 == first % 2) throw odd(i);
          });
          FAIL("nothing was thrown");
        } catch (const odd& thrown) {
          CHECK(thrown.index == first);
        }
        CHECK(seen.is_once_each_before(first));
      }
    }
    std::list<int> list(100, 0);
    CHECK_THROWS_WITH_AS(weft::for_each(list, [](int) { throw std::runtime_error("element"); }), "element", std::runtime_error);
  });
}

TEST_CASE("a worker alone stops where a plain loop would") {
  const weft::runtime runtime({.workers = 1});
  int visited = 0;
  CHECK_THROWS_AS(weft::parallel_for(weft::range(0, 1000, 1),
                                     [&](int i) {
                                       ++visited;
                                       if (i == 10) throw odd(10);
                                     }),
                  odd);
  CHECK(visited == 11);
}

TEST_CASE("exceptions that nobody gets are counted and shown") {
  const weft::runtime runtime({.workers = 2});
  static std::atomic<int> shown = 0;
  const auto show = [](const std::exception_ptr& dropped) noexcept {
    if (dropped) ++shown;
  };
  const bool had_handler = weft::on_dropped_exception(show) != nullptr;
  CHECK(!had_handler);
  const std::uint64_t before = weft::dropped_exceptions();
  std::atomic<int> arrived = 0;
  const auto meet_and_throw = [&] {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
    throw arrived.load();
  };
  CHECK_THROWS_AS(weft::invoke(meet_and_throw, meet_and_throw), int);
  CHECK(weft::dropped_exceptions() == before + 1);
  CHECK(shown == 1);
  const bool was_mine = weft::on_dropped_exception(nullptr) == +show;
  CHECK(was_mine);
}

TEST_CASE("invoke calls all") {
  by_every_caller([] {
    std::vector<int> order;
    std::mutex mutex;
    const auto note = [&](int number) {
      return [&, number] {
        const std::lock_guard hold(mutex);
        order.push_back(number);
      };
    };
    weft::invoke(note(0));
    weft::invoke(note(1), note(2), note(3), note(4), note(5));
    CHECK(std::accumulate(order.begin(), order.end(), 0) == 15);
    if (!is_parallel()) CHECK(std::is_sorted(order.begin(), order.end()));
    auto kept = [owner = std::make_unique<int>(1)]() mutable { ++*owner; };
    weft::invoke(kept, [&] { order.clear(); });
    CHECK(order.empty());
  });
}

TEST_CASE("invoke throws what the first in its order throws") {
  by_every_caller([] {
    bool has_run = false;
    const auto fail = [](const char* why) { return [why] { throw std::runtime_error(why); }; };
    for (int round = 0; round < 20; ++round) {
      CHECK_THROWS_WITH_AS(weft::invoke([&] { has_run = true; }, fail("second"), fail("third"), [] {}, fail("fifth")), "second",
                           std::runtime_error);
      CHECK(std::exchange(has_run, false));
    }
  });
}
