// The pitfall: the same with std::mutex, and it hangs. The producer yields while it holds the
// mutex, the consumer asks for it, and that blocks their OS thread, which alone could go on with
// the producer. Written for Boost.Fiber: `boost` became `weft`, and that is all. Weft cannot undo
// it, but explains it after a second.
#include <weft/fiber/all.hpp>

#include <iostream>
#include <mutex>
#include <string>

std::mutex mutex;  // of OS threads, not of fibers
std::string text;  // guarded by mutex

int main() {
  weft::fibers::fiber producer([] {
    std::unique_lock<std::mutex> lock(mutex);
    text = "warp";
    weft::this_fiber::yield();
    text += " and yarn";
  });
  weft::fibers::fiber consumer([] {
    std::unique_lock<std::mutex> lock(mutex);
    std::cout << "took " << text << '\n';
  });
  producer.join();
  consumer.join();
}
