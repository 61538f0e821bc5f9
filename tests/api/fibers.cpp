// weft::fibers on one OS thread: it starts by itself, its fibers take turns in the order in which
// they became ready, and main's end waits for them. Each scene runs in a child process, in which
// the library has not started.
#include <weft/fiber/all.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/runtime.hpp>

#include "../support/scene.hpp"

using namespace std::chrono_literals;
namespace fibers = weft::fibers;
using scene::expect_well;
using weft::test::run_in_child;

static_assert(!std::is_copy_constructible_v<fibers::fiber> && std::is_nothrow_move_constructible_v<fibers::fiber>);
static_assert(std::is_convertible_v<void (*)(), fibers::fiber>, "as in Boost, a function becomes a fiber without a word");

namespace {

constexpr int terminated = 42;

// The status of the error that call throws; WEFT_OK: none.
template <class Call>
weft_status status_of(Call call) {
  try {
    call();
  } catch (const fibers::fiber_error& error) {
    return error.status();
  }
  return WEFT_OK;
}

std::string said;

void say(const char* letters) {
  for (; *letters != 0; ++letters) {
    said += *letters;
    weft::this_fiber::yield();
  }
}

std::atomic<std::size_t> most_queued = 0;

int fib(int n) {
  if (n < 2) return n;
  fibers::future<int> left = fibers::async(fib, n - 1);
  fibers::future<int> right = fibers::async(fib, n - 2);
  most_queued = std::max(most_queued.load(), weft_pool_ready_count(fibers::detail::the_library.pool));
  return left.get() + right.get();
}

fibers::mutex mutex;
fibers::condition_variable condition;

}  // namespace

TEST_CASE("nothing has to be started, and fibers take turns") {
  setenv("WEFT_WORKERS", "4", 1);  // for programs that ask for no number
  expect_well([] {
    fibers::fiber one(say, "ABC");
    fibers::fiber other(say, "DEF");
    NEED(said.empty());
    NEED(weft_worker_count() == 1);
    one.join();
    other.join();
    NEED(said == "ADBECF");
  });
  unsetenv("WEFT_WORKERS");
}

TEST_CASE("fibers start in the order in which they were made, and one that is joined before its turn at once") {
  expect_well([] {
    for (const char* name : {"A", "B", "C"}) fibers::fiber(say, name).detach();
    weft::this_fiber::yield();
    NEED(said == "ABC");
    fibers::fiber early(say, "1");
    fibers::fiber late(say, "2");
    late.join();
    NEED(said == "ABC21");
    early.join();
  });
}

TEST_CASE("a fiber whose result is waited for before its turn starts at once") {
  expect_well([] {
    const fibers::future<void> early = fibers::async(say, "1");
    const fibers::future<void> late = fibers::async(say, "2");
    late.wait();
    NEED(said == "21");
    early.wait();
  });
}

TEST_CASE("several fibers wait at one future") {
  expect_well([] {
    const fibers::future<int> one = fibers::async([] {
      weft::this_fiber::yield();
      return 1;
    });
    std::vector<fibers::fiber> waiting;
    for (int each = 0; each < 3; ++each) {
      waiting.emplace_back([&one] {
        one.wait();
        CHECK(one.wait_for(0s) == fibers::future_status::ready);
      });
    }
    for (fibers::fiber& each : waiting) each.join();
  });
}

TEST_CASE("a fiber that has run waits for its turn even when it is joined") {
  expect_well([] {
    fibers::fiber one(say, "AB");
    fibers::fiber other(say, "CD");
    weft::this_fiber::yield();
    NEED(said == "AC");
    other.join();
    NEED(said == "ACBD");
    one.join();
  });
}

TEST_CASE("a dispatched fiber starts at once, before its maker goes on") {
  expect_well([] {
    fibers::fiber posted(fibers::launch::post, say, "P");
    fibers::fiber dispatched(fibers::launch::dispatch, say, "D");
    NEED(said == "DP");
    NEED(fibers::async(fibers::launch::dispatch, [] { return said.size(); }).get() == 2);
    posted.join();
    dispatched.join();
  });
}

