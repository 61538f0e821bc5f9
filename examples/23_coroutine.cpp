// Coroutines that wait for what threads do: co_await on an awaiter. No thread waits meanwhile.
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <exception>

#include <weft/ext.h>
#include <weft/weft.hpp>

namespace {

void must(weft_status status) {
  if (status != WEFT_OK) throw weft::error(status, "23_coroutine");
}

// A coroutine that starts at once and owns itself.
struct task {
  struct promise_type {
    task get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

// co_await wait_for(object, kind). ready must not wait, and the coroutine may: a thread resumes it.
class wait_for {
 public:
  wait_for(void* object, weft_await_kind kind) noexcept : object_(object), kind_(kind) {}

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> self) {
    self_ = self;
    bool waits = false;
    must(weft_ext_await(&awaiter_, object_, kind_, &waits));
    return waits;  // where it waits, the coroutine may have gone on already: nothing is touched here
  }
  std::uint64_t await_resume() const noexcept { return awaiter_.value; }

 private:
  static void ready(weft_awaiter* awaiter, weft_status) {
    void* const self = reinterpret_cast<wait_for*>(awaiter)->self_.address();
    const auto resume = [](void* frame) { std::coroutine_handle<>::from_address(frame).resume(); };
    if (weft_thread_create(resume, self, nullptr, nullptr) != WEFT_OK) std::terminate();
  }

  weft_awaiter awaiter_ = WEFT_AWAITER_INIT(ready);  // first: ready finds the rest by its address
  std::coroutine_handle<> self_;
  void* object_;
  weft_await_kind kind_;
};

task consume(weft_future& number, std::uint64_t& word, weft_event& done) {
  co_await wait_for(&number, WEFT_AWAIT_FUTURE);
  void* value = nullptr;
  must(weft_future_get(&number, &value));  // at once
  std::printf("the future holds %d\n", *static_cast<int*>(value));
  const std::uint64_t taken = co_await wait_for(&word, WEFT_AWAIT_FEB_TAKE);
  std::printf("the word held %llu\n", static_cast<unsigned long long>(taken));
  must(weft_event_set(&done));
}

}  // namespace

int main() {
  const weft::runtime runtime;
  weft_future number = WEFT_FUTURE_INIT;
  weft_event done = WEFT_EVENT_INIT;
  std::uint64_t word = 0;
  must(weft_feb_empty(&word));
  consume(number, word, done);
  int answer = 42;
  weft::thread setter([&] {
    must(weft_future_set(&number, &answer));
    must(weft_feb_write_ef(&word, 7));
  });
  must(weft_event_wait(&done));
  setter.join();
  must(weft_feb_fill(&word));  // its state outlives it
}
