// weft::blocking: results, exceptions, errno.
#include <weft/blocking.hpp>

#include <doctest/doctest.h>

#include <cerrno>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

#include <unistd.h>

#include <weft/runtime.hpp>
#include <weft/thread.hpp>

namespace {

[[gnu::noinline]] int error_now() { return errno; }

struct line {
  int ends[2];
  line() { REQUIRE(::pipe(ends) == 0); }
  ~line() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  line(const line&) = delete;
  line& operator=(const line&) = delete;

  char read_one() const {
    char byte = '?';
    return ::read(ends[0], &byte, 1) == 1 ? byte : '!';
  }
  void write_one(char byte) const { CHECK(::write(ends[1], &byte, 1) == 1); }
};

}  // namespace

TEST_CASE("a blocking call returns what its function returns, and lets the worker run others") {
  weft::runtime_config config;
  config.workers = 1;
  const weft::runtime runtime(config);
  const line words;
  char got = '?';
  weft::thread reader([&] { got = weft::blocking([&] { return words.read_one(); }); });
  weft::this_thread::yield();
  words.write_one('x');
  reader.join();
  CHECK(got == 'x');
}

TEST_CASE("a reference stays one, and nothing is returned as nothing") {
  const weft::runtime runtime;
  int value = 1;
  static_assert(std::is_same_v<decltype(weft::blocking([&]() -> int& { return value; })), int&>);
  weft::blocking([&]() -> int& { return value; }) = 2;
  CHECK(value == 2);
  weft::blocking([&] { value = 3; });
  CHECK(value == 3);
}

TEST_CASE("an exception passes, also where the worker has gone; so do those that are being handled") {
  weft::runtime_config config;
  config.workers = 2;
  const weft::runtime runtime(config);
  std::vector<weft::thread> threads;
  int caught[20] = {};
  for (int& each : caught) {
    threads.emplace_back([&each] {
      try {
        throw std::runtime_error("outer");
      } catch (const std::runtime_error& outer) {
        try {
          weft::blocking([] {
            ::usleep(2000);
            throw std::logic_error("inner");
          });
        } catch (const std::logic_error& inner) {
          if (std::string_view(inner.what()) == "inner") each += 1;
        }
        if (std::string_view(outer.what()) == "outer" && std::current_exception() != nullptr) each += 1;
      }
    });
  }
  for (weft::thread& each : threads) each.join();
  for (const int each : caught) CHECK(each == 2);
}

TEST_CASE("errno is as the call left it, wherever the thread goes on") {
  weft::runtime_config config;
  config.workers = 2;
  const weft::runtime runtime(config);
  std::vector<weft::thread> threads;
  int errors[20] = {};
  for (int& each : errors) {
    threads.emplace_back([&each] {
      const int result = weft::blocking([] {
        ::usleep(2000);
        return ::close(-1);
      });
      each = result == -1 ? error_now() : 0;
    });
  }
  for (weft::thread& each : threads) each.join();
  for (const int each : errors) CHECK(each == EBADF);
}

TEST_CASE("in a tasklet the function is not called") {
  const weft::runtime runtime;
  struct scene {
    bool is_called = false, is_refused = false;
  } seen;
  weft_thread* tasklet = nullptr;
  const weft_function body = [](void* argument) {
    auto* const all = static_cast<scene*>(argument);
    try {
      weft::blocking([&] { all->is_called = true; });
    } catch (const weft::error& refused) {
      all->is_refused = refused.code() == weft::errc::cannot_block;
    }
  };
  REQUIRE(weft_tasklet_create(body, &seen, nullptr, &tasklet) == WEFT_OK);
  REQUIRE(weft_thread_join(tasklet) == WEFT_OK);
  CHECK(seen.is_refused);
  CHECK_FALSE(seen.is_called);
}
