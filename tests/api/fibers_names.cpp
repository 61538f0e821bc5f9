// Boost.Fiber's names beyond those of fibers.cpp, as programs for it use them, with `boost` read as
// `weft`. The scene runs in a child process, in which the library has not started.
#include <weft/fiber/all.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "../support/scene.hpp"

using namespace std::chrono_literals;
namespace fibers = weft::fibers;
using fibers::channel_op_status;
using scene::expect_well;

TEST_CASE("channels between fibers, closed at the end") {
  expect_well([] {
    fibers::unbuffered_channel<std::string> words;
    fibers::buffered_channel<std::size_t> sizes(2);
    fibers::fiber source([&] {
      for (const char* each : {"a", "bc", "def"}) NEED(words.push(each) == channel_op_status::success);
      words.close();
    });
    fibers::fiber measure([&] {
      std::string word;
      while (words.pop(word) == channel_op_status::success) NEED(sizes.push(word.size()) == channel_op_status::success);
      sizes.close();
    });
    std::size_t sum = 0;
    for (const std::size_t each : sizes) sum = sum * 10 + each;
    NEED(sum == 123);
    source.join();
    measure.join();
    NEED(words.push("late") == channel_op_status::closed);
    NEED(sizes.is_closed());
    std::error_code code;
    try {
      sizes.value_pop();
    } catch (const fibers::fiber_error& closed) {
      code = closed.code();
    }
    NEED(code == std::errc::operation_not_permitted);
    std::size_t none = 0;
    NEED(sizes.pop_wait_for(none, 1ms) == channel_op_status::closed);
    NEED(sizes.try_pop(none) == channel_op_status::closed);
  });
}

TEST_CASE("a barrier, the other mutexes, and a condition for any lock") {
  expect_well([] {
    fibers::barrier meeting(3);
    int last = 0;
    fibers::recursive_mutex recursive;
    fibers::timed_mutex timed;
    fibers::recursive_timed_mutex both;
    fibers::condition_variable_any changed;
    int turn = 0;
    std::vector<fibers::fiber> all;
    for (int i = 0; i < 3; ++i) {
      all.emplace_back([&, i] {
        if (meeting.wait()) ++last;
        {
          const std::scoped_lock hold(recursive, both);
          const std::lock_guard again(recursive);
          const std::lock_guard once_more(both);
        }
        std::unique_lock hold(timed, 1h);
        changed.wait(hold, [&] { return turn == i; });
        ++turn;
        changed.notify_all();
      });
    }
    for (fibers::fiber& each : all) each.join();
    NEED(last == 1);
    NEED(turn == 3);
    std::error_code code;
    try {
      fibers::barrier none(0);
    } catch (const fibers::fiber_error& invalid) {
      code = invalid.code();
    }
    NEED(code == std::errc::invalid_argument);
    code.clear();
    try {
      fibers::barrier too_many((std::size_t{1} << 32) + 1);
    } catch (const fibers::fiber_error& invalid) {
      code = invalid.code();
    }
    NEED(code == std::errc::invalid_argument);
  });
}

TEST_CASE("each fiber has its own value of a fiber_specific_ptr") {
  expect_well([] {
    static int cleaned = 0;
    fibers::fiber_specific_ptr<int> own([](int* value) {
      ++cleaned;
      delete value;
    });
    std::vector<fibers::fiber> all;
    for (int i = 0; i < 3; ++i) {
      all.emplace_back([&own, i] {
        own.reset(new int(i));
        weft::this_fiber::yield();
        NEED(*own == i);
      });
    }
    for (fibers::fiber& each : all) each.join();
    NEED(cleaned == 3);
    NEED(own.get() == nullptr);
    fibers::future<int> fails = fibers::async([]() -> int { throw 5; });
    NEED(fails.get_exception_ptr() != nullptr);
  });
}
