// Schedulers written in C++: the supplied ones, one of a user's, properties, and mistakes.
#include <weft/scheduling.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <weft/channel.hpp>
#include <weft/runtime.hpp>
#include <weft/sync.hpp>

#include "coroutines.hpp"

using namespace std::chrono_literals;

namespace {

// The letters in the order in which threads ran, written on one worker.
struct order_of {
  std::string text;
  auto writes(char letter, int times = 1) {
    return [this, letter, times] {
      for (int i = 0; i < times; ++i) {
        text += letter;
        if (i + 1 < times) weft::this_thread::yield();
      }
    };
  }
};

void join_all(std::vector<weft::thread>& all) {
  for (auto& each : all) each.join();
}

class newest_first : public weft::scheduling_algorithm<> {
 public:
  explicit newest_first(std::atomic<int>* notified) : notified_(notified) { ready_.reserve(64); }
  void awakened(weft_thread* unit, weft::no_properties&) noexcept override { ready_.push_back(unit); }
  weft_thread* pick_next() noexcept override {
    if (ready_.empty()) return nullptr;
    weft_thread* const last = ready_.back();
    ready_.pop_back();
    return last;
  }
  bool has_ready() const noexcept override { return !ready_.empty(); }
  void notify() noexcept override {
    ++*notified_;
    weft::scheduling_algorithm<>::notify();
  }

 private:
  std::vector<weft_thread*> ready_;
  std::atomic<int>* notified_;
};

}  // namespace

TEST_CASE("round_robin runs threads in the order of their coming") {
  const weft::runtime runtime({.workers = 1});
  order_of seen;
  weft::scheduler<weft::round_robin> scheduler({0});
  std::vector<weft::thread> all;
  for (const char letter : {'a', 'b', 'c'}) all.push_back(scheduler.start({}, seen.writes(letter, 3)));
  join_all(all);
  CHECK(seen.text == "abcabcabc");
}

TEST_CASE("by_priority, with properties that the thread changes itself") {
  const weft::runtime runtime({.workers = 1});
  order_of seen;
  weft::scheduler<weft::by_priority> scheduler({0});
  std::vector<weft::thread> all;
  all.push_back(scheduler.start({.priority = 1}, seen.writes('l')));
  all.push_back(scheduler.start({.priority = 5}, [&] {
    seen.text += 'h';
    CHECK(weft::this_thread::properties<weft::priority_properties>().priority == 5);
    weft::this_thread::properties<weft::priority_properties>().priority = 0;
    weft::this_thread::yield();
    seen.text += 'e';
  }));
  all.push_back(scheduler.start({.priority = 3}, seen.writes('m', 2)));
  all.push_back(scheduler.start({.priority = 3}, seen.writes('n', 2)));
  join_all(all);
  CHECK(seen.text == "hmnmnle");
  CHECK(status_of([] { weft::this_thread::properties<weft::priority_properties>(); }) == WEFT_NOT_OWNER);
}

TEST_CASE("a scheduler of the user's, and threads that are made with its pool") {
  const weft::runtime runtime({.workers = 1});
  order_of seen;
  std::atomic<int> notified = 0;
  weft::scheduler<newest_first> scheduler({0}, &notified);
  std::vector<weft::thread> all;
  for (const char letter : {'a', 'b'}) all.push_back(scheduler.start({}, seen.writes(letter)));
  all.emplace_back(weft::thread_attributes{.pool = scheduler.pool()}, seen.writes('c'));
  join_all(all);
  CHECK(seen.text == "cba");
  CHECK(notified == 3);
}

namespace {

class waits_itself : public weft::round_robin {
 public:
  void suspend_until(const std::chrono::steady_clock::time_point&) noexcept override {
    CHECK(weft_event_wait(&is_notified_) == WEFT_OK);
    weft_event_reset(&is_notified_);  // what was pushed before is found afterwards
  }
  void notify() noexcept override { weft_event_set(&is_notified_); }

 private:
  weft_event is_notified_ = WEFT_EVENT_INIT;
};

}  // namespace

