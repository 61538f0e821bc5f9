// Algorithms of the program's order the fibers of an OS thread, as in Boost.Fiber: by priority, of
// one queue for several OS threads, of a NUMA node's. Each scene runs in a child process, in which
// the library has not started. The text names nothing of Weft's but what runs the scenes,
// and blocking regions.
#include <boost/context/detail/apply.hpp>
#include <boost/context/stack_context.hpp>
#include <boost/fiber/algo/algorithm.hpp>
#include <boost/fiber/algo/shared_work.hpp>
#include <boost/fiber/all.hpp>
#include <boost/fiber/detail/spinlock.hpp>
#include <boost/fiber/numa/all.hpp>
#include <boost/fiber/properties.hpp>
#include <boost/fiber/scheduler.hpp>
#include <boost/fiber/stack_allocator_wrapper.hpp>

#include <doctest/doctest.h>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weft/blocking.h>

#include "../support/scene.hpp"

namespace fibers = boost::fibers;
namespace this_fiber = boost::this_fiber;
using scene::expect_well;

namespace {

std::atomic<int> properties_alive = 0;

class priority : public fibers::fiber_properties {
 public:
  explicit priority(fibers::context* of) noexcept : fiber_properties(of) { ++properties_alive; }
  ~priority() override { --properties_alive; }
  void set(int value) {
    value_ = value;
    notify();
  }
  int get() const { return value_; }

 private:
  int value_ = 0;
};

// The sleep of an algorithm as programs write it.
class sleeping {
 public:
  void until(const std::chrono::steady_clock::time_point& time) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (time == std::chrono::steady_clock::time_point::max()) {
      told_.wait(lock, [this] { return is_told_; });
    } else {
      told_.wait_until(lock, time, [this] { return is_told_; });
    }
    is_told_ = false;
  }
  void end() {
    const std::lock_guard<std::mutex> hold(mutex_);
    is_told_ = true;
    told_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable told_;
  bool is_told_ = false;
};

class by_priority : public fibers::algo::algorithm_with_properties<priority> {
 public:
  void awakened(fibers::context* ready, priority& its) noexcept override {
    ++told;
    const auto at =
        std::find_if(ready_.begin(), ready_.end(), [&](fibers::context& each) { return properties(&each).get() < its.get(); });
    ready_.insert(at, *ready);
  }
  fibers::context* pick_next() noexcept override {
    if (ready_.empty()) return nullptr;
    fibers::context* const first = &ready_.front();
    ready_.pop_front();
    return first;
  }
  bool has_ready_fibers() const noexcept override { return !ready_.empty(); }
  void property_change(fibers::context* of, priority& its) noexcept override {
    if (!of->ready_is_linked()) return;
    of->ready_unlink();
    awakened(of, its);
  }
  void suspend_until(const std::chrono::steady_clock::time_point& time) noexcept override { sleep_.until(time); }
  void notify() noexcept override { sleep_.end(); }

  static std::atomic<int> told;

 private:
  fibers::scheduler::ready_queue_type ready_;
  sleeping sleep_;
};
std::atomic<int> by_priority::told = 0;

void use_priorities() { fibers::use_scheduling_algorithm<by_priority>(); }

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const fibers::fiber_error& error) {
    return error.what();
  }
  return "";
}

bool tells(const std::string& error, const char* what) { return error.find(what) != std::string::npos; }

// Ends only where all of them run at once.
void meet(std::atomic<int>* missing) {
  for (--*missing; *missing > 0;) std::this_thread::yield();
}

// Runs work on main's OS thread and on others that share its fibers by use(index), until work has
// returned.
template <class Use, class Work>
void share(int others, Use use, Work work) {
  use(0);
  fibers::mutex mutex;
  fibers::condition_variable over;
  bool is_over = false;
  std::vector<std::thread> threads;
  for (int index = 1; index <= others; ++index) {
    threads.emplace_back([&, index] {
      use(index);
      std::unique_lock<fibers::mutex> lock(mutex);
      over.wait(lock, [&is_over] { return is_over; });
    });
  }
  work();
  {
    const std::lock_guard<fibers::mutex> hold(mutex);
    is_over = true;
  }
  over.notify_all();
  for (std::thread& each : threads) each.join();
}

