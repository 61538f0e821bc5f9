// Generators and coroutines: each value once and in order, exceptions both ways, frames unwound,
// and a body that is resumed by other threads, blocks, and forks.
#include <weft/coroutine2.hpp>
#include <weft/generator.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "callers.hpp"

#include <weft/channel.hpp>
#include <weft/fork.hpp>
#include <weft/mutex.hpp>
#include <weft/runtime.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>

namespace {

// Runs body in main, in a thread and in a tasklet, on 1, 2 and 4 workers.
void inside_of_a_runtime(const std::function<void()>& body) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    CAPTURE(workers);
    const weft::runtime runtime(config_of(workers));
    body();
    weft::thread(body).join();
    std::function<void()> in_tasklet = body;
    weft_thread* tasklet = nullptr;
    REQUIRE(weft_tasklet_create([](void* call) { (*static_cast<std::function<void()>*>(call))(); }, &in_tasklet, nullptr,
                                &tasklet) == WEFT_OK);
    REQUIRE(weft_thread_join(tasklet) == WEFT_OK);
  }
}

struct counts_down {
  explicit counts_down(int* where) : count(where) {}
  counts_down(const counts_down&) = delete;
  counts_down& operator=(const counts_down&) = delete;
  ~counts_down() { --*count; }
  int* count;
};

weft::generator<int> numbers_below(int end) {
  return weft::generator<int>([end](weft::yielder<int>& yield) {
    for (int number = 0; number < end; ++number) yield(number);
  });
}

// 0 to depth - 1 on the way down, and again on the way up.
weft::generator<int> down_and_up(int now, int depth) {
  return weft::generator<int>([now, depth](weft::yielder<int>& yield) {
    if (now == depth) return;
    yield(now);
    yield.all(down_and_up(now + 1, depth));
    yield(now);
  });
}

std::vector<int> all_of(weft::generator<int> source) {
  std::vector<int> all;
  for (const int each : source) all.push_back(each);
  return all;
}

weft_status status_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const weft::error& error) {
    return error.status();
  }
  return WEFT_OK;
}

}  // namespace

static_assert(std::ranges::input_range<weft::generator<int>> && std::ranges::view<weft::generator<int>>);
static_assert(!std::copy_constructible<weft::generator<int>>);
static_assert(std::same_as<std::ranges::range_reference_t<weft::generator<std::string>>, std::string&>);

TEST_CASE("a generator yields each value once, in order") {
  inside_of_a_runtime([] {
    CHECK(all_of(numbers_below(5)) == std::vector<int>{0, 1, 2, 3, 4});
    CHECK(all_of(numbers_below(0)).empty());
    weft::generator<int> three = numbers_below(3);
    CHECK(three.next() == 0);
    CHECK(*three.begin() == 0);  // begin is where it stands
    CHECK(three.next() == 1);
    CHECK(bool(three));
    CHECK(three.next() == 2);
    CHECK(three.next() == std::nullopt);
    CHECK(three.next() == std::nullopt);
    CHECK_FALSE(bool(three));
  });
}

TEST_CASE("values are the function's own: changed, moved, referred to") {
  inside_of_a_runtime([] {
    std::vector<int> seen;
    weft::generator<int&> doubles([&seen](weft::yielder<int&>& yield) {
      int own = 1;
      while (own < 100) {
        yield(own);
        seen.push_back(own);
      }
    });
    for (int& each : doubles) each *= 3;
    CHECK(seen == std::vector<int>{3, 9, 27, 81, 243});
    weft::generator<std::unique_ptr<int>> owned([](weft::yielder<std::unique_ptr<int>>& yield) {
      yield(std::make_unique<int>(7));
      auto named = std::make_unique<int>(8);
      yield(named);
    });
    const std::optional<std::unique_ptr<int>> first = owned.next();
    REQUIRE(first.has_value());
    CHECK(**first == 7);
    CHECK(**owned.next() == 8);
    CHECK_FALSE(owned.next().has_value());
    const std::string text = "kept";
    weft::generator<std::string> copies([&text](weft::yielder<std::string>& yield) { yield(text); });
    CHECK(std::move(*copies.begin()) == "kept");
    CHECK(text == "kept");
  });
}