TEST_CASE("an algorithm may wait by itself") {
  const weft::runtime runtime({.workers = 2});
  weft::scheduler<waits_itself> scheduler({1});
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> count = 0;
    weft::thread one = scheduler.start({}, [&] { ++count; });
    one.join();
    CHECK(count == 1);
  }
}

TEST_CASE("shared_work and work_stealing run on all workers, through waits and yields") {
  const weft::runtime runtime({.workers = 4});
  const auto work_on = [](auto& scheduler) {
    weft::mutex mutex;
    std::set<int> workers;
    std::atomic<int> met = 0;
    weft::unbuffered_channel<int> channel;
    std::vector<weft::thread> all;
    for (int i = 0; i < 3; ++i) {  // each ends only when all three run at once
      all.push_back(scheduler.start({}, [&] {
        const int worker = weft::this_thread::worker();  // another one may run it after a wait
        ++met;
        while (met < 3) {
        }
        const std::lock_guard hold(mutex);
        workers.insert(worker);
      }));
    }
    for (auto& each : all) each.join();
    all.clear();
    CHECK(workers.size() == 3);
    std::atomic<int> sum = 0;
    for (int i = 0; i < 50; ++i) {
      all.push_back(scheduler.start({}, [&, i] { CHECK(channel.push(i) == weft::channel_op_status::success); }));
      all.push_back(scheduler.start({}, [&] {
        sum += channel.value_pop();
        weft::this_thread::yield();
      }));
    }
    for (auto& each : all) each.join();
    CHECK(sum == 1225);
  };
  {
    weft::scheduler<weft::shared_work> scheduler({1, 2, 3});
    work_on(scheduler);
  }
  weft::scheduler<weft::work_stealing> scheduler({1, 2, 3});
  work_on(scheduler);
}

TEST_CASE("the end of a scheduler waits for its threads") {
  const weft::runtime runtime({.workers = 2});
  std::atomic<int> ended = 0;
  {
    weft::scheduler<weft::round_robin> scheduler({0, 1});
    for (int i = 0; i < 10; ++i) {
      scheduler
          .start({},
                 [&] {
                   weft::this_thread::sleep_for(1ms);
                   ++ended;
                 })
          .detach();
    }
  }
  CHECK(ended == 10);
}

TEST_CASE("the end of a scheduler waits for a thread that runs then and sleeps later") {
  const weft::runtime runtime({.workers = 2});
  std::atomic<bool> runs = false;
  bool has_ended = false;
  {
    weft::scheduler<weft::round_robin> scheduler({1});
    scheduler
        .start({},
               [&] {
                 runs = true;
                 const auto begin = std::chrono::steady_clock::now();
                 while (std::chrono::steady_clock::now() - begin < 5ms) {
                 }
                 weft::this_thread::sleep_for(1ms);
                 has_ended = true;
               })
        .detach();
    while (!runs) weft::this_thread::yield();
  }
  CHECK(has_ended);
}

TEST_CASE("two schedulers beside each other, and one that is idle") {
  const weft::runtime runtime({.workers = 2});
  weft::scheduler<weft::round_robin> first({0, 1});
  weft::scheduler<weft::by_priority> second({1});
  weft::scheduler<weft::work_stealing> idle({0, 1});
  std::atomic<int> count = 0;
  std::vector<weft::thread> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(first.start({}, [&] { ++count; }));
    all.push_back(second.start({.priority = i}, [&] { ++count; }));
    all.emplace_back([&] { ++count; });
  }
  for (auto& each : all) each.join();
  CHECK(count == 60);
}

TEST_CASE("workers that are not there are refused, and so is a scheduler without a runtime") {
  CHECK(status_of([] { weft::scheduler<weft::round_robin> none({0}); }) == WEFT_NOT_INITIALIZED);
  const weft::runtime runtime({.workers = 1});
  CHECK(status_of([] { weft::scheduler<weft::round_robin> none({}); }) == WEFT_INVALID);
  CHECK(status_of([] { weft::scheduler<weft::round_robin> none({0, 7}); }) == WEFT_INVALID);
}
