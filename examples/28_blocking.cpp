// Calls that block in the kernel, in C++: a hundred threads on two workers sleep in the kernel at
// the same time, and each gets the result of its call.
#include <chrono>
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

#include <weft/blocking.hpp>
#include <weft/jthread.hpp>
#include <weft/weft.hpp>

namespace {

using namespace std::chrono_literals;

// Stands for a database's client: it knows nothing of Weft.
int query(int number) {
  std::this_thread::sleep_for(10ms);
  return number;
}

}  // namespace

int main() {
  weft::runtime_config config;
  config.workers = 2;
  const weft::runtime runtime(config);
  std::vector<int> results(100);
  {
    std::vector<weft::jthread> threads;
    for (int number = 0; number < 100; ++number) {
      threads.emplace_back(
          [&results, number] { results[static_cast<std::size_t>(number)] = weft::blocking([number] { return query(number); }); });
    }
  }
  std::printf("the sum is %d\n", std::accumulate(results.begin(), results.end(), 0));
  return 0;
}