TEST_CASE("generators in generators") {
  inside_of_a_runtime([] {
    CHECK(all_of(down_and_up(0, 3)) == std::vector<int>{0, 1, 2, 2, 1, 0});
    int count = 0;
    for (const int each : down_and_up(0, 50)) count += each >= 0;
    CHECK(count == 100);
    const std::vector<int> list{4, 5};
    weft::generator<int> mixed([&list](weft::yielder<int>& yield) {
      yield.all(list);
      yield.all(numbers_below(2));
      yield.all(std::views::iota(8, 10));
      weft::generator<int> begun = numbers_below(3);
      static_cast<void>(begun.next());
      yield.all(std::move(begun));
    });
    CHECK(all_of(std::move(mixed)) == std::vector<int>{4, 5, 0, 1, 8, 9, 1, 2});
  });
}

TEST_CASE("generators are ranges") {
  inside_of_a_runtime([] {
    std::vector<int> seen;
    for (const int each : numbers_below(1000) | std::views::filter([](int n) { return n % 2 == 1; }) | std::views::take(3))
      seen.push_back(each);
    CHECK(seen == std::vector<int>{1, 3, 5});
  });
}

TEST_CASE("a generator that is destroyed unwinds its frames") {
  inside_of_a_runtime([] {
    int alive = 0;
    bool goes_on = false;
    {
      weft::generator<int> endless([&alive, &goes_on](weft::yielder<int>& yield) {
        alive += 2;
        const counts_down first(&alive);
        yield(1);
        weft::generator<int> inner([&alive](weft::yielder<int>& also) {
          const counts_down second(&alive);
          for (;;) also(2);
        });
        yield.all(std::move(inner));
        goes_on = true;
      });
      CHECK(endless.next() == 1);
      CHECK(alive == 2);
      CHECK(endless.next() == 2);
      CHECK(endless.next() == 2);
    }
    CHECK(alive == 0);
    CHECK_FALSE(goes_on);
    bool has_run = false;
    const auto shared = std::make_shared<int>(1);
    {
      const weft::generator<int> never([&has_run, shared](weft::yielder<int>&) { has_run = true; });
      CHECK(shared.use_count() == 2);
    }
    CHECK(shared.use_count() == 1);
    CHECK_FALSE(has_run);
    alive = 1;
    weft::generator<int> replaced([&alive](weft::yielder<int>& yield) {
      const counts_down only(&alive);
      yield(1);
      yield(2);
    });
    CHECK(replaced.next() == 1);
    replaced = numbers_below(2);
    CHECK(alive == 0);
    CHECK(replaced.next() == 0);
  });
}

TEST_CASE("forced_unwind goes through catches that rethrow it, and is no std::exception") {
  inside_of_a_runtime([] {
    std::string way;
    {
      weft::generator<int> catching([&way](weft::yielder<int>& yield) {
        try {
          try {
            yield(1);
          } catch (const std::exception&) {
            way += "exception ";
          }
        } catch (...) {
          way += "unwound";
          throw;
        }
      });
      static_cast<void>(catching.next());
    }
    CHECK(way == "unwound");
  });
}

