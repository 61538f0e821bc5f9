// weft/asio.hpp: an executor of Boost.Asio whose functions run in ULTs, and waits of ULTs for
// operations of Asio.
#include <weft/asio.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <weft/weft.hpp>

#include "coroutines.hpp"

using namespace std::chrono_literals;
namespace asio = boost::asio;
using weft::asio::use_thread;
using stream = asio::local::stream_protocol::socket;

namespace {

bool is_in_ult() { return weft_self() != nullptr && !weft_thread_is_tasklet(weft_self()); }

// An io_context that an OS thread runs.
struct running {
  asio::io_context io;
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::thread runner{[this] { io.run(); }};

  running() = default;
  running(const running&) = delete;
  running& operator=(const running&) = delete;
  ~running() {
    work.reset();
    runner.join();
  }
};

// Completes with what a program gives.
template <class Signature, class Token, class... Values>
auto complete(asio::io_context& on, Token token, Values... values) {
  return asio::async_initiate<Token, Signature>(
      [&on](auto handler, auto... given) {
        asio::post(on, [handler = std::move(handler), given...]() mutable { std::move(handler)(given...); });
      },
      token, values...);
}

std::string echoed(asio::io_context& io, const std::string& text) {
  stream left(io), right(io);
  asio::local::connect_pair(left, right);
  weft::thread echo([&right] {
    char buffer[64];
    boost::system::error_code end;
    for (;;) {
      const std::size_t count = right.async_read_some(asio::buffer(buffer), use_thread[end]);
      if (end == asio::error::eof) break;
      asio::async_write(right, asio::buffer(buffer, count), use_thread);
    }
  });
  std::string answer(text.size(), ' ');
  asio::async_write(left, asio::buffer(text), use_thread);
  asio::async_read(left, asio::buffer(answer), use_thread);
  left.close();
  echo.join();
  return answer;
}

}  // namespace

TEST_CASE("functions that are posted run in ULTs, which may block") {
  const weft::runtime runtime({.workers = 2});
  weft::asio::context on_weft;
  by_waiting_callers([&] {
    weft::latch all(3);
    std::atomic<int> in_ults = 0;
    const auto count = [&, keeps = std::make_shared<int>(1)] {
      weft::this_thread::sleep_for(1us);
      in_ults += is_in_ult() ? *keeps : 0;
      all.count_down();
    };
    asio::post(on_weft.get_executor(), count);
    asio::defer(on_weft.get_executor(), count);
    asio::dispatch(on_weft.get_executor(), count);
    all.wait();
    CHECK(in_ults == 3);
  });
}

TEST_CASE("dispatch runs in the calling ULT, post does not; executors are compared") {
  const weft::runtime runtime({.workers = 2});
  weft::asio::context on_weft, other;
  const auto on = on_weft.get_executor();
  CHECK(on == on_weft.get_executor());
  CHECK(on != other.get_executor());
  CHECK(&asio::query(on, asio::execution::context) == &on_weft);
  weft::thread([&] {
    weft_thread* const self = weft_self();
    weft_thread* seen = nullptr;
    asio::dispatch(on, [&] { seen = weft_self(); });
    CHECK(seen == self);
    weft::latch has_run(1);
    asio::post(on, [&] {
      seen = weft_self();
      has_run.count_down();
    });
    has_run.wait();
    CHECK(seen != self);
  }).join();
}

TEST_CASE("a function that a tasklet dispatches runs in a ULT, which may wait") {
  const weft::runtime runtime({.workers = 2});
  struct scene {
    weft::asio::context on_weft;
    weft::latch has_run{1};
    bool in_ult = false;
  } seen;
  const auto dispatching = [](void* to) {
    auto& scene_of = *static_cast<scene*>(to);
    asio::dispatch(scene_of.on_weft.get_executor(), [&scene_of] {
      scene_of.in_ult = is_in_ult();
      scene_of.has_run.count_down();
    });
  };
  weft_thread* tasklet = nullptr;
  REQUIRE(weft_tasklet_create(dispatching, &seen, nullptr, &tasklet) == WEFT_OK);
  seen.has_run.wait();
  REQUIRE(weft_thread_join(tasklet) == WEFT_OK);
  CHECK(seen.in_ult);
}

