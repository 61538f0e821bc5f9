// WEFT_WATCHDOG: what it says about a worker that stays in one thread, and when it keeps silent. Each scene runs in a child process.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include <weft/weft.hpp>

#include "../support/planned_fault.h"

using namespace std::chrono_literals;

namespace {

constexpr auto well_beyond = 400ms;

// What the child wrote to stderr while scene ran under the watchdog. A scene that cannot end calls _exit.
template <class Scene>
std::string report_of(unsigned workers, Scene scene) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    setenv("WEFT_WATCHDOG", "100ms", 1);
    {
      const weft::runtime runtime({.workers = workers});
      scene();
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t got; (got = read(ends[0], piece, sizeof piece)) > 0;) text.append(piece, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  tell_planned_fault_of_child(WIFSIGNALED(status) ? WTERMSIG(status) : 0, text.c_str());
  INFO(text);
  CHECK(status == 0);
  return text;
}

bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

void block_os_thread(std::chrono::nanoseconds interval) {
  const timespec time{interval.count() / 1'000'000'000, interval.count() % 1'000'000'000};
  nanosleep(&time, nullptr);
}

void compute(std::chrono::nanoseconds interval) {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  const auto in_ns = [](const timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; };
  const std::int64_t until = in_ns(now) + interval.count();
  while (in_ns(now) < until) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
}

// Stops the process and lets it go on, in turn, as a quota of CPU time does: for half a second, shorter each time than the watchdog's limit.
pid_t start_throttling() {
  const pid_t process = getpid();
  const pid_t throttle = fork();
  if (throttle != 0) return throttle;
  for (int period = 0; period < 10; ++period) {
    kill(process, SIGSTOP);
    block_os_thread(45ms);
    kill(process, SIGCONT);
    block_os_thread(5ms);
  }
  _exit(0);
}

}  // namespace

TEST_CASE("a blocking call: the thread's name, the call, once an episode") {
  const std::string text = report_of(2, [] {
    weft::thread sleeper({.name = "sleeper", .worker = 1}, [] {
      block_os_thread(well_beyond);
      weft::this_thread::yield();
      block_os_thread(well_beyond);
    });
    sleeper.join();
  });
  CHECK(says(text, "worker 1 has been in thread "));
  CHECK(says(text, "\"sleeper\""));
  CHECK(says(text, "sleeps in the kernel, in "));
  CHECK(says(text, "nanosleep"));
  CHECK(count(text, "has been in") == 2);
}

TEST_CASE("a std::mutex that a thread of the same worker holds") {
  const std::string text = report_of(1, [] {
    static std::mutex mutex;
    weft::thread owner({.name = "owner"}, [] {
      weft::thread rival({.name = "rival"}, [] {
        std::thread([] {
          std::this_thread::sleep_for(well_beyond);
          _exit(0);
        }).detach();
        mutex.lock();
      });
      mutex.lock();
      weft::this_thread::yield();
    });
    owner.join();
  });
  CHECK(says(text, "worker 0 has been in thread "));
  CHECK(says(text, "\"rival\""));
  CHECK(says(text, "1 ready thread waits for this worker"));
  CHECK(says(text, "in futex"));
  CHECK(says(text, "that this very worker holds"));
  CHECK(says(text, "use weft::mutex"));
}

TEST_CASE("a std::mutex that another worker holds") {
  const std::string text = report_of(2, [] {
    static std::mutex mutex;
    static std::atomic<bool> is_held = false;
    weft::thread owner({.worker = 1}, [] {
      const std::lock_guard hold(mutex);
      is_held = true;
      block_os_thread(well_beyond);
    });
    while (!is_held) weft::this_thread::yield();
    const std::lock_guard hold(mutex);
    owner.detach();
  });
  CHECK(says(text, "worker 0 has been in main"));
  CHECK(says(text, "held by worker 1"));
}

TEST_CASE("a long computation is told of only when somebody waits behind it") {
  const std::string alone = report_of(1, [] { compute(well_beyond); });
  CHECK(alone == "");
  const std::string in_the_way = report_of(1, [] {
    weft::thread other([] {});
    compute(well_beyond);
    other.join();
  });
  CHECK(says(in_the_way, "worker 0 has been in main"));
  CHECK(says(in_the_way, "ready thread waits for this worker"));
  CHECK(says(in_the_way, "OS thread"));
}

TEST_CASE("silent: a thread that computes little because the process is stopped again and again") {
  const std::string text = report_of(1, [] {
    weft::thread other([] {});
    const pid_t throttle = start_throttling();
    compute(50ms);
    while (waitpid(throttle, nullptr, WNOHANG) == 0) weft::this_thread::sleep_for(1ms);
    other.join();
  });
  CHECK(text == "");
}

TEST_CASE("silent: an idle runtime, waiting, taking turns, leaving now and then, joining what was made") {
  const std::string text = report_of(2, [] {
    weft::this_thread::sleep_for(well_beyond);
    weft::mutex mutex;
    std::unique_lock hold(mutex);
    weft::thread waiter([&mutex] { const std::lock_guard mine(mutex); });
    weft::thread talker([] {
      for (const auto until = std::chrono::steady_clock::now() + well_beyond; std::chrono::steady_clock::now() < until;) {
        weft::this_thread::yield();
      }
    });
    talker.join();
    hold.unlock();
    waiter.join();
    for (const auto until = std::chrono::steady_clock::now() + 5 * well_beyond; std::chrono::steady_clock::now() < until;) {
      block_os_thread(60ms);
      weft::this_thread::sleep_for(1ms);
    }
    for (const auto until = std::chrono::steady_clock::now() + well_beyond; std::chrono::steady_clock::now() < until;) {
      weft::thread later([] {});
      weft::thread now([] { weft::thread([] {}).join(); });
      now.join();
      later.join();
    }
  });
  CHECK(text == "");
}