TEST_CASE("exceptions cross both ways") {
  inside_of_a_runtime([] {
    weft::generator<int> failing([](weft::yielder<int>& yield) {
      yield(1);
      throw std::runtime_error("from inside");
    });
    CHECK(failing.next() == 1);
    CHECK_THROWS_WITH_AS(static_cast<void>(failing.next()), "from inside", std::runtime_error);
    CHECK(failing.next() == std::nullopt);
    weft::generator<int> outer([](weft::yielder<int>& yield) {
      try {
        yield.all(weft::generator<int>([](weft::yielder<int>& also) {
          also(5);
          throw std::logic_error("inner");
        }));
      } catch (const std::logic_error&) {
        yield(6);
      }
      throw 7;
    });
    CHECK(outer.next() == 5);
    CHECK(outer.next() == 6);
    CHECK_THROWS_AS(static_cast<void>(outer.next()), int);
    // In a catch block of the caller's, and one of the function's, at the same time.
    weft::generator<int> in_catch([](weft::yielder<int>& yield) {
      try {
        throw std::runtime_error("own");
      } catch (...) {
        yield(1);
        try {
          throw;
        } catch (const std::runtime_error& again) {
          yield(again.what() == std::string("own") ? 2 : -2);
        }
      }
    });
    try {
      throw std::logic_error("the caller's");
    } catch (...) {
      CHECK(in_catch.next() == 1);
      CHECK(std::uncaught_exceptions() == 0);
      CHECK_THROWS_WITH_AS(throw, "the caller's", std::logic_error);
      CHECK(in_catch.next() == 2);
    }
    CHECK(std::current_exception() == nullptr);
    CHECK(in_catch.next() == std::nullopt);
  });
}

TEST_CASE("a step while an exception is in flight") {
  const weft::runtime runtime(config_of(2));
  struct steps {
    weft::generator<int>* source;
    int* seen;
    ~steps() { *seen = *source->next(); }
  };
  weft::generator<int> source = numbers_below(3);
  int seen = -1;
  try {
    const steps at_end{&source, &seen};
    throw std::runtime_error("in flight");
  } catch (const std::runtime_error&) {
    CHECK(seen == 0);
  }
  CHECK(source.next() == 1);
}

TEST_CASE("wrong uses of generators are errors") {
  CHECK(status_of([] { static_cast<void>(numbers_below(1)); }) == WEFT_NOT_INITIALIZED);
  inside_of_a_runtime([] {
    weft::generator<int> ended = numbers_below(1);
    auto at = ended.begin();
    ++at;
    CHECK((at == ended.end()));
    CHECK(status_of([&at] { ++at; }) == WEFT_INVALID);
    weft::generator<int> moved = std::move(ended);
    CHECK(status_of([&ended] { static_cast<void>(ended.begin()); }) == WEFT_INVALID);
    CHECK(status_of([&ended] { static_cast<void>(ended.next()); }) == WEFT_INVALID);
    CHECK_FALSE(bool(ended));
    CHECK(status_of([] { static_cast<void>(weft::generator<int>().next()); }) == WEFT_INVALID);
    weft_status inside = WEFT_OK;
    weft::generator<int>* self = nullptr;
    weft::generator<int> own([&](weft::yielder<int>& yield) {
      inside = status_of([self] { static_cast<void>(self->next()); });
      yield(1);
    });
    self = &own;
    CHECK(own.next() == 1);
    CHECK(inside == WEFT_DEADLOCK);
    CHECK(status_of([] {
            weft::generator<int> outer([](weft::yielder<int>& yield) { yield.all(weft::generator<int>()); });
            static_cast<void>(outer.next());
          }) == WEFT_INVALID);
    weft_status small = WEFT_OK;
    small = status_of([] {
      const weft::generator<int> tiny(std::allocator_arg, weft::context::fixedsize_stack(100), [](weft::yielder<int>&) {});
    });
    CHECK(small == WEFT_INVALID);
  });
  const weft::runtime runtime(config_of(1));
  weft_status outside = WEFT_OK;
  weft::latch done(1);
  std::thread os_thread([&] {
    outside = status_of([] { static_cast<void>(numbers_below(1)); });
    done.count_down();
  });
  done.wait();
  os_thread.join();
  CHECK(outside == WEFT_CANNOT_BLOCK);
}