TEST_CASE("a dispatched fiber has started before its future is waited for") {
  expect_well([] {
    const fibers::future<void> one = fibers::async(fibers::launch::dispatch, [] { said += 'o'; });
    NEED(said == "o");
    const fibers::future<void> with_argument = fibers::async(fibers::launch::dispatch, say, "a");
    NEED(said == "oa");
    const fibers::future<void> posted = fibers::async(fibers::launch::post, [] { said += 'p'; });
    NEED(said == "oa");
    posted.wait();
    with_argument.wait();
  });
}

TEST_CASE("stacks are as large as Boost's, or as WEFT_STACK_SIZE says") {
  // Of what was asked for, the guard and the runtime take a part.
  const auto expect_stacks_of = [](std::size_t wanted) {
    expect_well([wanted] {
      std::size_t bytes = 0;
      fibers::fiber([&bytes] {
        void* base = nullptr;
        weft_ext_thread_stack(weft_self(), &base, &bytes);
      }).join();
      NEED(bytes > wanted / 2 && bytes <= wanted);
    });
  };
  unsetenv("WEFT_STACK_SIZE");
  expect_stacks_of(std::size_t{128} << 10);
  setenv("WEFT_STACK_SIZE", "1M", 1);
  expect_stacks_of(std::size_t{1} << 20);
  unsetenv("WEFT_STACK_SIZE");
}

TEST_CASE("a fiber has a stack of the size that was given, of which an allocator gets its memory back") {
  struct counting_allocator {
    int* out;
    weft::context::stack_context allocate() {
      ++*out;
      return weft::context::fixedsize_stack(std::size_t{1} << 20).allocate();
    }
    void deallocate(weft::context::stack_context& memory) {
      --*out;
      weft::context::fixedsize_stack().deallocate(memory);
    }
  };
  expect_well([] {
    const auto measured = [] {
      void* base = nullptr;
      std::size_t bytes = 0;
      weft_ext_thread_stack(weft_self(), &base, &bytes);
      return bytes;
    };
    constexpr std::size_t wanted = std::size_t{1} << 20;
    int out = 0;
    std::size_t bytes = 0;
    fibers::fiber(std::allocator_arg, counting_allocator{&out}, [&] { bytes = measured(); }).join();
    NEED(bytes > wanted / 2 && bytes < 2 * wanted);
    NEED(out == 0);
    bytes = fibers::async(fibers::launch::post, std::allocator_arg, fibers::fixedsize_stack(wanted), measured).get();
    NEED(bytes > wanted / 2 && bytes < 2 * wanted);
  });
}

TEST_CASE("a recursion makes few fibers before the first of them ends") {
  expect_well([] {
    NEED(fib(IS_SLOW ? 11 : 16) == (IS_SLOW ? 89 : 987));
    NEED(most_queued <= 32);
  });
}

TEST_CASE("a fiber is one, and says so") {
  expect_well([] {
    NEED(weft::this_fiber::get_id() != fibers::fiber::id());
    fibers::fiber::id inside;
    fibers::fiber one([&inside] { inside = weft::this_fiber::get_id(); });
    const fibers::fiber::id id = one.get_id();
    fibers::fiber moved;
    swap(moved, one);
    NEED(moved.joinable() && !one.joinable() && one.get_id() == fibers::fiber::id());
    moved.join();
    NEED(inside == id && id != weft::this_fiber::get_id());
    NEED(!moved.joinable());
    NEED(status_of([&] { moved.join(); }) == WEFT_INVALID);
    NEED(status_of([&] { moved.detach(); }) == WEFT_INVALID);
  });
}

TEST_CASE("a fiber cannot join itself") {
  expect_well([] {
    fibers::fiber self;
    weft_status status = WEFT_OK;
    self = fibers::fiber([&] { status = status_of([&self] { self.join(); }); });
    while (status == WEFT_OK) weft::this_fiber::yield();
    NEED(status == WEFT_DEADLOCK);
    self.join();
  });
}

