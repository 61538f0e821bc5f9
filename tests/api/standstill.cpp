// Workers whose OS thread waits for what their own threads must do: told by default, and silence
// about programs that look like it. Each scene runs in a child.
#include <doctest/doctest.h>

#include <dirent.h>
#include <semaphore.h>
#include <sys/single_threaded.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weft/weft.hpp>

#include "../support/checked_build.hpp"
#include "../support/scene.hpp"

using namespace std::chrono_literals;
using scene::count;
using scene::sleep_ms;
using scene::start;
using weft::test::child_end;
using weft::test::end_when_told;
using weft::test::run_in_child;
using weft::test::running_child;
using weft::test::start_child;

namespace {

constexpr long quiet_ms = 3500;  // several looks

template <class Scene>
child_end told_in(Scene scene) {
  return end_when_told(start_child([&] {
                         alarm(100);
                         setenv("WEFT_HELD_LOCKS", "off", 1);  // the library with checks names the locks sooner
                         scene();
                         return 0;
                       }),
                       "cure: ");
}

// Waits in a lock that its own worker has.
void hold_and_wait() {
  static std::mutex mutex;
  weft::thread owner({.name = "owner"}, [] {
    const std::lock_guard hold(mutex);
    weft::this_thread::yield();
  });
  weft::thread rival({.name = "rival"}, [] { const std::lock_guard hold(mutex); });
  owner.join();
  rival.join();
}

// The same on worker 1, from which no thread may move.
void hold_and_wait_on_second() {
  static std::mutex mutex;
  weft::thread owner({.name = "owner", .worker = 1}, [] {
    weft::thread rival({.name = "rival", .worker = 1}, [] { const std::lock_guard hold(mutex); });
    const std::lock_guard hold(mutex);
    weft::this_thread::yield();
    rival.join();
  });
  owner.join();
}

// main waits for its own thread in a condition of OS threads.
void await_own_thread() {
  static std::mutex mutex;
  static std::condition_variable changed;
  static bool is_done = false;
  weft::thread maker({.name = "maker"}, [] {
    const std::lock_guard hold(mutex);
    is_done = true;
    changed.notify_one();
  });
  std::unique_lock hold(mutex);
  changed.wait(hold, [] { return is_done; });
}

// A thread that takes the same lock on two workers, as in the callback of a library that holds one.
void relock_elsewhere() {
  static std::recursive_mutex mutex;
  weft::thread caller({.name = "caller", .worker = 1}, [] {
    const std::lock_guard call(mutex);
    weft::this_thread::pin(0);
    const std::lock_guard callback(mutex);
  });
  caller.join();
}

// Waits for another OS thread, for several looks.
void await_post() {
  sem_t posted;
  NEED(sem_init(&posted, 0, 0) == 0);
  std::thread other([&posted] {
    sleep_ms(quiet_ms);
    sem_post(&posted);
  });
  while (sem_wait(&posted) != 0) {
  }
  other.join();
}

// Several scenes side by side, about which nothing is to be said.
class silence {
 public:
  silence() = default;
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;
  ~silence() {
    for (const running_child& each : scenes_) {
      const child_end end = wait_for(each);
      INFO(end.errors);
      CHECK(end.exit_code == 0);
      CHECK(end.errors == "");
    }
  }
  template <class Scene>
  void during(Scene scene) {
    scenes_.push_back(start_child([&] {
      alarm(100);
      scene();
      return weft_finalize() == WEFT_OK ? 0 : 1;
    }));
  }

 private:
  std::vector<running_child> scenes_;
};

}  // namespace

TEST_CASE("one worker in a lock that it holds itself: proved") {
  const child_end end = told_in([] {
    start(1);
    hold_and_wait();
  });
  INFO(end.errors);
  CHECK(end.says("weft: standstill: worker 0 has been in thread "));
  CHECK(end.says("\"rival\""));
  CHECK(end.says("and can never go on\n"));
  CHECK(end.says("(std::mutex, pthread_mutex_t) at 0x"));
  CHECK(end.says("1 ready thread waits for this worker"));
  CHECK(end.says("cure: in place of std::mutex"));
  CHECK(!end.says("possible"));
}

TEST_CASE("a proved standstill is told once, however long it lasts") {
  std::vector<running_child> scenes;
  for (const unsigned workers : {1U, 2U}) {
    scenes.push_back(start_child([workers] {
      alarm(5);  // several looks
      start(workers, WEFT_LOCALITY_STRICT);
      workers == 1 ? hold_and_wait() : hold_and_wait_on_second();
      return 0;
    }));
  }
  for (const running_child& each : scenes) {
    const child_end end = wait_for(each);
    INFO(end.errors);
    CHECK(end.signal == SIGALRM);
    CHECK(count(end.errors, "standstill: worker") == 1);
  }
}

