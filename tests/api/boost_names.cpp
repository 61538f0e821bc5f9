// Programs for Boost compile unchanged with the headers of weft/boost: Fiber, Coroutine2, and
// Context's fiber and continuation, with the errors that Boost throws. The text has no name of
// Weft's; where Boost is installed it may be compiled with that.
#include <boost/context/continuation.hpp>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <boost/coroutine2/all.hpp>
#include <boost/fiber/all.hpp>
#include <boost/fiber/segmented_stack.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace fibers = boost::fibers;
namespace this_fiber = boost::this_fiber;

TEST_CASE("fibers, and their stacks") {
  std::string order;
  fibers::fiber first([&order] {
    order += "a";
    this_fiber::yield();
    order += "c";
  });
  fibers::fiber second(
      fibers::launch::post, std::allocator_arg, fibers::fixedsize_stack(1 << 17), [&order](const char* what) { order += what; },
      "b");
  CHECK(first.joinable());
  CHECK(first.get_id() != second.get_id());
  first.join();
  second.join();
  CHECK(order == "abc");
  fibers::fiber at_once(fibers::launch::dispatch, [&order] { order += "d"; });
  CHECK(order == "abcd");
  at_once.join();
  fibers::fiber with_stack(fibers::launch::dispatch, std::allocator_arg, fibers::fixedsize_stack(1 << 17),
                           [&order] { order += "e"; });
  CHECK(order == "abcde");
  with_stack.join();
  CHECK(fibers::context::active()->get_id() == this_fiber::get_id());
  this_fiber::sleep_for(std::chrono::milliseconds(1));
}

TEST_CASE("async takes a stack, and an allocator for the future's state") {
  const fibers::fixedsize_stack stack(32768);
  const auto give = [](int value) { return value; };
  CHECK(fibers::async(fibers::launch::post, std::allocator_arg, stack, give, 1).get() == 1);
  CHECK(fibers::async(fibers::launch::dispatch, std::allocator_arg, stack, std::allocator<int>(), give, 2).get() == 2);
}

TEST_CASE("futures throw Boost's exceptions") {
  fibers::promise<int> promise;
  fibers::future<int> future = promise.get_future();
  CHECK_THROWS_AS(promise.get_future(), fibers::future_already_retrieved);
  promise.set_value(3);
  CHECK_THROWS_AS(promise.set_value(4), fibers::promise_already_satisfied);
  CHECK(future.wait_for(std::chrono::seconds(0)) == fibers::future_status::ready);
  CHECK(future.get() == 3);
  CHECK_FALSE(future.valid());
  CHECK_THROWS_AS(future.get(), fibers::future_uninitialized);
  CHECK_THROWS_AS(future.wait(), fibers::future_uninitialized);
  fibers::future<int> broken;
  {
    fibers::promise<int> gone;
    broken = gone.get_future();
  }
  CHECK(broken.get_exception_ptr() != nullptr);
  CHECK_THROWS_AS(broken.get(), fibers::broken_promise);
  fibers::promise<int> moved = std::move(promise);
  CHECK_THROWS_AS(promise.get_future(), fibers::promise_uninitialized);
  fibers::packaged_task<int()> task([] { return 5; });
  fibers::shared_future<int> shared = task.get_future().share();
  task();
  CHECK_THROWS_AS(task(), fibers::promise_already_satisfied);
  CHECK(shared.get() == 5);
  fibers::packaged_task<int()> none;
  CHECK_THROWS_AS(none(), fibers::packaged_task_uninitialized);
  CHECK(fibers::async([](int value) { return value + 1; }, 1).get() == 2);
  CHECK(fibers::async(fibers::launch::dispatch, [] { return 7; }).get() == 7);
  CHECK_THROWS_AS(fibers::async([]() -> int { throw std::runtime_error("own"); }).get(), std::runtime_error);
  CHECK(std::string(fibers::future_category().name()) == "future");
  try {
    throw fibers::broken_promise();
  } catch (const fibers::fiber_error& error) {
    CHECK(error.code() == std::make_error_code(fibers::future_errc::broken_promise));
  }
}

TEST_CASE("mutexes throw lock_error") {
  fibers::mutex plain;
  plain.lock();
  CHECK_THROWS_AS(plain.lock(), fibers::lock_error);
  CHECK_THROWS_AS(static_cast<void>(plain.try_lock()), fibers::lock_error);
  fibers::fiber([&plain] {
    CHECK_FALSE(plain.try_lock());
    CHECK_THROWS_AS(plain.unlock(), fibers::lock_error);
  }).join();
  plain.unlock();
  fibers::timed_mutex timed;
  CHECK(timed.try_lock_for(std::chrono::milliseconds(1)));
  timed.unlock();
  fibers::recursive_mutex recursive;
  recursive.lock();
  CHECK(recursive.try_lock());
  recursive.unlock();
  recursive.unlock();
  CHECK_THROWS_AS(recursive.unlock(), fibers::lock_error);
  fibers::recursive_timed_mutex both;
  CHECK(both.try_lock_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(1)));
  both.unlock();
}