void use_shared(int) { fibers::use_scheduling_algorithm<fibers::algo::shared_work>(); }

void use_node(int) {
  static const std::vector<fibers::numa::node> nodes = fibers::numa::topology();
  cpu_set_t mine;
  CPU_ZERO(&mine);
  NEED(sched_getaffinity(0, sizeof mine, &mine) == 0);
  for (const fibers::numa::node& each : nodes) {
    for (const std::uint32_t cpu : each.logical_cpus) {
      if (!CPU_ISSET(cpu, &mine)) continue;
      fibers::use_scheduling_algorithm<fibers::numa::algo::work_stealing>(cpu, each.id, nodes);
      return;
    }
  }
  NEED(false);
}

// Fibers that yield, sleep, wait for each other and make more fibers.
void mix() {
  std::atomic<int> done = 0;
  fibers::mutex mutex;
  int counted = 0;
  std::vector<fibers::fiber> all;
  for (int index = 0; index < 50; ++index) {
    all.emplace_back([&, index] {
      for (int turn = 0; turn < 5; ++turn) {
        this_fiber::yield();
        const std::lock_guard<fibers::mutex> hold(mutex);
        ++counted;
        if (turn == index % 5) this_fiber::yield();
      }
      if (index % 10 == 0) this_fiber::sleep_for(std::chrono::milliseconds(1));
      NEED(fibers::async([index] { return index; }).get() == index);
      fibers::fiber(index % 2 == 0 ? fibers::launch::post : fibers::launch::dispatch, [&done] { ++done; }).join();
    });
  }
  for (fibers::fiber& each : all) each.join();
  NEED(done == 50);
  NEED(counted == 250);
}

}  // namespace

TEST_CASE("fibers run by priority, which may change while they are ready") {
  expect_well([] {
    use_priorities();
    this_fiber::properties<priority>().set(-1);  // main's
    std::string order;
    std::vector<fibers::fiber> all;
    for (const int value : {1, 3, 2, 0}) {
      all.emplace_back([&order, value] {
        order += std::to_string(value);
        NEED(this_fiber::properties<priority>().get() >= value);
        this_fiber::yield();
        order += std::to_string(value);
      });
      all.back().properties<priority>().set(value);
    }
    all[3].properties<priority>().set(4);  // the one of 0
    for (fibers::fiber& each : all) each.join();
    NEED(order == "00332211");
    NEED(by_priority::told > 8);
    NEED(properties_alive <= 2);  // main's, and the dispatcher's own if it has any
  });
}

TEST_CASE("a fiber that is launched at once runs before the algorithm is told of it") {
  expect_well([] {
    use_priorities();
    std::string order;
    fibers::fiber later([&order] { order += "c"; });
    fibers::fiber now(fibers::launch::dispatch, [&order] {
      order += "a";
      this_fiber::yield();
      order += "d";
    });
    order += "b";
    now.join();
    later.join();
    NEED(order.size() == 4);
    NEED(order.substr(0, 1) == "a");
    NEED(fibers::async(fibers::launch::dispatch, [] { return 7; }).get() == 7);
  });
}

TEST_CASE("timed waits end while all OS threads sleep in suspend_until") {
  expect_well([] {
    use_priorities();
    fibers::fiber sleeper([] { this_fiber::sleep_for(std::chrono::milliseconds(20)); });
    fibers::promise<int> never;
    fibers::future<int> future = never.get_future();
    NEED(future.wait_for(std::chrono::milliseconds(10)) == fibers::future_status::timeout);
    sleeper.join();
    std::thread([] {
      use_priorities();
      this_fiber::sleep_for(std::chrono::milliseconds(5));
      fibers::fiber([] { this_fiber::sleep_for(std::chrono::milliseconds(5)); }).join();
    }).join();
  });
}