TEST_CASE("a proved standstill aborts if it should") {
  const child_end end = run_in_child([] {
    setenv("WEFT_DEADLOCK", "abort", 1);
    alarm(100);
    start(1);
    hold_and_wait();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(count(end.errors, "standstill: worker") == 1);
}

TEST_CASE("several workers, no thread may move: proved by another OS thread") {
  const child_end end = told_in([] {
    start(2, WEFT_LOCALITY_STRICT);
    hold_and_wait_on_second();
  });
  INFO(end.errors);
  CHECK(end.says("weft: standstill: worker 1 has been in thread "));
  CHECK(end.says("\"rival\""));
}

TEST_CASE("a condition that a ready thread of the worker would signal: possible, with their number") {
  for (const unsigned workers : {1U, 2U}) {
    const child_end end = told_in([workers] {
      start(workers, WEFT_LOCALITY_STRICT);
      await_own_thread();
    });
    INFO(workers, end.errors);
    CHECK(end.says("weft: possible standstill: worker 0 has been in main for "));
    CHECK(end.says("(std::condition_variable"));
    CHECK(end.says("1 ready thread waits for this worker"));
    CHECK(!end.says("can never go on"));
  }
}

TEST_CASE("what is only possible is said once, and the program goes on") {
  std::vector<running_child> scenes;
  for (const unsigned workers : {1U, 2U}) {
    scenes.push_back(start_child([workers] {
      alarm(100);
      start(workers, WEFT_LOCALITY_STRICT);
      for (int time = 0; time < 2; ++time) {
        weft::thread waits([] {});
        await_post();
        waits.join();
      }
      return weft_finalize() == WEFT_OK ? 0 : 1;
    }));
  }
  for (const running_child& each : scenes) {
    const child_end end = wait_for(each);
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK(count(end.errors, "possible standstill") == 1);
    CHECK(count(end.errors, "standstill") == 1);
  }
}

TEST_CASE("what is only possible is said once of each kind") {
  const running_child scene = start_child([] {
    alarm(100);
    start(2);
    // It may go on on either worker, so the lock below may be its own, as far as the look can know.
    weft_thread* const parked = scene::make([](void*) { NEED(weft_suspend() == WEFT_OK); }, nullptr, "parked");
    while (weft_thread_get_state(parked) != WEFT_THREAD_SUSPENDED) weft_yield();
    weft::thread waits({.worker = 0}, [] {});
    await_post();
    static std::mutex taken;
    taken.lock();
    taken.lock();
    return 1;
  });
  const child_end end = end_when_told(scene, "that it has taken itself");
  INFO(end.errors);
  CHECK(end.signal == SIGKILL);
  CHECK(count(end.errors, "possible standstill") == 2);
  CHECK(end.says("waits until another OS thread wakes it"));
}

TEST_CASE("a lock that a thread took on a worker which is in no thread now: proved where all others wait for it") {
  const child_end end = run_in_child([] {
    alarm(100);
    setenv("WEFT_DEADLOCK", "abort", 1);
    start(2);
    relock_elsewhere();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(count(end.errors, "standstill: worker 0 has been in thread ") == 1);
  CHECK(end.says("\"caller\""));
  CHECK(end.says("can never go on"));
  CHECK(end.says(" of worker 1 has taken, which is in no thread: a thread took it there"));
  CHECK(end.says("cure: a thread gives such a lock back before it waits or yields"));
  CHECK(end.says("it went on on another OS thread ") == weft::test::is_checked_build());
}

TEST_CASE("the same where another thread may give the lock back: possible, and the program goes on") {
  const running_child scene = start_child([] {
    alarm(100);
    start(2);
    static std::mutex mutex;
    weft_thread* const holder = scene::make(
        [](void*) {
          NEED(weft_pin(1) == WEFT_OK);
          mutex.lock();
          NEED(weft_sleep_ns(quiet_ms * 1'000'000) == WEFT_OK);
          mutex.unlock();
        },
        nullptr, "holder");
    while (weft_thread_get_state(holder) != WEFT_THREAD_BLOCKED) weft_yield();
    mutex.lock();
    mutex.unlock();
    NEED(weft_thread_join(holder) == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  const child_end end = wait_for(scene);
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(count(end.errors, "possible standstill: worker 0 has been in main") == 1);
  CHECK(end.says(" of worker 1 has taken, which is in no thread"));
}

TEST_CASE("silent: a lock whose holder computes on another worker") {
  silence all;
  all.during([] {
    start(2);
    static std::mutex mutex;
    static std::atomic<bool> is_held = false;
    weft::thread holder({.worker = 1}, [] {
      const std::lock_guard hold(mutex);
      is_held = true;
      sleep_ms(quiet_ms);
    });
    while (!is_held) sleep_ms(1);
    mutex.lock();
    mutex.unlock();
    holder.join();
  });
}

TEST_CASE("read(2) whose writer is a ready thread of the same worker: possible, after ten seconds, or one with checks") {
  std::vector<running_child> scenes;
  for (const unsigned workers : {1U, 2U}) {
    scenes.push_back(start_child([workers] {
      alarm(100);
      start(workers, WEFT_LOCALITY_STRICT);
      static int ends[2];
      NEED(pipe(ends) == 0);
      weft::thread writer({.name = "writer"}, [] { NEED(write(ends[1], "!", 1) == 1); });
      char got;
      return static_cast<int>(read(ends[0], &got, 1));
    }));
  }
  for (const running_child& each : scenes) {
    const child_end end = end_when_told(each, "cure: ");
    INFO(end.errors);
    CHECK(end.signal == SIGKILL);
    CHECK(end.says("weft: possible standstill: worker 0 has been in main for 1"));
    CHECK(end.says("sleeps in the kernel, in read of pipe:["));
    CHECK(end.says(": if a thread that waits for this worker is to end that, neither goes on\n"));
    CHECK(end.says("1 ready thread waits for this worker"));
    CHECK(end.says("cure: wrap the call in weft_blocking"));
  }
}

TEST_CASE("silent: waits that others end soon, or outside") {
  silence all;
  for (const unsigned workers : {1U, 2U}) {
    if (!weft::test::is_checked_build())
      all.during([workers] {  // read(2), with a ready thread: not with checks
        start(workers, WEFT_LOCALITY_STRICT);
        int ends[2];
        NEED(pipe(ends) == 0);
        const pid_t writer = fork();
        if (writer == 0) {
          sleep_ms(quiet_ms);
          _exit(write(ends[1], "!", 1) == 1 ? 0 : 1);
        }
        weft::thread waits([] {});
        char got;
        NEED(read(ends[0], &got, 1) == 1);
        waits.join();
      });
    all.during([workers] {  // a condition that an OS thread signals soon, again and again
      start(workers, WEFT_LOCALITY_STRICT);
      weft::thread waits([] {});
      sem_t posted;
      NEED(sem_init(&posted, 0, 0) == 0);
      std::thread other([&posted] {
        for (int time = 0; time < 10; ++time) {
          sleep_ms(quiet_ms / 10);
          sem_post(&posted);
        }
      });
      for (int time = 0; time < 10; ++time) {
        while (sem_wait(&posted) != 0) {
        }
      }
      other.join();
      waits.join();
    });
  }
}

TEST_CASE("silent: a lock that another OS thread holds, and waits behind which no thread waits") {
  silence all;
  for (const unsigned workers : {1U, 2U}) {
    all.during([workers] {  // a lock that another OS thread holds
      start(workers, WEFT_LOCALITY_STRICT);
      static std::mutex mutex;
      static std::atomic<bool> is_held = false;
      std::thread holder([] {
        const std::lock_guard hold(mutex);
        is_held = true;
        sleep_ms(quiet_ms);
      });
      while (!is_held) sleep_ms(1);
      weft::thread waits([] {});
      {
        const std::lock_guard hold(mutex);
      }
      holder.join();
      waits.join();
    });
    all.during([workers] {  // no ready thread
      start(workers, WEFT_LOCALITY_STRICT);
      std::thread other([] { sleep_ms(quiet_ms); });
      other.join();
    });
  }
  all.during([] {
    setenv("WEFT_DEADLOCK", "off", 1);
    start(1);
    weft::thread waits([] {});
    std::thread other([] { sleep_ms(quiet_ms); });
    other.join();
    waits.join();
  });
}

TEST_CASE("one worker: no signal comes where no thread waits, and at most one call fails by one") {
  silence all;
  all.during([] {
    start(1);
    weft::thread([] {}).join();
    // A signal that comes because of the thread may hit no call of the kernel.
    const std::uint64_t over_ns = weft_deadline_in(1'500'000'000);
    while (weft_now_ns() < over_ns) {
    }
    timespec time{quiet_ms / 1000, 0};
    NEED(nanosleep(&time, nullptr) == 0);
  });
  all.during([] {
    start(1);
    int failed = 0;
    weft::thread waits([] {});
    for (int each = 0; each < 3; ++each) {
      timespec time{2, 0};
      if (nanosleep(&time, nullptr) != 0 && errno == EINTR) ++failed;
    }
    NEED(failed <= 1);
    waits.join();
  });
}

TEST_CASE("a runtime of one worker has no second OS thread, and its locks know that") {
  const child_end end = run_in_child([] {
    start(1);
    weft::thread([] {}).join();
    NEED(__libc_single_threaded);
    int tasks = 0;
    DIR* folder = opendir("/proc/self/task");
    NEED(folder != nullptr);
    while (const dirent* entry = readdir(folder)) tasks += entry->d_name[0] != '.';
    NEED(closedir(folder) == 0 && tasks == 1);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  CHECK(end.exit_code == 0);
}