TEST_CASE("destroying a joinable fiber, assigning over it, or throwing out of it terminates") {
  const auto code = [](auto body) {
    return run_in_child([body] {
             std::set_terminate([] { _exit(terminated); });
             body();
             return 0;
           })
        .exit_code;
  };
  CHECK(code([] { const fibers::fiber forgotten([] {}); }) == terminated);
  CHECK(code([] {
          fibers::fiber one([] {});
          one = fibers::fiber();
        }) == terminated);
  CHECK(code([] { fibers::fiber([] { throw std::runtime_error("out"); }).join(); }) == terminated);
}

TEST_CASE("results and exceptions come out of futures") {
  expect_well([] {
    auto box = std::make_unique<int>(20);
    NEED(fibers::async([](std::unique_ptr<int> mine, int more) { return *mine + more; }, std::move(box), 3).get() == 23);
    fibers::future<void> failing = fibers::async([] { throw std::out_of_range("far"); });
    bool has_thrown = false;
    try {
      failing.get();
    } catch (const std::out_of_range&) {
      has_thrown = true;
    }
    NEED(has_thrown && !failing.valid());
    fibers::async(say, "d");  // may be dropped, and goes on

    fibers::promise<std::string> promise;
    fibers::future<std::string> promised = promise.get_future();
    fibers::fiber giver([&promise] { promise.set_value("kept"); });
    NEED(promised.wait_for(0ms) == fibers::future_status::timeout);
    NEED(promised.get() == "kept");
    giver.join();
    fibers::shared_future<int> shared = fibers::async([] { return 7; }).share();
    NEED(shared.get() == 7 && shared.get() == 7);
    NEED(said == "d");
  });
}

TEST_CASE("a packaged task moves into a detached fiber") {
  expect_well([] {
    fibers::packaged_task<int(int, int)> task([](int left, int right) { return left * right; });
    fibers::future<int> result = task.get_future();
    fibers::fiber(std::move(task), 6, 7).detach();
    NEED(!task.valid());
    NEED(result.get() == 42);
  });
}

TEST_CASE("a mutex that main locked before there was a fiber is main's") {
  expect_well([] {
    std::unique_lock<fibers::mutex> lock(mutex);
    bool is_told = false;
    fibers::fiber teller([&is_told] {
      const std::lock_guard<fibers::mutex> hold(mutex);
      is_told = true;
      condition.notify_one();
    });
    condition.wait(lock, [&is_told] { return is_told; });
    NEED(lock.owns_lock());
    lock.unlock();
    teller.join();
    NEED(mutex.try_lock());
    mutex.unlock();
  });
}

TEST_CASE("waits for a condition end in time, with the lock held") {
  expect_well([] {
    std::unique_lock<fibers::mutex> lock(mutex);
    NEED(condition.wait_for(lock, 1ms) == fibers::cv_status::timeout);
    NEED(!condition.wait_for(lock, 1ms, [] { return false; }));
    NEED(condition.wait_until(lock, std::chrono::steady_clock::now() + 1ms) == fibers::cv_status::timeout);
    NEED(condition.wait_until(lock, std::chrono::system_clock::now(), [] { return true; }));
    NEED(lock.owns_lock() && !fibers::async([] { return mutex.try_lock(); }).get());
  });
}

TEST_CASE("a fiber that sleeps lets others run") {
  expect_well([] {
    fibers::fiber sleeper([] {
      weft::this_fiber::sleep_for(1ms);
      weft::this_fiber::sleep_until(std::chrono::steady_clock::now() + 1ms);
      said += 's';
    });
    fibers::fiber other(say, "o");
    sleeper.join();
    other.join();
    NEED(said == "os");
  });
}