TEST_CASE("OS threads with algorithms of their own wake each other's fibers, and keep them") {
  expect_well([] {
    constexpr int turns = 300;
    fibers::unbuffered_channel<int> there;
    fibers::unbuffered_channel<int> back;
    std::thread other([&] {
      use_priorities();
      fibers::fiber([&, home = std::this_thread::get_id()] {
        for (const int each : there) {
          NEED(std::this_thread::get_id() == home);
          back.push(each + 1);
        }
        back.close();
      }).detach();
    });
    std::thread one([&] {
      use_priorities();
      int sum = 0;
      fibers::fiber pusher([&] {
        for (int turn = 0; turn < turns; ++turn) there.push(turn);
        there.close();
      });
      for (const int each : back) sum += each;
      pusher.join();
      NEED(sum == turns * (turns + 1) / 2);
    });
    one.join();
    other.join();  // waits for its detached fiber
    NEED(properties_alive == 0);
  });
}

TEST_CASE("main's return waits for detached fibers of its algorithm") {
  std::fflush(stdout);  // so that the child's exit does not write it once more
  std::cout.flush();
  const weft::test::child_end end = weft::test::run_in_child([]() -> int {
    use_priorities();
    fibers::fiber([] {
      for (int turn = 0; turn < 10; ++turn) this_fiber::yield();
      this_fiber::sleep_for(std::chrono::milliseconds(5));
      std::fputs("detached has ended\n", stderr);
    }).detach();
    std::exit(0);
  });
  CHECK(end.exit_code == 0);
  CHECK_MESSAGE(tells(end.errors, "detached has ended"), end.errors);
}

TEST_CASE("shared work: any of the OS threads runs a fiber") {
  expect_well([] {
    share(2, use_shared, [] {
      for (int round = 0; round < 5; ++round) {
        std::atomic<int> missing = 2;
        fibers::fiber one(meet, &missing);
        fibers::fiber other(meet, &missing);
        one.join();
        other.join();
      }
      mix();
    });
  });
}

TEST_CASE("numa's work stealing: the OS threads of a node steal from each other") {
  expect_well([] { share(2, use_node, mix); });
  expect_well([] {
    const std::vector<fibers::numa::node> nodes = fibers::numa::topology();
    const std::string error = error_of([&nodes] { fibers::numa::algo::work_stealing(1'000'000, nodes[0].id, nodes); });
    NEED(tells(error, "is not one of node"));
  });
}

TEST_CASE("an algorithm may be derived from round_robin, and take another one's place") {
  expect_well([] {
    struct counting : fibers::algo::round_robin {
      explicit counting(int* count) : picked(count) {}
      fibers::context* pick_next() noexcept override {
        fibers::context* const next = round_robin::pick_next();
        if (next != nullptr && next->is_context(fibers::type::worker_context)) ++*picked;
        return next;
      }
      int* picked;
    };
    int first = 0;
    int second = 0;
    fibers::use_scheduling_algorithm<counting>(&first);
    NEED(!fibers::has_ready_fibers());
    fibers::fiber one([] { this_fiber::yield(); });
    NEED(fibers::has_ready_fibers());
    NEED(fibers::context::active()->is_context(fibers::type::main_context));
    fibers::use_scheduling_algorithm<counting>(&second);
    one.join();
    NEED(first == 1);  // handed over
    NEED(second == 2);
    mix();
  });
}

TEST_CASE("an algorithm that shares its queue may take its own kind's place") {
  expect_well([] {
    fibers::use_scheduling_algorithm<fibers::algo::shared_work>();
    int ran = 0;
    fibers::fiber one([&ran] { ++ran; });
    fibers::fiber other([&ran] { ++ran; });
    fibers::use_scheduling_algorithm<fibers::algo::shared_work>(true);
    one.join();
    other.join();
    NEED(ran == 2);
  });
  expect_well([] {
    const std::vector<fibers::numa::node> nodes = fibers::numa::topology();
    const std::uint32_t cpu = *nodes[0].logical_cpus.begin();
    fibers::use_scheduling_algorithm<fibers::numa::algo::work_stealing>(cpu, nodes[0].id, nodes);
    fibers::fiber one([] {});
    fibers::use_scheduling_algorithm<fibers::numa::algo::work_stealing>(cpu, nodes[0].id, nodes);
    one.join();
  });
}

