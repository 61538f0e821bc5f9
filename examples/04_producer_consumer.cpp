// A producer and a consumer. A fiber that waits for the mutex or the condition leaves the OS thread
// to the other, so both live on one. Written for Boost.Fiber: `boost` became `weft`, and that is
// all.
//
// The mutex, the condition and the text stand at namespace scope: a lambda that copies what it uses
// ([=]) could not copy a mutex.
#include <weft/fiber/all.hpp>

#include <iostream>
#include <mutex>
#include <string>

weft::fibers::mutex mutex;
weft::fibers::condition_variable changed;
std::string text;  // guarded by mutex

int main() {
  weft::fibers::fiber consumer([=] {
    for (int i = 0; i < 3; ++i) {
      std::unique_lock<weft::fibers::mutex> lock(mutex);
      changed.wait(lock, [] { return !text.empty(); });
      std::cout << "took " << text << '\n';
      text.clear();
      changed.notify_one();
    }
  });
  weft::fibers::fiber producer([=] {
    for (const char* word : {"warp", "yarn", "loom"}) {
      std::unique_lock<weft::fibers::mutex> lock(mutex);
      changed.wait(lock, [] { return text.empty(); });
      text = word;
      changed.notify_one();
    }
  });
  producer.join();
  consumer.join();
}
