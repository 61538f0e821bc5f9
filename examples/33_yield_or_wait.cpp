// A loop that asks a library until it is done, in C++. weft::this_thread::yield_or_wait lets ready
// threads run, and sleeps a little if there are none.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include <weft/runtime.hpp>
#include <weft/thread.hpp>

namespace {

using namespace std::chrono_literals;

// A library that knows nothing of Weft: it does its work on an OS thread of its own, and can only be
// asked how far it is.
class library {
 public:
  explicit library(int requests) : worker_([this, requests] { answer(requests); }) {}
  library(const library&) = delete;
  library& operator=(const library&) = delete;
  ~library() { worker_.join(); }
  int answered() const noexcept { return answered_; }

 private:
  void answer(int requests) {
    for (int i = 0; i < requests; ++i) {
      std::this_thread::sleep_for(5ms);
      ++answered_;
    }
  }

  std::atomic<int> answered_ = 0;
  std::thread worker_;
};

}  // namespace

int main() {
  const weft::runtime runtime;
  const library asked(3);
  weft::thread([] { std::puts("others run"); }).join();
  while (asked.answered() < 3) weft::this_thread::yield_or_wait();
  std::printf("%d answers\n", asked.answered());

  const std::uint64_t deadline = weft_deadline_in(1'000'000);  // a millisecond: no further answer comes
  weft_status status = WEFT_OK;
  while (status == WEFT_OK && asked.answered() == 3) status = weft_yield_or_wait(deadline);
  std::printf("then: %s\n", weft_status_name(status));
}
