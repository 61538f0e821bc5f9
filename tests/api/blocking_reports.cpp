// What reports say of blocking regions. Each scene runs in a child.
#include <doctest/doctest.h>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <weft/weft.h>

#include "../support/scene.hpp"

using scene::make;
using scene::sleep_ms;
using scene::start;
using weft::test::child_end;
using weft::test::run_in_child;

namespace {

int ends[2];

void read_one(void*) {
  char byte;
  NEED(read(ends[0], &byte, 1) == 1);
}
void write_one() { NEED(write(ends[1], "x", 1) == 1); }

void read_in_region(void*) { NEED(weft_blocking(read_one, nullptr) == WEFT_OK); }

// Until the thread's worker is run by another OS thread.
void wait_until_away(const weft_thread* one) {
  while (weft_thread_get_state(one) != WEFT_THREAD_BLOCKED) weft_yield();
}

}  // namespace

namespace {

unsigned os_threads_now() {
  unsigned count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

}  // namespace

TEST_CASE("OS threads that were made for regions end once they are not needed") {
  const child_end end = run_in_child([] {
    alarm(200);
    NEED(pipe(ends) == 0);
    start(1);
    constexpr unsigned many = 10;
    weft_thread* readers[many];
    for (weft_thread*& each : readers) {
      each = make(read_in_region, nullptr, nullptr);
      wait_until_away(each);
    }
    NEED(os_threads_now() >= many);
    for (unsigned each = 0; each < many; ++each) write_one();
    for (weft_thread* const each : readers) NEED(weft_thread_join(each) == WEFT_OK);
    constexpr unsigned left = 3;  // main, the watchdog, the region guard
    while (os_threads_now() > left) NEED(weft_sleep_ns(50'000'000) == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("under a schedule a region means nothing") {
  const child_end end = run_in_child([] {
    setenv("WEFT_SCHEDULE", "seed:1", 1);
    start(2);
    bool was_worker = false;
    const weft_function look = [](void* seen) { *static_cast<bool*>(seen) = weft_worker_self() >= 0; };
    NEED(weft_blocking(look, &was_worker) == WEFT_OK && was_worker);
    NEED(weft_blocking_begin() == WEFT_OK && weft_blocking_end() == WEFT_OK && weft_blocking_end() == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("a child of fork that is made in a region has none") {
  const child_end end = run_in_child([] {
    start(2);
    NEED(weft_blocking_begin() == WEFT_OK);
    const pid_t child = ::fork();
    NEED(child >= 0);
    if (child == 0) {
      const weft_status ended = weft_blocking_end();
      _exit(ended == WEFT_OK || ended == WEFT_UNSUPPORTED ? 0 : 1);
    }
    int status = 1;
    NEED(waitpid(child, &status, 0) == child && status == 0);
    NEED(weft_blocking_end() == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("a dump says which thread is in a blocking call") {
  const child_end end = run_in_child([] {
    NEED(pipe(ends) == 0);
    start(1);
    weft_thread* const reader = make(read_in_region, nullptr, "reader");
    wait_until_away(reader);
    NEED(weft_dump(STDERR_FILENO) == WEFT_OK);
    write_one();
    NEED(weft_thread_join(reader) == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("\"reader\" (read_in_region): waits for the end of a blocking call"));
}

TEST_CASE("threads that wait for a thread in a blocking call are no deadlock") {
  const child_end end = run_in_child([] {
    NEED(pipe(ends) == 0);
    start(2);
    weft_thread* const reader = make(read_in_region, nullptr, nullptr);
    NEED(weft_thread_detach(reader) == WEFT_OK);
    NEED(weft_blocking_begin() == WEFT_OK);
    sleep_ms(1500);
    write_one();
    NEED(weft_blocking_end() == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.errors.empty());
}

TEST_CASE("a thread in a blocking call that waits for a lock of OS threads makes a deadlock a possible one") {
  const child_end end = run_in_child([] {
    setenv("WEFT_DEADLOCK", "abort", 1);
    alarm(100);
    start(2);
    static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
    NEED(pthread_mutex_lock(&held) == 0);
    const auto lock_in_region = [](void*) {
      NEED(weft_blocking([](void* lock) { pthread_mutex_lock(static_cast<pthread_mutex_t*>(lock)); }, &held) == WEFT_OK);
    };
    weft_thread* const locker = make(lock_in_region, nullptr, "locker");
    static_cast<void>(weft_thread_join(locker));
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("weft: possible deadlock: "));
  CHECK(end.says("\"locker\""));
  CHECK(end.says("waits for the end of a blocking call"));
}

TEST_CASE("the end of the runtime waits for a thread in a blocking call, which a dump names") {
  const child_end end = run_in_child([] {
    std::signal(SIGQUIT, SIG_DFL);
    NEED(pipe(ends) == 0);
    start(1);
    weft_thread* const reader = make(read_in_region, nullptr, "reader");
    wait_until_away(reader);
    NEED(weft_thread_detach(reader) == WEFT_OK);
    const pid_t waits = getpid();
    if (fork() == 0) {
      sleep_ms(300);
      _exit(kill(waits, SIGQUIT));
    }
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGQUIT);
  CHECK(end.says("\"reader\" (read_in_region): waits for the end of a blocking call"));
}

TEST_CASE("OS threads that are spare do not hide a deadlock") {
  const child_end end = run_in_child([] {
    setenv("WEFT_DEADLOCK", "abort", 1);
    setenv("WEFT_BLOCKING", "0", 1);
    alarm(100);
    NEED(pipe(ends) == 0);
    start(2);
    for (int round = 0; round < 3; ++round) {
      weft_thread* const reader = make(read_in_region, nullptr, nullptr);
      wait_until_away(reader);
      write_one();
      NEED(weft_thread_join(reader) == WEFT_OK);
    }
    weft_event never = WEFT_EVENT_INIT;
    static_cast<void>(weft_event_wait(&never));
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("weft: deadlock: "));
  CHECK_FALSE(end.says("weft-spare"));
}

TEST_CASE("where no more OS threads are allowed, a line says so, and the worker waits with its thread") {
  const child_end end = run_in_child([] {
    setenv("WEFT_BLOCKING_THREADS", "1", 1);
    NEED(pipe(ends) == 0);
    start(1);
    weft_thread* readers[3];
    for (weft_thread*& each : readers) each = make(read_in_region, nullptr, nullptr);
    for (int each = 0; each < 3; ++each) write_one();
    for (weft_thread* each : readers) NEED(weft_thread_join(each) == WEFT_OK);
    weft_thread* const last = make(
        [](void*) {
          NEED(weft_blocking_begin() == WEFT_OK);
          sleep_ms(50);
          NEED(weft_blocking_end() == WEFT_OK);
        },
        nullptr, nullptr);
    weft_thread* const beside = make(
        [](void*) {
          NEED(weft_blocking_begin() == WEFT_OK);
          sleep_ms(50);
          NEED(weft_blocking_end() == WEFT_OK);
        },
        nullptr, nullptr);
    NEED(weft_thread_join(last) == WEFT_OK);
    NEED(weft_thread_join(beside) == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(scene::count(end.errors, "all 1 OS threads that WEFT_BLOCKING_THREADS allows are in blocking calls") == 1);
}

namespace {

struct line {
  int ends[2];
};

void read_line_in_region(void* given) {
  const weft_function call = [](void* argument) {
    char byte;
    NEED(read(static_cast<line*>(argument)->ends[0], &byte, 1) == 1);
  };
  NEED(weft_blocking(call, given) == WEFT_OK);
}
// On worker 1, to which it is not pinned, so that its OS thread becomes spare.
void read_line_on_worker_1(void* given) {
  NEED(weft_pin(1) == WEFT_OK && weft_pin(WEFT_ANY_WORKER) == WEFT_OK && weft_worker_self() == 1);
  read_line_in_region(given);
}

weft_thread* make_reader(line* what, weft_function function, const char* name, int worker) {
  NEED(pipe(what->ends) == 0);
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = name;
  attr.worker = worker;
  weft_thread* made = nullptr;
  NEED(weft_thread_create(function, what, &attr, &made) == WEFT_OK);
  return made;
}

std::string dumped() {
  const int file = memfd_create("dump", 0);
  NEED(file >= 0 && weft_dump(file) == WEFT_OK);
  std::string all(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), ' ');
  NEED(pread(file, all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()) && close(file) == 0);
  return all;
}

void await_in_dump(const char* wanted) {
  while (dumped().find(wanted) == std::string::npos) weft_yield();
}

}  // namespace

namespace {

constexpr int is_not_limited = 77;

// RLIMIT_NPROC does not concern root, so another user is needed. False: OS threads can be made still.
bool refuse_os_threads() {
  constexpr uid_t no_user = 65534;
  if (geteuid() == 0 && setuid(no_user) != 0) return false;
  const rlimit one{1, 1};
  pthread_t made{};
  if (setrlimit(RLIMIT_NPROC, &one) != 0) return false;
  const int result = pthread_create(&made, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
  if (result == 0) NEED(pthread_join(made, nullptr) == 0);
  return result == EAGAIN;
}

// The thread of worker 1 has the only OS thread beside those of the workers.
int queue_in_order(bool is_refused_by_system) {
  if (!is_refused_by_system) setenv("WEFT_BLOCKING_THREADS", "1", 1);
  alarm(200);
  start(3);
  static line all[3];
  weft_thread* readers[3];
  readers[0] = make_reader(&all[0], read_line_on_worker_1, "before", WEFT_ANY_WORKER);
  wait_until_away(readers[0]);
  if (is_refused_by_system && !refuse_os_threads()) return is_not_limited;
  readers[1] = make_reader(&all[1], read_line_in_region, "first", 2);
  await_in_dump(
      "\"first\" (read_line_in_region): running on worker 2, in a blocking call, with which the worker waits: no OS thread is "
      "left for it (WEFT_BLOCKING_THREADS), place 1 in the queue for one");
  readers[2] = make_reader(&all[2], read_line_in_region, "second", 1);  // the guard comes by worker 1 first
  await_in_dump("\"second\" (read_line_in_region): running on worker 1, in a blocking call, with which the worker waits");
  NEED(dumped().find("place 2 in the queue for one") != std::string::npos);
  NEED(write(all[0].ends[1], "x", 1) == 1);
  while (weft_thread_get_state(readers[1]) != WEFT_THREAD_BLOCKED) NEED(weft_thread_get_state(readers[2]) == WEFT_THREAD_RUNNING);
  NEED(weft_thread_get_state(readers[2]) == WEFT_THREAD_RUNNING);
  await_in_dump("place 1 in the queue for one");
  for (line& each : all) static_cast<void>(write(each.ends[1], "x", 1));
  for (weft_thread* const each : readers) NEED(weft_thread_join(each) == WEFT_OK);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}

}  // namespace

TEST_CASE("calls for which no OS thread is left get one in the order in which they came, and a dump tells their places") {
  const child_end end = run_in_child([] { return queue_in_order(false); });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("calls for which the system refuses an OS thread (RLIMIT_NPROC) are served in order, and a line says so") {
  const child_end end = run_in_child([] { return queue_in_order(true); });
  if (end.exit_code == is_not_limited) {
    MESSAGE("not tested: this user may make OS threads beyond RLIMIT_NPROC");
    return;
  }
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(scene::count(end.errors, "warning: the system refuses an OS thread for a worker whose thread is in a blocking call") ==
        1);
  CHECK(end.says("cure: raise the limit (ulimit -u), or lower WEFT_BLOCKING_THREADS"));
}

namespace {

void set_up_one_spare(bool is_refused_by_system) {
  alarm(100);
  if (!is_refused_by_system) setenv("WEFT_BLOCKING_THREADS", "1", 1);
}

// The first one's worker has the only OS thread that is spare when the second one's region begins.
// The first one comes back all the same.
int come_back_beside_another_region(bool is_refused_by_system) {
  set_up_one_spare(is_refused_by_system);
  start(2);
  static line all[2];
  weft_thread* const first = make_reader(&all[0], read_line_in_region, "first", 1);
  wait_until_away(first);
  if (is_refused_by_system && !refuse_os_threads()) return is_not_limited;
  weft_thread* const second = make_reader(&all[1], read_line_in_region, "second", 1);
  await_in_dump("\"second\" (read_line_in_region): running on worker 1, in a blocking call, with which the worker waits");
  NEED(write(all[0].ends[1], "x", 1) == 1);
  NEED(weft_thread_join(first) == WEFT_OK);
  wait_until_away(second);
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = 1;
  weft_thread* third = nullptr;  // the worker runs others now
  NEED(weft_thread_create([](void*) {}, nullptr, &attr, &third) == WEFT_OK && weft_thread_join(third) == WEFT_OK);
  NEED(write(all[1].ends[1], "x", 1) == 1);
  NEED(weft_thread_join(second) == WEFT_OK);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}

}  // namespace

TEST_CASE("a pinned thread whose region ends runs its worker itself if another region of that worker keeps it") {
  const child_end end = run_in_child([] { return come_back_beside_another_region(false); });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("where the system refuses OS threads, too") {
  const child_end end = run_in_child([] { return come_back_beside_another_region(true); });
  if (end.exit_code == is_not_limited) {
    MESSAGE("not tested: this user may make OS threads beyond RLIMIT_NPROC");
    return;
  }
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("two OS threads with a region each take their worker from each other") {
  const child_end end = run_in_child([] {
    set_up_one_spare(false);
    start(1);
    static line lines[2];
    static std::atomic<bool> has_begun_second{false};
    NEED(pipe(lines[1].ends) == 0);
    const weft_function read_twice = [](void*) {
      read_line_in_region(&lines[0]);
      has_begun_second = true;
      read_line_in_region(&lines[1]);
    };
    weft_thread* const reader = make_reader(&lines[0], read_twice, "reader", 0);
    wait_until_away(reader);  // on main's OS thread
    NEED(weft_blocking_begin() == WEFT_OK);
    NEED(write(lines[0].ends[1], "x", 1) == 1);
    while (!has_begun_second) sleep_ms(1);
    NEED(weft_blocking_end() == WEFT_OK);
    NEED(weft_thread_join(make([](void*) {}, nullptr, nullptr)) == WEFT_OK);
    NEED(write(lines[1].ends[1], "x", 1) == 1);
    NEED(weft_thread_join(reader) == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

// It has given its worker to the reader, and waits for it on its carrier, as the last in the queue.
TEST_CASE("main's OS thread takes its worker back from a region, also while it runs no thread") {
  const child_end end = run_in_child([] {
    set_up_one_spare(false);
    start(1);
    static line lines[2];
    static std::atomic<int> begun{0};
    NEED(pipe(lines[1].ends) == 0);
    const weft_function read_twice = [](void*) {
      begun = 1;
      read_line_in_region(&lines[0]);
      begun = 2;
      read_line_in_region(&lines[1]);
    };
    weft_thread* const reader = make_reader(&lines[0], read_twice, "reader", 0);
    NEED(weft_blocking_begin() == WEFT_OK);  // the reader runs on the OS thread that is spare
    while (begun != 1) sleep_ms(1);
    NEED(weft_blocking_end() == WEFT_OK);
    NEED(write(lines[0].ends[1], "x", 1) == 1);
    while (begun != 2) NEED(weft_sleep_ns(1'000'000) == WEFT_OK);
    for (int round = 0; round < 3; ++round) NEED(weft_sleep_ns(1'000'000) == WEFT_OK);
    NEED(write(lines[1].ends[1], "x", 1) == 1);
    NEED(weft_thread_join(reader) == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("an OS thread that ends inside of a region ends the program, with the cure") {
#if defined(__SANITIZE_ADDRESS__)  // takes the stack of an OS thread of the library's for left
  const int workers[] = {0};
#else
  const int workers[] = {0, 1};
#endif
  for (const int worker : workers) {
    const child_end end = run_in_child([worker] {
      start(2);
      weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
      attr.worker = worker;
      weft_thread* one = nullptr;
      const weft_function leave = [](void*) {
        NEED(weft_blocking_begin() == WEFT_OK);
        sleep_ms(20);
        pthread_exit(nullptr);
      };
      NEED(weft_thread_create(leave, nullptr, &attr, &one) == WEFT_OK);
      static_cast<void>(weft_thread_join(one));
      return 0;
    });
    INFO(worker, "\n", end.errors);
    CHECK(end.signal == SIGABRT);
    CHECK(end.says("inside a blocking region of a thread; cure: return from the call"));
  }
}

#if !defined(__SANITIZE_ADDRESS__)  // whose handlers come first

namespace {

[[gnu::noinline]] int dive(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  return depth > 0 ? dive(depth - 1) + frame[0] : 0;
}
void dive_deep(void*) { static_cast<void>(dive(1'000'000)); }
void dive_late(void*) {
  sleep_ms(30);
  dive_deep(nullptr);
}

void die_in_region(weft_function how) {
  start(2);
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = "diver";
  attr.worker = 1;
  weft_thread* one = nullptr;
  NEED(weft_thread_create([](void* call) { static_cast<void>(weft_blocking(reinterpret_cast<weft_function>(call), nullptr)); },
                          reinterpret_cast<void*>(how), &attr, &one) == WEFT_OK);
  static_cast<void>(weft_thread_join(one));
}

}  // namespace

TEST_CASE("an overflow in a region is told of the thread, before and after its worker has gone") {
  for (const bool is_late : {false, true}) {
    const child_end end = run_in_child([is_late] {
      die_in_region(is_late ? dive_late : dive_deep);
      return 0;
    });
    INFO(end.errors);
    CHECK(end.signal == SIGSEGV);
    CHECK(end.says("weft: fatal: stack overflow in thread"));
    CHECK(end.says("\"diver\""));
    CHECK(end.says(", in a blocking region\n"));
    CHECK(end.says("cure: raise stack_bytes of its weft_thread_attr, or for all threads WEFT_STACK_SIZE"));
  }
}

TEST_CASE("another death in a region names the thread") {
  const child_end end = run_in_child([] {
    die_in_region([](void*) {
      sleep_ms(30);
      std::abort();
    });
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("\"diver\""));
  CHECK(end.says(", in a blocking region: SIGABRT, on a stack of 192 KiB"));
}

#endif
