// What coroutines cost beside ULTs that do the same, on one worker, in turns: the wake-up of a
// waiter at a future and at a semaphore, and awaits that need not wait.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <vector>

#include <weft/task.hpp>
#include <weft/weft.hpp>

namespace {

constexpr int repetitions = 21;
constexpr int rounds = 2000;
long sum;

double now_ns() { return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

using promises = std::deque<weft::promise<int>>;

weft::task<> take_all(promises& all) {
  for (auto& each : all) sum += co_await each.get_future();
}
weft::task<> take_all(weft::counting_semaphore<>& tokens) {
  for (int i = 0; i < rounds; ++i) {
    co_await weft::async_acquire(tokens);
    ++sum;
  }
}
void take_all_in_ult(promises& all) {
  for (auto& each : all) sum += each.get_future().get();
}
void take_all_in_ult(weft::counting_semaphore<>& tokens) {
  for (int i = 0; i < rounds; ++i) {
    tokens.acquire();
    ++sum;
  }
}

// Gives once a round, and lets the waiter run.
template <class Give>
double timed(Give give) {
  weft::this_thread::yield();
  const double begun = now_ns();
  for (int i = 0; i < rounds; ++i) {
    give(i);
    weft::this_thread::yield();
  }
  return (now_ns() - begun) / rounds;
}

template <class Object, class Give>
double with_ult(Object& object, Give give) {
  weft::thread waiter([&] { take_all_in_ult(object); });
  const double result = timed(give);
  waiter.join();
  return result;
}
template <class Object, class Give>
double with_coroutine(Object& object, Give give) {
  weft::future<void> waiter = weft::spawn(take_all(object));
  const double result = timed(give);
  waiter.get();
  return result;
}

double at_futures(bool in_ult) {
  promises all(rounds);
  const auto give = [&](int i) { all[static_cast<std::size_t>(i)].set_value(1); };
  return in_ult ? with_ult(all, give) : with_coroutine(all, give);
}
double at_semaphore(bool in_ult) {
  weft::counting_semaphore<> tokens(0);
  const auto give = [&](int) { tokens.release(); };
  return in_ult ? with_ult(tokens, give) : with_coroutine(tokens, give);
}

weft::task<double> ready_future() {
  weft::promise<int> made;
  made.set_value(1);
  const weft::shared_future<int> ready = made.get_future().share();
  const double begun = now_ns();
  for (int i = 0; i < rounds; ++i) sum += co_await ready;
  co_return (now_ns() - begun) / rounds;
}
weft::task<int> number() { co_return 1; }
weft::task<double> other_task() {
  const double begun = now_ns();
  for (int i = 0; i < rounds; ++i) sum += co_await number();
  co_return (now_ns() - begun) / rounds;
}

struct series {
  const char* name;
  std::vector<double> ns;
  double at(double part) const { return ns[static_cast<std::size_t>(part * static_cast<double>(ns.size() - 1))]; }
};

void print(const series& one) {
  std::printf("%-28s %7.1f ns  (quartiles %.1f to %.1f)\n", one.name, one.at(0.5), one.at(0.25), one.at(0.75));
}
void print_ratio(const char* name, const series& coroutine, const series& ult) {
  std::printf("%-28s %7.2f\n", name, coroutine.at(0.5) / ult.at(0.5));
}

}  // namespace

int main() {
  const weft::runtime runtime({.workers = 1});
  std::array<series, 6> all{{{"future, ULT", {}},
                             {"future, coroutine", {}},
                             {"semaphore, ULT", {}},
                             {"semaphore, coroutine", {}},
                             {"co_await, ready future", {}},
                             {"co_await, task", {}}}};
  for (int i = 0; i < repetitions; ++i) {
    all[0].ns.push_back(at_futures(true));
    all[1].ns.push_back(at_futures(false));
    all[2].ns.push_back(at_semaphore(true));
    all[3].ns.push_back(at_semaphore(false));
    all[4].ns.push_back(weft::sync_wait(ready_future()));
    all[5].ns.push_back(weft::sync_wait(other_task()));
  }
  for (series& each : all) {
    std::sort(each.ns.begin(), each.ns.end());
    print(each);
  }
  print_ratio("future, ratio", all[1], all[0]);
  print_ratio("semaphore, ratio", all[3], all[2]);
  return sum > 0 ? 0 : 1;
}