TEST_CASE("main's end waits for detached fibers, and objects of the program outlive it") {
  std::cout.flush();  // so that the child's exit does not write it once more
  const weft::test::child_end end = run_in_child([]() -> int {
    static const struct after_main {
      after_main() noexcept {}
      ~after_main() {
        const std::lock_guard<fibers::mutex> hold(mutex);
        const bool is_refused = status_of([] { fibers::fiber([] {}).detach(); }) == WEFT_NOT_INITIALIZED;
        std::fprintf(stderr, "after main %d %d\n", weft_is_initialized(), is_refused);
      }
    } object;
    fibers::fiber([] {
      weft::this_fiber::sleep_for(5ms);
      std::fputs("detached ended\n", stderr);
    }).detach();
    std::exit(0);
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("detached ended\nafter main 0 1"));
}

#if !defined(__SANITIZE_ADDRESS__)  // whose check for leaks, made in a fiber, does not look at what main's stack holds
TEST_CASE("a fiber may end the process") {
  std::cout.flush();
  CHECK(run_in_child([] {
          fibers::fiber([] { std::exit(7); }).join();
          return 0;
        }).exit_code == 7);
}
#endif

// Makes two fibers that take turns, one that is detached, and waits; all ran on this OS thread.
void run_fibers_here() {
  const std::thread::id here = std::this_thread::get_id();
  std::string order;
  const auto take_turns = [&](char letter) {
    for (int i = 0; i < 3; ++i) {
      NEED(std::this_thread::get_id() == here);
      order += letter;
      weft::this_fiber::yield();
    }
  };
  fibers::fiber one(take_turns, 'A');
  fibers::fiber other(fibers::launch::dispatch, take_turns, 'B');  // it begins at once
  one.join();
  other.join();
  NEED(order == "BABABA");
  NEED(fibers::async([] { return std::this_thread::get_id(); }).get() == here);
}

TEST_CASE("fibers of an OS thread stay on it") {
  expect_well([] {
    run_fibers_here();
    std::vector<std::thread> others;
    for (int i = 0; i < 3; ++i) others.emplace_back(run_fibers_here);
    run_fibers_here();
    for (std::thread& each : others) each.join();
    NEED(weft_worker_count() == 1);
  });
}

TEST_CASE("fibers of an OS thread that came before main's, and outlives its call") {
  expect_well([] {
    std::atomic<bool> has_ended = false;
    std::thread([&has_ended] {
      run_fibers_here();
      fibers::fiber([&has_ended] {
        weft::this_fiber::sleep_for(5ms);
        has_ended = true;
      }).detach();
    }).join();
    NEED(has_ended);  // the OS thread's end has waited for it
    run_fibers_here();
  });
}

TEST_CASE("fibers of several OS threads wait for each other") {
  expect_well([] {
    fibers::future<int> result = fibers::async([] { return 3; });
    int received = 0;
    std::thread waiter([&] {
      fibers::fiber([&] {
        const int seen = result.get();
        const std::lock_guard<fibers::mutex> hold(mutex);
        received = seen;
        condition.notify_all();
      }).join();
    });
    {
      std::unique_lock<fibers::mutex> lock(mutex);
      condition.wait(lock, [&received] { return received != 0; });
    }
    NEED(received == 3);
    waiter.join();
  });
}

TEST_CASE("in a program with a runtime of its own, fibers are its threads") {
  expect_well([] {
    {
      const weft::runtime runtime({.workers = 2});
      fibers::use_scheduling_algorithm<fibers::algo::round_robin>();
      fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(8);
      NEED(weft_worker_count() == 2);
      fibers::fiber one(say, "A");
      one.join();
      NEED(fib(5) == 5);
    }
    NEED(!weft_is_initialized());
    fibers::fiber(say, "B").join();  // and after it the library starts by itself
    NEED(said == "AB");
    NEED(weft_worker_count() == 1);
  });
}

namespace {

[[gnu::noinline]] int go_deeper(int depth) {
  volatile char frame[1000];
  frame[0] = static_cast<char>(depth);
  return depth == 1'000'000 ? 0 : go_deeper(depth + 1) + frame[0];
}

}  // namespace

TEST_CASE("the report of an overflow names what sets a fiber's stack") {
  for (const std::size_t kib : {std::size_t{128}, std::size_t{64}}) {
    const auto end = run_in_child([kib] {
      fibers::fiber(std::allocator_arg, fibers::fixedsize_stack(kib * 1024), [] { static_cast<void>(go_deeper(0)); }).join();
      return 0;
    });
    INFO(end.errors);
    CHECK(end.says("weft: fatal: stack overflow in "));
    CHECK(end.says(
        "cure: raise the size of its stack, fibers::fixedsize_stack(bytes) behind std::allocator_arg, or WEFT_STACK_SIZE (now "));
  }
}
