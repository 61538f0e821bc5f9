// weft::asio::strand: functions that are kept apart also while one of them waits.
#include <weft/asio.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <weft/weft.hpp>

#include "coroutines.hpp"

using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

// Notes, without a lock, which functions ran, and whether one began while another was inside.
struct witness {
  std::vector<int> order;
  int inside = 0;
  bool were_apart = true;

  template <class Wait>
  void visit(int number, Wait wait) {
    were_apart = were_apart && ++inside == 1;
    order.push_back(number);
    wait();
    --inside;
  }
};

std::vector<int> numbers_below(int count) {
  std::vector<int> all;
  for (int i = 0; i < count; ++i) all.push_back(i);
  return all;
}

}  // namespace

TEST_CASE("functions of a strand that wait run one at a time, in order") {
  const weft::runtime runtime({.workers = 3});
  weft::asio::context on_weft;
  by_waiting_callers([&] {
    const weft::asio::strand strand(on_weft);
    const asio::any_io_executor any = strand;
    witness seen;
    weft::latch turn(1);
    constexpr int count = 60;
    for (int i = 0; i < count; ++i) {
      const auto function = [&, i] {
        seen.visit(i, [&] {
          if (i % 3 == 0) weft::this_thread::sleep_for(20us);
          if (i % 3 == 1) weft::this_thread::yield();
          if (i % 3 == 2) turn.wait();
        });
      };
      if (i % 2 == 0)
        asio::post(strand, function);
      else
        asio::defer(any, function);
    }
    turn.count_down();
    on_weft.join();
    CHECK(seen.were_apart);
    CHECK(seen.order == numbers_below(count));
  });
}

TEST_CASE("posts to a strand from many callers are all run, each caller's in order") {
  const weft::runtime runtime({.workers = 2});
  weft::asio::context on_weft;
  constexpr int callers = 4, count = 200;
  witness seen;
  {
    const weft::asio::strand strand(on_weft);
    const auto give = [&](int caller) {
      for (int i = 0; i < count; ++i) {
        asio::post(strand, [&seen, number = caller * count + i] { seen.visit(number, [] { weft::this_thread::yield(); }); });
      }
    };
    weft::thread first([&] { give(0); }), second([&] { give(1); });
    std::thread outside([&] { give(2); });
    give(3);
    first.join();
    second.join();
    outside.join();
  }  // the strand's last copy goes while functions are queued
  on_weft.join();
  CHECK(seen.were_apart);
  CHECK(seen.order.size() == callers * count);
  std::vector<int> next = {0, count, 2 * count, 3 * count};
  for (const int number : seen.order) CHECK(next[static_cast<std::size_t>(number / count)]++ == number);
}

TEST_CASE("dispatch runs at once in a function of the strand, and nowhere else") {
  const weft::runtime runtime({.workers = 2});
  weft::asio::context on_weft;
  const weft::asio::strand strand(on_weft), other(on_weft);
  CHECK(strand == weft::asio::strand(strand));
  CHECK(strand != other);
  CHECK(&asio::query(strand, asio::execution::context) == &on_weft);
  CHECK_FALSE(strand.running_in_this_thread());
  std::vector<int> order;
  asio::post(strand, [&] {
    CHECK(strand.running_in_this_thread());
    CHECK_FALSE(other.running_in_this_thread());
    asio::post(strand, [&] { order.push_back(3); });
    asio::dispatch(strand, [&] { order.push_back(1); });
    weft::latch has_run(1);
    asio::dispatch(other, [&] {
      CHECK_FALSE(strand.running_in_this_thread());
      asio::dispatch(strand, [&] { order.push_back(4); });
      has_run.count_down();
    });
    has_run.wait();
    order.push_back(2);
  });
  on_weft.join();
  CHECK(order == std::vector<int>{1, 2, 3, 4});
}

TEST_CASE("a fork that another worker took is outside of its forker's strand") {
  const weft::runtime runtime({.workers = 2});
  weft::asio::context on_weft;
  const weft::asio::strand strand(on_weft);
  std::vector<int> order;
  asio::post(strand, [&] {
    std::atomic<bool> is_taken = false;
    auto child = weft::fork([&] {
      is_taken = true;
      asio::dispatch(strand, [&] { order.push_back(2); });
    });
    while (!is_taken) std::this_thread::yield();  // its worker stays, so that the other takes the fork
    child.join();
    order.push_back(1);
  });
  on_weft.join();
  CHECK(order == std::vector<int>{1, 2});
}

TEST_CASE("a post that is refused leaves the strand as it was") {
  weft::asio::context on_weft;
  const weft::asio::strand strand(on_weft);
  std::atomic<int> ran = 0, refused = 0;
  const auto post_some = [&] {
    for (int i = 0; i < 2000; ++i) {
      try {
        asio::post(strand, [&] { ++ran; });
      } catch (const weft::error& problem) {
        CHECK(problem.status() == WEFT_NOT_INITIALIZED);
        ++refused;
      }
    }
  };
  std::thread outside(post_some);
  post_some();
  outside.join();
  CHECK(refused > 0);
  CHECK(ran + refused == 4000);  // one caller's refusal runs what the strand had accepted from the other
  const weft::runtime runtime({.workers = 1});
  asio::post(strand, [&] { ran = -1; });
  on_weft.join();
  CHECK(ran == -1);
}

TEST_CASE("a function that posts itself again leaves the worker to others meanwhile") {
  const weft::runtime runtime({.workers = 1});
  weft::asio::context on_weft;
  const weft::asio::strand strand(on_weft);
  bool is_over = false;
  struct again {
    const weft::asio::strand* on;
    const bool* is_over;
    void operator()() const {
      if (!*is_over) asio::post(*on, *this);
    }
  };
  asio::post(strand, again{&strand, &is_over});
  weft::thread([&] { is_over = true; }).join();
  on_weft.join();
  CHECK(is_over);
}

#if defined(BOOST_ASIO_HAS_CO_AWAIT)
TEST_CASE("coroutines of Asio that are spawned on a strand are kept apart") {
  const weft::runtime runtime({.workers = 2});
  weft::asio::context on_weft;
  const weft::asio::strand strand(on_weft);
  witness seen;
  for (int coroutine = 0; coroutine < 8; ++coroutine) {
    asio::co_spawn(
        asio::any_io_executor(strand),
        [&]() -> asio::awaitable<void> {
          for (int i = 0; i < 20; ++i) {
            seen.visit(i, [] { weft::this_thread::yield(); });
            co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
          }
        },
        [](const std::exception_ptr& thrown) { CHECK(thrown == nullptr); });
  }
  on_weft.join();
  CHECK(seen.were_apart);
  CHECK(seen.order.size() == 160);
}
#endif