TEST_CASE("any_io_executor, strands and coroutines of Asio on Weft") {
  const weft::runtime runtime({.workers = 2});
  weft::asio::context on_weft;
  const asio::any_io_executor any = on_weft.get_executor();
  auto strand = asio::make_strand(any);
  constexpr int count = 200;
  int unguarded = 0;
  weft::latch all(count);
  for (int i = 0; i < count; ++i) {
    asio::post(strand, [&] {
      unguarded += 1;
      all.count_down();
    });
  }
  all.wait();
  CHECK(unguarded == count);
#if defined(BOOST_ASIO_HAS_CO_AWAIT)
  weft::latch over(1);
  int sum = 0;
  asio::co_spawn(
      any,
      [&]() -> asio::awaitable<int> {
        for (int i = 1; i <= 10; ++i) {
          co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
          sum += is_in_ult() ? i : 0;
        }
        co_return sum;
      },
      [&](const std::exception_ptr&, int) { over.count_down(); });
  over.wait();
  CHECK(sum == 55);
#endif
}

TEST_CASE("a context waits for the functions that it was given") {
  const weft::runtime runtime({.workers = 2});
  std::atomic<int> ended = 0;
  {
    weft::asio::context on_weft;
    auto strand = asio::make_strand(on_weft.get_executor());
    for (int i = 0; i < 10; ++i) {
      asio::post(strand, [&ended] { ++ended; });
      asio::post(on_weft.get_executor(), [&ended, executor = on_weft.get_executor()] {
        weft::this_thread::sleep_for(1ms);
        asio::post(executor, [&ended] { ++ended; });
        ++ended;
      });
    }
    on_weft.join();
    CHECK(ended == 30);
    asio::post(on_weft.get_executor(), [&ended] {
      weft::this_thread::sleep_for(1ms);
      ++ended;
    });
  }
  CHECK(ended == 31);
}

TEST_CASE("a code that an operation does not complete with is cleared") {
  const weft::runtime runtime({.workers = 1});
  weft::asio::context on_weft;
  boost::system::error_code code = boost::asio::error::eof;
  asio::post(on_weft.get_executor(), use_thread[code]);
  CHECK(!code);
}

TEST_CASE("ULTs wait for Asio's timers and sockets, and leave their worker to others") {
  const weft::runtime runtime({.workers = 1});
  running asio_thread;
  by_waiting_callers([&] {
    asio::steady_timer timer(asio_thread.io, 1ms);
    timer.async_wait(use_thread);
    CHECK(echoed(asio_thread.io, "a text that goes there and back") == "a text that goes there and back");
  });
}

TEST_CASE("an error is thrown, or written; values come one by one, or as a tuple") {
  const weft::runtime runtime({.workers = 2});
  running asio_thread;
  asio::io_context& io = asio_thread.io;
  using boost::system::error_code;
  const error_code refused = make_error_code(boost::system::errc::connection_refused);
  weft::thread([&] {
    CHECK_THROWS_AS(complete<void(error_code)>(io, use_thread, refused), boost::system::system_error);
    error_code seen;
    CHECK(complete<void(error_code, int)>(io, use_thread[seen], refused, 3) == 3);
    CHECK(seen == refused);
    complete<void(error_code)>(io, use_thread[seen], error_code());
    CHECK_FALSE(seen);
    CHECK(complete<void(int)>(io, use_thread, 4) == 4);
    const std::tuple<int, char> both = complete<void(error_code, int, char)>(io, use_thread, error_code(), 5, 'a');
    CHECK(both == std::tuple(5, 'a'));
    const auto thrown = std::make_exception_ptr(std::out_of_range("thrown"));
    CHECK_THROWS_AS(complete<void(std::exception_ptr)>(io, use_thread, thrown), std::out_of_range);
  }).join();
}

TEST_CASE("a tasklet may not wait, and an operation that is destroyed ends the wait") {
  const weft::runtime runtime({.workers = 2});
  auto io = std::make_unique<asio::io_context>();
  asio::io_context& never_run = *io;
  weft_status seen = WEFT_OK;
  weft::latch begins(1);
  weft::thread waiting([&] {
    const auto operation = [&](auto handler) {
      asio::post(never_run, [handler = std::move(handler)]() mutable { std::move(handler)(); });
      begins.count_down();
    };
    try {
      auto token = use_thread;
      asio::async_initiate<weft::asio::use_thread_t, void()>(operation, token);
    } catch (const weft::error& problem) {
      seen = problem.status();
    }
  });
  begins.wait();
  io.reset();
  waiting.join();
  CHECK(seen == WEFT_ENDED);
  weft_thread* tasklet = nullptr;
  const auto refused = [](void* to) {
    asio::io_context none;
    asio::steady_timer timer(none, 1h);
    try {
      timer.async_wait(use_thread);
    } catch (const weft::error& problem) {
      *static_cast<weft_status*>(to) = problem.status();
    }
  };
  REQUIRE(weft_tasklet_create(refused, &seen, nullptr, &tasklet) == WEFT_OK);
  REQUIRE(weft_thread_join(tasklet) == WEFT_OK);
  CHECK(seen == WEFT_CANNOT_BLOCK);
}