TEST_CASE("a function object of any size, on a stack of any size") {
  inside_of_a_runtime([] {
    std::array<int, 2000> large{};
    large[1999] = 4;
    weft::generator<int> source([large](weft::yielder<int>& yield) { yield(large[1999]); });
    CHECK(source.next() == 4);
    for (const std::size_t bytes : {std::size_t{1} << 15, std::size_t{1} << 20, std::size_t{3} << 20}) {
      weft::generator<int> deep(std::allocator_arg, weft::context::fixedsize_stack(bytes), [bytes](weft::yielder<int>& yield) {
        volatile char frame[1 << 14];
        frame[0] = 1;
        yield(static_cast<int>(bytes) + frame[0]);
      });
      CHECK(deep.next() == static_cast<int>(bytes) + 1);
    }
  });
}

TEST_CASE("several threads want values of one generator, on their workers") {
  constexpr int threads = 4, each = 200;
  const weft::runtime runtime(config_of(4));
  weft::generator<int> source = numbers_below(threads * each);
  weft::mutex turn;
  std::vector<int> seen;
  std::vector<weft::thread> all;
  for (int number = 0; number < threads; ++number) {
    all.emplace_back([&, number] {
      weft::this_thread::pin(number);
      for (int round = 0; round < each; ++round) {
        const std::lock_guard hold(turn);
        seen.push_back(source.next().value_or(-1));
      }
    });
  }
  for (weft::thread& one : all) one.join();
  CHECK(source.next() == std::nullopt);
  CHECK(std::ranges::equal(seen, std::views::iota(0, threads * each)));
}

TEST_CASE("a function blocks the thread that wants its value, and goes on as another one") {
  for (const unsigned workers : {1U, 2U, 4U}) {
    const weft::runtime runtime(config_of(workers));
    weft::unbuffered_channel<int> channel;
    weft::mutex lock;
    std::vector<weft::thread_id> owners;
    weft::generator<int> source([&](weft::yielder<int>& yield) {
      for (;;) {
        owners.push_back(weft::this_thread::get_id());
        int value = 0;
        if (channel.pop(value) != weft::channel_op_status::success) return;
        {
          const std::lock_guard hold(lock);
          weft::this_thread::yield();
          weft::this_thread::sleep_for(std::chrono::microseconds(10));
        }
        yield(value);
      }
    });
    weft::thread pusher([&channel] {
      for (int value = 0; value < 20; ++value) channel.push(value);
      channel.close();
    });
    int next = 0;
    for (bool has_more = true; has_more;) {
      weft::thread([&] {
        CHECK((owners.empty() || owners.back() != weft::this_thread::get_id()));
        const std::optional<int> value = source.next();
        has_more = value.has_value();
        if (has_more) CHECK(*value == next++);
        if (has_more) CHECK(owners.back() == weft::this_thread::get_id());
      }).join();
    }
    CHECK(next == 20);
    pusher.join();
  }
}

TEST_CASE("forks and threads inside of a function, and forks of its caller's around it") {
  for (const unsigned workers : {1U, 2U, 4U}) {
    const weft::runtime runtime(config_of(workers));
    weft::generator<long> sums([](weft::yielder<long>& yield) {
      for (long round = 0; round < 20; ++round) {
        long left = round, right = 0, joined = 0;
        auto child = weft::fork([&left] {
          weft::this_thread::yield();
          left *= 2;
        });
        right = round * 3;
        weft::thread([&joined] { joined = 1; }).join();  // may run on this stack
        child.join();
        yield(left + right + joined);
      }
    });
    for (long round = 0; round < 20; ++round) {
      long around = 0;
      auto child = weft::fork([&around] { around = 1; });
      const std::optional<long> sum = sums.next();
      child.join();
      CHECK(around == 1);
      CHECK(sum == round * 5 + 1);
    }
    CHECK(sums.next() == std::nullopt);
  }
}

TEST_CASE("many generators live at once") {
  constexpr std::size_t count = IS_SLOW ? 50 : 500;
  const weft::runtime runtime(config_of(2));
  std::vector<weft::generator<int>> all;
  for (std::size_t index = 0; index < count; ++index) all.push_back(numbers_below(3));
  for (int round = 0; round < 3; ++round) {
    for (weft::generator<int>& each : all) REQUIRE(each.next() == round);
  }
  for (weft::generator<int>& each : all) REQUIRE(each.next() == std::nullopt);
}

