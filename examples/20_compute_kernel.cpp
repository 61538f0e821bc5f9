// Parts of a computation as packaged tasks in fibers that are detached; several OS threads run them
// and steal from each other. Written for Boost.Fiber: `boost` became `weft`, and that is all.
#include <weft/fiber/all.hpp>

#include <iostream>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

constexpr unsigned os_threads = 4;
constexpr long parts = 64;
constexpr long part = 10000;

weft::fibers::mutex mutex;
weft::fibers::condition_variable ended;
bool has_ended = false;  // guarded by mutex

long compute_kernel(long first) {
  long sum = 0;
  for (long i = first; i < first + part; ++i) sum += i % 7;
  return sum;
}

void help() {
  weft::fibers::use_scheduling_algorithm<weft::fibers::algo::work_stealing>(os_threads);
  std::unique_lock<weft::fibers::mutex> lock(mutex);
  ended.wait(lock, [] { return has_ended; });
}

int main() {
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < os_threads; ++i) helpers.emplace_back(help);
  weft::fibers::use_scheduling_algorithm<weft::fibers::algo::work_stealing>(os_threads);

  std::vector<weft::fibers::future<long>> sums;
  for (long first = 0; first < parts * part; first += part) {
    weft::fibers::packaged_task<long(long)> task(compute_kernel);
    sums.push_back(task.get_future());
    weft::fibers::fiber(std::move(task), first).detach();
  }
  long sum = 0;
  for (weft::fibers::future<long>& each : sums) sum += each.get();
  std::cout << "sum = " << sum << '\n';

  {
    std::unique_lock<weft::fibers::mutex> lock(mutex);
    has_ended = true;
  }
  ended.notify_all();
  for (std::thread& helper : helpers) helper.join();
}
