// Threads that sleep in the kernel without a blocking region: the call, where it was made, and the
// cure, by WEFT_WATCHDOG and by the library with checks. Each scene runs in a child process.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include <weft/ext.h>
#include <weft/weft.hpp>

#include "../support/checked_build.hpp"
#include "../support/child.hpp"
#include "../support/frames.hpp"
#include "../support/watched.hpp"

using namespace std::chrono_literals;
using watched::ask_for_held_mutex;
using watched::block_until_told;
using watched::compute_until_told;
using watched::count;
using watched::is_told_within;
using watched::quick;
using watched::report_of;
using watched::says;
using weft::test::child_end;
using weft::test::has_process_vm_readv;
using weft::test::is_checked_build;
using weft::test::run_in_child;

namespace {

bool has_planned_fault() { return std::getenv("WEFT_TEST_FAULT") != nullptr; }

void sleep_in_kernel(std::chrono::nanoseconds interval) {
  const timespec time{interval.count() / 1'000'000'000, interval.count() % 1'000'000'000};
  nanosleep(&time, nullptr);
}

// Each call has a function and a line of its own.
[[gnu::noinline]] ssize_t receives(char* byte) {
  const ssize_t got = read(watched::told, byte, 1);
  asm volatile("" ::: "memory");
  return got;
}
constexpr int line_of_read = __LINE__ - 4;

[[gnu::noinline]] int rests() {
  const timespec time{0, 300'000'000};
  const int result = nanosleep(&time, nullptr);
  asm volatile("" ::: "memory");
  return result;
}
constexpr int line_of_nanosleep = __LINE__ - 4;

[[gnu::noinline]] int awaits() {
  pollfd seen{watched::told, POLLIN, 0};
  const int result = poll(&seen, 1, has_planned_fault() ? 1000 : 60'000);
  asm volatile("" ::: "memory");
  return result;
}
constexpr int line_of_poll = __LINE__ - 4;

// The call runs on worker 1, which no other thread waits for.
template <class Call>
std::string report_of_call(Call call) {
  return report_of(2, quick, [call] {
    weft::thread caller({.name = "caller", .worker = 1}, call);
    caller.join();
  });
}

// Whether the line that says where the OS thread sleeps ends with that place. Where the C library
// has frame pointers, the place may be unknown.
bool says_place(const std::string& text, const std::string& function, int line) {
  const std::size_t at = text.find("sleeps in the kernel");
  const std::string words = text.substr(at, text.find('\n', at) - at);
  if (!has_process_vm_readv() || !says(words, ", called in ")) return true;
  return says(words, ", called in " + function + "+0x") && says(words, " (watchdog_calls.cpp:" + std::to_string(line) + ")");
}

}  // namespace

TEST_CASE("read: the pipe, and the line that reads it") {
  if (has_planned_fault()) return;  // no report, no end
  const std::string text = report_of_call([] {
    char byte;
    static_cast<void>(receives(&byte));
  });
  CHECK(says(text, "worker 1 has been in thread "));
  CHECK(says(text, "\"caller\""));
  CHECK(says(text, " sleeps in the kernel, in read of pipe:["));
  CHECK(says_place(text, "receives", line_of_read));
  CHECK(says(text, "watchdog:   cure: wrap the call in weft_blocking (C++: weft::blocking)"));
  CHECK(says(text, "; until then this worker waits\n"));
}

TEST_CASE("nanosleep: the cure is to sleep by Weft") {
  const std::string text = report_of_call([] {
    const int most = has_planned_fault() ? 4 : 200;
    for (int times = 0; times < most && !is_told_within(0) && rests() == 0; ++times) {
    }
  });
  CHECK(says(text, "nanosleep"));
  CHECK(says_place(text, "rests", line_of_nanosleep));
  CHECK(says(text, "watchdog:   cure: sleep by weft_sleep_ns (C++: weft::this_thread::sleep_for)"));
}

TEST_CASE("poll, and the thread that waits behind it") {
  const std::string text = report_of(1, quick, [] {
    weft::thread other([] {});
    static_cast<void>(awaits());
    other.join();
  });
  CHECK(says(text, "worker 0 has been in main"));
  CHECK(says(text, "sleeps in the kernel, in p"));
  CHECK(says(text, "poll"));
  CHECK(says_place(text, "awaits", line_of_poll));
  CHECK(says(text, "; until then this worker and 1 ready thread behind it wait\n"));
}

TEST_CASE("a loop that computes is no call") {
  const std::string text = report_of(1, quick, [] {
    weft::thread other([] {});
    compute_until_told();
    other.join();
  });
  CHECK(says(text, "worker 0 has been in main"));
  CHECK(says(text, " computes ("));
  CHECK_FALSE(says(text, "sleeps in the kernel"));
  CHECK_FALSE(says(text, "weft_blocking"));
}

TEST_CASE("silent: the same calls in a blocking region, whether its worker stays or is given away") {
  for (const char* const stays_for : {"0", "1s"}) {
    CAPTURE(stays_for);
    setenv("WEFT_BLOCKING", stays_for, 1);
    const std::string text = report_of_call([] {
      weft::blocking([] { return poll(nullptr, 0, 700); });
      weft::blocking([] { sleep_in_kernel(700ms); });
    });
    unsetenv("WEFT_BLOCKING");
    CHECK(text == "");
  }
}

namespace {

bool is_call_told() {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%ld/syscall", syscall(SYS_gettid));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  close(file);
  return true;
}

// What the system tells of a process to root alone is refused to the process itself.
bool refuse_to_tell_calls() {
  constexpr uid_t nobody = 65534;
  if (geteuid() == 0 && setresuid(nobody, nobody, nobody) != 0) return false;
  return prctl(PR_SET_DUMPABLE, 0) == 0 && !is_call_told();
}

}  // namespace

TEST_CASE("where the system does not tell the call, the sleep is told all the same") {
  const std::string text = report_of_call([] {
    if (!refuse_to_tell_calls()) {
      std::fputs("cannot refuse\n", stderr);
      return;
    }
    block_until_told();
  });
  if (says(text, "cannot refuse")) return;
  CHECK(says(text, "worker 1 has been in thread "));
  CHECK(says(text, "sleeps in the kernel"));
  CHECK(says(text, "; the system does not tell the call\n"));
  CHECK_FALSE(says(text, "called in"));
  CHECK(says(text, "watchdog:   cure: wrap the call in weft_blocking"));
}

TEST_CASE("silent: a tasklet in a wait of Weft's own") {
  if (!has_process_vm_readv() || has_planned_fault()) return;  // by which the wait is seen to be Weft's
  const std::string text = report_of(2, quick, [] {
    static std::atomic<bool> is_over{false};
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.worker = 1;
    weft_thread* tries = nullptr;
    const weft_function wait = [](void*) {
      const auto attempt = [](void*) { return is_over.load(); };
      NEED(weft_ext_try_until(attempt, nullptr, "answer") == WEFT_OK);
    };
    NEED(weft_tasklet_create(wait, nullptr, &attr, &tries) == WEFT_OK);
    weft::this_thread::sleep_for(1s);
    is_over = true;
    NEED(weft_thread_join(tries) == WEFT_OK);
  });
  CHECK(text == "");
}

// A compiler turns a call at the end of a thread's function into a jump: then no frame of the
// program's is there. Here the called function is the thread's.
TEST_CASE("calls in place of which the compiler jumps") {
  const std::string in_sleep = report_of(1, quick, [] {
    const auto sleeps = reinterpret_cast<weft_function>(reinterpret_cast<void*>(&sleep));
    weft_thread* sleeper = nullptr;
    NEED(weft_thread_create(sleeps, reinterpret_cast<void*>(std::uintptr_t{3}), nullptr, &sleeper) == WEFT_OK);
    NEED(weft_thread_join(sleeper) == WEFT_OK);
  });
  CHECK(says(in_sleep, "sleeps in the kernel, in clock_nanosleep"));
  const std::string in_lock = report_of(1, quick, [] {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    std::thread holder([] {
      pthread_mutex_lock(&mutex);
      block_until_told();
      pthread_mutex_unlock(&mutex);
    });
    while (pthread_mutex_trylock(&mutex) == 0) {
      pthread_mutex_unlock(&mutex);
      std::this_thread::sleep_for(1ms);
    }
    const auto locks = reinterpret_cast<weft_function>(reinterpret_cast<void*>(&pthread_mutex_lock));
    weft_thread* locker = nullptr;
    NEED(weft_thread_create(locks, &mutex, nullptr, &locker) == WEFT_OK);
    NEED(weft_thread_join(locker) == WEFT_OK);
    holder.join();
  });
  CHECK(says(in_lock, "sleeps in the kernel, in futex"));
}

// ---- one report of one wait ----

TEST_CASE("a standstill in a lock that the watchdog has told is not told again") {
  const std::string text = report_of(1, quick, [] {
    ask_for_held_mutex([] {
      block_until_told();
      sleep_in_kernel(2500ms);  // longer than until a standstill is told
      _exit(0);
    });
  });
  CHECK(says(text, "that this very worker holds"));
  CHECK(count(text, "has been in thread") == 1);
  CHECK_FALSE(says(text, "standstill"));
}

TEST_CASE("a possible standstill that was told is not told again by the watchdog") {
  const std::string text = report_of(1, "3s", [] {
    static std::mutex mutex;
    static std::condition_variable changed;
    std::thread([] {
      sleep_in_kernel(5s);
      _exit(0);
    }).detach();
    weft::thread other([] {});
    std::unique_lock hold(mutex);
    changed.wait(hold, [] { return false; });
  });
  CHECK(says(text, "possible standstill"));
  CHECK(count(text, "has been in main") == 1);
}

// ---- the library with checks, without WEFT_WATCHDOG ----

TEST_CASE("the library with checks tells a call behind which a thread waits after a second") {
  const child_end end = run_in_child([] {
    alarm(100);
    const weft::runtime runtime({.workers = 2, .locality = weft::locality::strict});
    const auto sleep_before_another = [](auto call) {
      weft::thread caller({.name = "caller", .worker = 1}, call);
      weft::this_thread::sleep_for(50ms);
      weft::thread other({.worker = 1}, [] {});
      caller.join();
      other.join();
    };
    sleep_before_another([] { sleep_in_kernel(3500ms); });
    sleep_before_another([] { poll(nullptr, 0, 3500); });
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  if (!is_checked_build()) {
    CHECK(end.errors == "");
    return;
  }
  CHECK(end.says("weft: warning: worker 1 has been in thread "));
  CHECK(end.says("nanosleep"));
  CHECK(end.says("weft:   cure: sleep by weft_sleep_ns"));
  CHECK(end.says("weft: possible standstill: worker 1 has been in thread "));
  CHECK(end.says("weft:   cure: wrap the call in weft_blocking"));
  CHECK(end.says("until then this worker and 1 ready thread behind it wait\n"));
}
