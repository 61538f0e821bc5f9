// What ends the program: a thread destroyed while joinable, assigned over, or left by an exception.
// Each is tried in a child process.
#include <doctest/doctest.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>

#include <weft/channel.hpp>
#include <weft/generator.hpp>
#include <weft/select.hpp>
#include <weft/tasks.hpp>
#include <weft/weft.hpp>

#include "../support/planned_fault.h"
#include "coroutines.hpp"

namespace {

constexpr int terminated = 42;

// The child's exit status after body ran in it, with std::terminate leading to `terminated`.
template <class Body>
int status_of_child(Body body, unsigned workers = 2) {
  const pid_t child = fork();
  if (child == 0) {
    std::set_terminate([] { _exit(terminated); });
    {
      const weft::runtime runtime({.workers = workers});
      body();
    }
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) tell_planned_fault_of_child(WTERMSIG(status), "");  // it wrote to our stderr
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// A value whose move yields.
struct yielding {
  yielding() = default;
  yielding(yielding&&) noexcept { weft::this_thread::yield(); }
  yielding& operator=(yielding&&) noexcept {
    weft::this_thread::yield();
    return *this;
  }
};

// Two threads push at the same time.
template <class Channel>
void push_by_two(Channel& values) {
  weft::thread first([&] { values.push(yielding()); });
  weft::thread second([&] { values.push(yielding()); });
  yielding popped;
  CHECK(values.pop(popped) == weft::channel_op_status::success);
  CHECK(values.pop(popped) == weft::channel_op_status::success);
  first.join();
  second.join();
}

}  // namespace

TEST_CASE("a value whose move switches ends the program in a buffered channel, and is passed on by an unbuffered one") {
  CHECK(status_of_child(
            [] {
              weft::buffered_channel<yielding> values(4);
              push_by_two(values);
            },
            1) == -SIGABRT);
  CHECK(status_of_child(
            [] {
              weft::unbuffered_channel<yielding> values;
              push_by_two(values);
            },
            1) == 0);
}

TEST_CASE("a value whose move switches in a select ends the program when another of its channels is used") {
  CHECK(status_of_child(
            [] {
              weft::buffered_channel<yielding> values(1);
              weft::buffered_channel<std::unique_ptr<int>> numbers(1);
              values.push(yielding());
              const weft::thread other([&] { numbers.push(nullptr); });
              weft::select(weft::on_pop(values, [](yielding) {}), weft::on_pop(numbers, [](std::unique_ptr<int>) {}));
            },
            1) == -SIGABRT);
}

TEST_CASE("a thread that was joined ends nothing") {
  CHECK(status_of_child([] { weft::thread([] {}).join(); }) == 0);
}

TEST_CASE("destroying a joinable thread terminates") {
  CHECK(status_of_child([] { const weft::thread forgotten([] {}); }) == terminated);
}

TEST_CASE("assigning over a joinable thread terminates") {
  CHECK(status_of_child([] {
          weft::thread thread([] {});
          thread = weft::thread();
        }) == terminated);
}

TEST_CASE("an exception that leaves a thread's function terminates") {
  CHECK(status_of_child([] { weft::thread([] { throw std::runtime_error("nobody catches it"); }).join(); }) == terminated);
  const int big[4] = {1, 2, 3, 4};
  CHECK(status_of_child([&big] { weft::thread([big] { throw big[3]; }).join(); }) == terminated);
}

TEST_CASE("destroying a coroutine whose resumption is on its way aborts") {
  CHECK(status_of_child(
            [] {
              weft::counting_semaphore<> tokens(0);
              abandoned waiting([](auto& from) -> weft::task<> { co_await weft::async_acquire(from); }(tokens));
              tokens.release();
              waiting.destroy();
            },
            1) == -SIGABRT);
  CHECK(status_of_child(
            [] {
              weft::promise<int> made;
              abandoned waiting([](auto from) -> weft::task<> { co_await std::move(from); }(made.get_future()));
              made.set_value(1);
              waiting.destroy();
            },
            1) == -SIGABRT);
}

#if defined(__cpp_lib_jthread)
TEST_CASE("destroying a coroutine whose tasks have not ended aborts") {
  weft::counting_semaphore<> tokens(0);
  const auto acquire = [](auto& from) -> weft::task<> { co_await weft::async_acquire(from); };
  const auto all = [&]() -> weft::task<> { co_await weft::when_all(acquire(tokens), acquire(tokens)); };
  const auto any = [&]() -> weft::task<> { co_await weft::when_any(acquire(tokens), acquire(tokens)); };
  const auto scope = [&]() -> weft::task<> {
    weft::async_scope tasks;
    tasks.spawn(acquire(tokens));
    co_await tasks.join();
  };
  CHECK(status_of_child([&] { abandoned(all()).destroy(); }) == -SIGABRT);
  CHECK(status_of_child([&] { abandoned(any()).destroy(); }) == -SIGABRT);
  CHECK(status_of_child([&] { abandoned(scope()).destroy(); }) == -SIGABRT);
}
#endif

// TSan knows no OS thread by another's stack. UBSan, which the tests have with ASan, takes the handler's
// reference for null: what unwinds an OS thread is no object.
#if defined(__GLIBCXX__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
TEST_CASE("an OS thread that ends inside a generator ends the program by std::terminate") {
  CHECK(status_of_child([] {
          weft::generator<int> ends([](weft::yielder<int>&) { pthread_exit(nullptr); });
          ends.begin();
        }) == terminated);
}
#endif
