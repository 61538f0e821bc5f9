// Loops and invoke from C++: every index once, whatever the range; exceptions; many at once.
#include <atomic>
#include <forward_list>
#include <list>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
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
  bool is_once_each_before(std::size_t end) const {
    return std::all_of(counts_.begin(), counts_.begin() + static_cast<long>(end), [](const auto& count) { return count == 1; });
  }

 private:
  std::vector<std::atomic<int>> counts_;
};

constexpr std::size_t sizes[] = {0, 1, 2, 3, 7, 64, 1000, 4099};

// A range of one's own: the nodes of a complete binary tree below one of them, numbered as in a heap.
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
    std::map<int, std::string> map{{1, "a"}, {2, "b"}, {3, "c"}};
    weft::for_each(map, [](auto& pair) { pair.second += std::to_string(pair.first); });
    CHECK(map[3] == "c3");
  });
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