TEST_CASE("coroutines hand values over, both ways") {
  inside_of_a_runtime([] {
    using coroutine = weft::coroutine<int>;
    coroutine::pull_type source([](coroutine::push_type& sink) {
      for (int value = 0; value < 3; ++value) sink(value);
    });
    std::vector<int> seen;
    for (const int each : source) seen.push_back(each);
    CHECK(seen == std::vector<int>{0, 1, 2});
    CHECK(!source);
    CHECK(status_of([&source] { source(); }) == WEFT_INVALID);
    CHECK(status_of([&source] { static_cast<void>(source.get()); }) == WEFT_INVALID);

    std::vector<int> pushed;
    coroutine::push_type sink([&pushed](coroutine::pull_type& values) {
      for (const int each : values) pushed.push_back(each);
    });
    CHECK(pushed.empty());
    sink(1)(2);
    std::fill_n(begin(sink), 2, 3);
    CHECK(pushed == std::vector<int>{1, 2, 3, 3});
    CHECK(bool(sink));

    coroutine::push_type one([](coroutine::pull_type& values) { CHECK(values.get() == 9); });
    one(9);
    CHECK_FALSE(bool(one));
    CHECK(status_of([&one] { one(1); }) == WEFT_INVALID);
    coroutine::pull_type moved = std::move(source);
    CHECK(status_of([&source] { source(); }) == WEFT_INVALID);
  });
}

TEST_CASE("coroutines of references, of nothing, and of what can only be moved") {
  inside_of_a_runtime([] {
    int own = 1;
    weft::coroutine<int&>::pull_type references([&own](weft::coroutine<int&>::push_type& sink) { sink(own); });
    CHECK(&references.get() == &own);
    int steps = 0;
    weft::coroutine<void>::pull_type nothing([&steps](weft::coroutine<void>::push_type& sink) {
      ++steps;
      sink();
      ++steps;
    });
    CHECK(steps == 1);
    CHECK(bool(nothing));
    nothing();
    CHECK(steps == 2);
    CHECK_FALSE(bool(nothing));
    weft::coroutine<void>::push_type later([&steps](weft::coroutine<void>::pull_type& source) {
      ++steps;
      source();
      ++steps;
    });
    CHECK(steps == 2);
    later();
    CHECK(steps == 3);
    later();
    CHECK(steps == 4);
    CHECK_FALSE(bool(later));
    static_assert(std::same_as<weft::asymmetric_coroutine<int>::pull_type, weft::coroutine<int>::pull_type>);
    using owning = weft::coroutine<std::unique_ptr<int>>;
    owning::pull_type owned([](owning::push_type& sink) { sink(std::make_unique<int>(3)); });
    const std::unique_ptr<int> taken = owned.get();
    CHECK(*taken == 3);
  });
}

TEST_CASE("coroutines throw where they are resumed, and unwind where they are destroyed") {
  inside_of_a_runtime([] {
    using coroutine = weft::coroutine<int>;
    CHECK_THROWS_AS(coroutine::pull_type([](coroutine::push_type&) { throw 1; }), int);
    coroutine::pull_type later([](coroutine::push_type& sink) {
      sink(1);
      throw std::runtime_error("later");
    });
    CHECK_THROWS_AS(later(), std::runtime_error);
    int alive = 2;
    {
      const coroutine::pull_type unfinished([&alive](coroutine::push_type& sink) {
        const counts_down first(&alive);
        for (;;) sink(1);
      });
      coroutine::push_type waiting(weft::context::fixedsize_stack(1 << 16), [&alive](coroutine::pull_type& source) {
        const counts_down second(&alive);
        for (;;) source();
      });
      waiting(1);
      CHECK(alive == 2);
    }
    CHECK(alive == 0);
  });
}
