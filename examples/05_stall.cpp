// The same with std::mutex, and it hangs: a std::mutex makes the OS thread wait, and with it every thread of that worker, the owner of
// the mutex included. Weft cannot undo that, but it explains it:
//
//   WEFT_WATCHDOG=200ms ./05_stall
#include <cstdio>
#include <mutex>
#include <queue>

#include <weft/runtime.hpp>
#include <weft/thread.hpp>

namespace {

class buffer {
 public:
  void put(int item) {
    const std::lock_guard hold(mutex_);
    items_.push(item);
    weft::this_thread::yield();  // goes to the consumer while the mutex is held ...
  }

  bool take(int* item) {
    const std::lock_guard hold(mutex_);  // ... which blocks the only OS thread that could release it
    if (items_.empty()) return false;
    *item = items_.front();
    items_.pop();
    return true;
  }

 private:
  std::mutex mutex_;
  std::queue<int> items_;  // guarded by mutex_
};

}  // namespace

int main() {
  const weft::runtime runtime({.workers = 1});
  buffer items;
  weft::thread consumer({.name = "consumer"}, [&items] {
    for (int i = 1; i <= 6;) {
      int item = 0;
      if (items.take(&item)) {
        std::printf("took %d\n", item);
        ++i;
      } else {
        weft::this_thread::yield();
      }
    }
  });
  weft::thread producer({.name = "producer"}, [&items] {
    for (int i = 1; i <= 6; ++i) items.put(i);
  });
  producer.join();
  consumer.join();
}