TEST_CASE("conditions, barriers, channels, values of a fiber's own") {
  fibers::mutex mutex;
  fibers::condition_variable condition;
  fibers::condition_variable_any any;
  bool is_ready = false;
  fibers::fiber waiter([&] {
    std::unique_lock<fibers::mutex> lock(mutex);
    condition.wait(lock, [&is_ready] { return is_ready; });
    CHECK(any.wait_for(lock, std::chrono::milliseconds(1)) == fibers::cv_status::timeout);
  });
  this_fiber::yield();
  {
    const std::lock_guard<fibers::mutex> hold(mutex);
    is_ready = true;
  }
  condition.notify_one();
  waiter.join();
  fibers::barrier barrier(2);
  fibers::fiber other([&barrier] { barrier.wait(); });
  barrier.wait();
  other.join();
  CHECK_THROWS_AS(fibers::buffered_channel<int>(3), fibers::fiber_error);
  fibers::buffered_channel<int> two(2);
  CHECK(two.push(1) == fibers::channel_op_status::success);
  CHECK(two.try_push(2) == fibers::channel_op_status::full);
  CHECK(two.value_pop() == 1);
  fibers::unbuffered_channel<int> channel;
  fibers::fiber pusher([&channel] {
    for (int value = 0; value < 3; ++value) channel.push(value);
    channel.close();
  });
  int sum = 0;
  for (const int each : channel) sum += each;
  CHECK(sum == 3);
  pusher.join();
  fibers::fiber_specific_ptr<int> own;
  own.reset(new int(3));
  fibers::fiber([&own] { CHECK(own.get() == nullptr); }).join();
  CHECK(*own == 3);
}

TEST_CASE("a pusher that waited tries again, after the popper has gone on") {
  fibers::buffered_channel<int> two(2);
  std::string order;
  fibers::fiber pusher([&] {
    two.push(1);
    two.push(2);  // there is no room
    order += "pushed ";
  });
  fibers::fiber popper(fibers::launch::post, [&] {
    two.value_pop();
    int value = 0;
    order += two.try_pop(value) == fibers::channel_op_status::empty ? "empty " : "full ";
    order += std::to_string(two.value_pop());
  });
  pusher.join();
  popper.join();
  CHECK(order == "empty pushed 2");
}

TEST_CASE("a push returns after the popper that waited for it") {
  fibers::unbuffered_channel<int> channel;
  std::string order;
  fibers::fiber popper(fibers::launch::dispatch, [&] { order += std::to_string(channel.value_pop()); });
  CHECK(channel.push(1) == fibers::channel_op_status::success);
  order += " pushed";
  popper.join();
  CHECK(order == "1 pushed");
  const int two = 2;
  CHECK(channel.push_wait_for(two, std::chrono::nanoseconds(1)) == fibers::channel_op_status::timeout);
  fibers::unbuffered_channel<std::unique_ptr<int>> owners;
  auto mine = std::make_unique<int>(3);
  CHECK(owners.push_wait_for(std::move(mine), std::chrono::nanoseconds(1)) == fibers::channel_op_status::timeout);
  CHECK(*mine == 3);  // NOLINT(bugprone-use-after-move): a push that fails leaves the value
}

TEST_CASE("coroutines and contexts") {
  using coroutine = boost::coroutines2::coroutine<int>;
  coroutine::pull_type source([](coroutine::push_type& sink) {
    for (int value = 1; value < 4; ++value) sink(value);
  });
  int sum = 0;
  for (const int each : source) sum += each;
  CHECK(sum == 6);
  std::vector<int> seen;
  {
    coroutine::push_type sink(boost::coroutines2::fixedsize_stack(1 << 17), [&seen](coroutine::pull_type& from) {
      try {
        for (; from; from()) seen.push_back(from.get());
      } catch (const boost::coroutines2::detail::forced_unwind&) {
        seen.push_back(-1);
        throw;
      }
    });
    sink(1)(2);
  }
  CHECK(seen == std::vector<int>{1, 2, -1});
  namespace context = boost::context;
  int step = 0;
  context::fiber fiber(std::allocator_arg, context::fixedsize_stack(), [&step](context::fiber&& caller) {
    ++step;
    caller = std::move(caller).resume();
    ++step;
    return std::move(caller);
  });
  fiber = std::move(fiber).resume();
  CHECK(step == 1);
  fiber = std::move(fiber).resume_with([&step](context::fiber&& caller) {
    step += 10;
    return std::move(caller);
  });
  CHECK(step == 12);
  CHECK_FALSE(bool(fiber));
  context::continuation continuation = context::callcc([&step](context::continuation&& caller) {
    step = 20;
    return std::move(caller);
  });
  CHECK(step == 20);
  CHECK_FALSE(bool(continuation));
}