TEST_CASE("fibers of an algorithm wait in blocking regions, and go on") {
  expect_well([] {
    fibers::use_scheduling_algorithm<by_priority>();
    bool has_run = false;
    fibers::fiber other([&has_run] { has_run = true; });
    NEED(weft_blocking([](void*) { scene::sleep_ms(20); }, nullptr) == WEFT_OK);
    other.join();
    NEED(has_run);
    fibers::promise<int> promised;
    fibers::fiber waiting([&promised] { NEED(promised.get_future().get() == 5); });
    this_fiber::yield();
    fibers::fiber blocking([&promised] {
      const auto keep = [](void* promise) {
        scene::sleep_ms(20);
        static_cast<fibers::promise<int>*>(promise)->set_value(5);
        scene::sleep_ms(5);
      };
      NEED(weft_blocking(keep, &promised) == WEFT_OK);
    });
    waiting.join();
    blocking.join();
    std::exit(0);  // ends the library, and with it the OS threads that ran workers meanwhile
  });
}

TEST_CASE("a mutex that was locked before the OS thread's first fiber is unlocked after it") {
  const auto lock_around = [] {
    fibers::mutex one;
    fibers::recursive_mutex many;
    one.lock();
    many.lock();
    fibers::fiber first([] {});
    many.lock();
    many.unlock();
    many.unlock();
    one.unlock();
    NEED(one.try_lock());
    one.unlock();
    first.join();
  };
  expect_well(lock_around);
  expect_well([lock_around] {
    fibers::fiber([] {}).join();
    std::thread(lock_around).join();
  });
}

// Waits for a value as Boost.Asio's adaptors do.
struct completion {
  void wait() {
    fibers::detail::spinlock_lock lock(mutex);
    if (is_complete) return;
    is_waiting = true;
    fibers::context::active()->suspend(lock);
    NEED(!lock.owns_lock());
  }
  void complete() {
    fibers::detail::spinlock_lock lock(mutex);
    is_complete = true;
    const bool wakes = is_waiting;
    lock.unlock();
    if (wakes) waiter->schedule(waiter);
  }
  fibers::detail::spinlock mutex;
  bool is_complete = false;
  bool is_waiting = false;
  fibers::context* waiter = fibers::context::active();
};

TEST_CASE("a fiber is suspended under a spinlock, and scheduled by any OS thread") {
  for (const bool has_algorithm : {false, true}) {
    expect_well([has_algorithm] {
      if (has_algorithm) use_priorities();
      fibers::fiber([] {
        completion same;
        fibers::fiber teller([&same] { same.complete(); });
        same.wait();
        teller.join();
      }).join();
      for (int turn = 0; turn < 100; ++turn) {
        completion of_main;
        std::thread other([&of_main] { of_main.complete(); });
        of_main.wait();
        other.join();
      }
    });
  }
}

TEST_CASE("initialize_thread gives an OS thread an algorithm once") {
  expect_well([] {
    const auto stacks = [] { return fibers::make_stack_allocator_wrapper<fibers::fixedsize_stack>(std::size_t{65536}); };
    fibers::stack_allocator_wrapper wrapper = stacks();
    boost::context::stack_context memory = wrapper.allocate();
    NEED(memory.size == 65536);
    wrapper.deallocate(memory);
    NEED(fibers::initialize_thread(new by_priority, stacks()));
    NEED(!fibers::initialize_thread(new by_priority, stacks()));
    mix();
    NEED(by_priority::told > 0);
    NEED(boost::context::detail::apply([](int left, int right) { return left - right; }, std::pair(5, 3)) == 2);
  });
}

TEST_CASE("what comes too late is told") {
  expect_well([] {
    fibers::promise<void> end;
    fibers::fiber waits([&end] { end.get_future().wait(); });
    this_fiber::yield();
    NEED(tells(error_of(use_priorities), "before the OS thread's first fiber"));
    end.set_value();
    waits.join();
    use_priorities();
    NEED(tells(error_of([] { fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(2); }), "another algorithm"));
    fibers::use_scheduling_algorithm<fibers::algo::round_robin>();  // changes nothing
  });
  expect_well([] {
    fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(2);
    NEED(tells(error_of(use_priorities), "after algo::work_stealing"));
    NEED(tells(error_of([] { this_fiber::properties<priority>(); }), "no properties"));
  });
}
