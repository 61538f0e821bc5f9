#include "os/thread_state.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include "os/system_call.hpp"
#include "os/thread.hpp"

using namespace weft;

namespace {

// The state of an OS thread once it sleeps in the kernel; as last read when it never does.
os::thread_state state_when_asleep(int thread_id) {
  os::thread_state state;
  for (int tries = 0; tries < 1000; ++tries) {
    CHECK(os::read_thread_state(thread_id, &state));
    if (state.letter == 'S' && state.call >= 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return state;
}

int wait_for_id(const std::atomic<int>& id) {
  while (id == 0) std::this_thread::yield();
  return id;
}

}  // namespace

TEST_CASE("the caller itself runs") {
  os::thread_state state;
  REQUIRE(os::read_thread_state(os::thread_id(), &state));
  CHECK(state.letter == 'R');
  CHECK_FALSE(state.waits_for_others);
}

TEST_CASE("there is no such thread") {
  os::thread_state state;
  CHECK_FALSE(os::read_thread_state(1 << 30, &state));
  CHECK(state.letter == '?');
}

TEST_CASE("a thread that waits for a mutex sleeps in futex, and the mutex tells who holds it") {
  std::mutex mutex;
  std::atomic<int> id = 0;
  std::uintptr_t frame = 0;
  mutex.lock();
  std::thread waiter([&] {
    frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    id = os::thread_id();
    mutex.lock();
    mutex.unlock();
  });
  const os::thread_state state = state_when_asleep(wait_for_id(id));
  CHECK(state.letter == 'S');
  if (state.call >= 0) {  // unless the kernel refuses to tell
    CHECK(os::is_futex(state.call));
    CHECK(std::strcmp(os::call_name(state.call), "futex") == 0);
    CHECK(state.first_argument == reinterpret_cast<std::uintptr_t>(&mutex));
    CHECK(os::owner_of_pthread_mutex(state.first_argument) == os::thread_id());
    CHECK(state.waits_for_others);
    CHECK(state.code != 0);
    CHECK(state.stack_pointer < frame);
    CHECK(state.stack_pointer > frame - 64 * 1024);
  }
  mutex.unlock();
  waiter.join();
}

TEST_CASE("who sleeps by the clock waits for nobody") {
  std::atomic<int> id = 0;
  std::thread sleeper([&] {
    id = os::thread_id();
    std::this_thread::sleep_for(std::chrono::seconds(1));
  });
  CHECK_FALSE(state_when_asleep(wait_for_id(id)).waits_for_others);
  sleeper.join();
}

TEST_CASE("signals that are blocked") {
  sigset_t some, before;
  sigemptyset(&some);
  sigaddset(&some, SIGURG);
  REQUIRE(pthread_sigmask(SIG_BLOCK, &some, &before) == 0);
  CHECK(os::blocks_signal(os::thread_id(), SIGURG));
  REQUIRE(pthread_sigmask(SIG_UNBLOCK, &some, nullptr) == 0);
  CHECK_FALSE(os::blocks_signal(os::thread_id(), SIGURG));
  CHECK_FALSE(os::blocks_signal(1 << 30, SIGURG));
  REQUIRE(pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
}

TEST_CASE("CPU time is counted") {
  os::thread_state before;
  REQUIRE(os::read_thread_state(os::thread_id(), &before));
  timespec now;
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (now.tv_sec == 0 && now.tv_nsec < 100'000'000);
  os::thread_state after;
  REQUIRE(os::read_thread_state(os::thread_id(), &after));
  CHECK(after.cpu_ms >= 50);
  CHECK(after.cpu_ms >= before.cpu_ms);
}

TEST_CASE("what is not there has no owner") { CHECK(os::owner_of_pthread_mutex(16) == 0); }

TEST_CASE("the line about a call") {
  os::thread_state state;
  os::read_call("0 0x3 0x7f51bff32000 0x20000 0x1 0x2 0x4 0x7ffd9f0dd938 0x7f51c00ab2ad", &state);
  CHECK(state.place == os::kernel_place::call);
  CHECK(state.call == 0);
  CHECK(state.first_argument == 3);
  CHECK(state.third_argument == 0x20000);
  CHECK(state.stack_pointer == 0x7ffd9f0dd938);
  CHECK(state.code == 0x7f51c00ab2ad);
  CHECK_FALSE(state.waits_for_others);
}

TEST_CASE("the line about a futex wait without a deadline") {
  char line[128];
  os::thread_state state;
  std::snprintf(line, sizeof line, "%ld 0x1000 0x80 0x2 0x0 0x0 0x0 0x7ffd9f0dd938 0x7f51c00ab2ad", long{SYS_futex});
  os::read_call(line, &state);
  CHECK(state.waits_for_others);
  os::thread_state with_deadline;
  std::snprintf(line, sizeof line, "%ld 0x1000 0x80 0x2 0x7ff0 0x0 0x0 0x7ffd9f0dd938 0x7f51c00ab2ad", long{SYS_futex});
  os::read_call(line, &with_deadline);
  CHECK(with_deadline.place == os::kernel_place::call);
  CHECK_FALSE(with_deadline.waits_for_others);
}

TEST_CASE("the line about a sleep outside of calls, and about one that runs") {
  os::thread_state state;
  os::read_call("-1 0x7ffd9f0dd938 0x7f51c00ab2ad", &state);
  CHECK(state.place == os::kernel_place::no_call);
  CHECK(state.call == -1);
  CHECK(state.stack_pointer == 0x7ffd9f0dd938);
  CHECK(state.code == 0x7f51c00ab2ad);
  os::thread_state runs;
  os::read_call("running", &runs);
  CHECK(runs.place == os::kernel_place::none);
  CHECK(runs.stack_pointer == 0);
}

TEST_CASE("lines in another form say nothing") {
  for (const char* line : {"", "0", "0 0x3", "-1", "-1 0x1", "call 0x3", "0 0x3 0x1 0x2 0x3 0x4 0x5 0x6", "runningly"}) {
    CAPTURE(line);
    os::thread_state state;
    os::read_call(line, &state);
    CHECK(state.place == os::kernel_place::untold);
    CHECK(state.call == -1);
    CHECK(state.stack_pointer == 0);
  }
}

TEST_CASE("the function of the kernel in which a thread sleeps") {
  std::atomic<int> id = 0;
  std::thread sleeper([&] {
    id = os::thread_id();
    std::this_thread::sleep_for(std::chrono::seconds(1));
  });
  char name[64];
  if (state_when_asleep(wait_for_id(id)).letter == 'S' && os::read_wait_channel(id, name, sizeof name)) {
    CHECK(name[0] != '\0');
    CHECK(std::strcmp(name, "0") != 0);
  }
  sleeper.join();
  CHECK_FALSE(os::read_wait_channel(1 << 30, name, sizeof name));
}
