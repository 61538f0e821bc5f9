// A bounded buffer between two threads. They may wait for each other even on a single worker, since a thread that waits for a
// weft::mutex or weft::condition_variable leaves the worker to the others.
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <queue>

#include <weft/runtime.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>

namespace {

class buffer {
 public:
  void put(int item) {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return items_.size() < most; });
    items_.push(item);
    weft::this_thread::yield();  // allowed while the mutex is held: others wait for it without blocking the worker
    changed_.notify_one();
  }

  int take() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return !items_.empty(); });
    const int item = items_.front();
    items_.pop();
    changed_.notify_one();
    return item;
  }

 private:
  static constexpr std::size_t most = 2;

  weft::mutex mutex_;
  weft::condition_variable changed_;
  std::queue<int> items_;  // guarded by mutex_
};

}  // namespace

int main() {
  const weft::runtime runtime({.workers = 1});
  buffer items;
  weft::thread producer([&items] {
    for (int i = 1; i <= 6; ++i) items.put(i);
  });
  weft::thread consumer([&items] {
    for (int i = 1; i <= 6; ++i) std::printf("took %d\n", items.take());
  });
  producer.join();
  consumer.join();
}
