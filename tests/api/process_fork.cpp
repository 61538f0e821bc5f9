// fork() of the process: a child made while the runtime runs is refused every call that would need
// it, never hangs, and may exec or exit; before weft_init and after weft_finalize a child is a
// process like any other.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <weft/ext.h>
#include <weft/loops.h>
#include <weft/weft.hpp>

#include "../support/child.hpp"

extern "C" char** environ;

#if defined(__SANITIZE_THREAD__)
// Its own rule, which our children do not need: no OS threads in a child of a process that had
// several.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }
#endif

namespace {

using weft::test::child_end;

// A child that hangs ends by SIGALRM.
constexpr unsigned patience_seconds = 60;

template <class Body>
child_end in_child(Body body) {
  return weft::test::run_in_child([&] {
    alarm(patience_seconds);
    return body();
  });
}

bool is_refused(weft_status status) { return status == WEFT_UNSUPPORTED; }

struct objects {
  weft_mutex mutex = WEFT_MUTEX_INIT;
  weft_cond cond = WEFT_COND_INIT;
  weft_rwlock lock = WEFT_RWLOCK_INIT;
  weft_semaphore semaphore = {{1, 0, 0, 0}};
  weft_barrier barrier = {};
  weft_event event = WEFT_EVENT_INIT;
  weft_once once = WEFT_ONCE_INIT;
  weft_future future = WEFT_FUTURE_INIT;
  std::uint64_t word = 0;
};

void nothing(void*) {}

int needs_no_thread(weft_thread* of_parent) {
  weft_thread* made = nullptr;
  NEED(is_refused(weft_thread_create(nothing, nullptr, nullptr, &made)));
  NEED(is_refused(weft_thread_create(nothing, nullptr, nullptr, nullptr)));
  NEED(is_refused(weft_tasklet_create(nothing, nullptr, nullptr, &made)));
  NEED(is_refused(weft_thread_create_many(nothing, nullptr, 0, 1, nullptr, &made)));
  NEED(made == nullptr);
  NEED(is_refused(weft_thread_join(of_parent)) && is_refused(weft_thread_try_join(of_parent)));
  NEED(is_refused(weft_thread_join_until(of_parent, 0)) && is_refused(weft_thread_detach(of_parent)));
  NEED(is_refused(weft_resume(of_parent)) && is_refused(weft_yield_to(of_parent)) && is_refused(weft_suspend()));
  NEED(is_refused(weft_thread_migrate_to_worker(of_parent, 0)) && is_refused(weft_pin(0)));
  NEED(is_refused(weft_ext_yield_to_owned(of_parent, false)));
  NEED(is_refused(weft_ext_frames(of_parent, [](void*, const void*, const char*) {}, nullptr)));
  NEED(is_refused(weft_ext_yield_in_pool([](void*, weft_thread*) { return true; }, nullptr)));
  weft_ext_unpark(of_parent);
  weft_ext_yield_as_new();
  return 0;
}

int needs_no_object(objects* all) {
  NEED(is_refused(weft_mutex_lock(&all->mutex)) && is_refused(weft_mutex_try_lock(&all->mutex)));
  NEED(is_refused(weft_mutex_unlock(&all->mutex)) && is_refused(weft_cond_wait(&all->cond, &all->mutex)));
  NEED(is_refused(weft_cond_signal(&all->cond)) && is_refused(weft_rwlock_read_lock(&all->lock)));
  NEED(is_refused(weft_semaphore_acquire(&all->semaphore)) && is_refused(weft_semaphore_release(&all->semaphore, 1)));
  NEED(is_refused(weft_barrier_wait(&all->barrier, nullptr)) && is_refused(weft_event_wait(&all->event)));
  NEED(is_refused(weft_event_set(&all->event)) && is_refused(weft_once_call(&all->once, nothing, nullptr)));
  void* value = nullptr;
  NEED(is_refused(weft_future_get(&all->future, &value)) && is_refused(weft_future_set(&all->future, nullptr)));
  NEED(is_refused(weft_feb_read_fe(&all->word, nullptr)) && is_refused(weft_feb_write_ef(&all->word, 1)));
  NEED(is_refused(weft_feb_fill(&all->word)) && !weft_feb_is_full(&all->word));
  return 0;
}

int needs_no_runtime() {
  unsigned worker = 0;
  weft_pool* pool = nullptr;
  weft_key key{};
  weft_stats stats = WEFT_STATS_INIT;
  NEED(is_refused(weft_init(nullptr)) && is_refused(weft_finalize()) && !weft_is_initialized());
  NEED(is_refused(weft_worker_add(&worker)) && is_refused(weft_worker_remove(1)) && weft_worker_count() == 0);
  NEED(is_refused(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool)) && is_refused(weft_key_create(nullptr, &key)));
  NEED(is_refused(weft_stats_read(WEFT_ANY_WORKER, &stats)) && is_refused(weft_dump(STDERR_FILENO)));
  NEED(weft_self() == nullptr && weft_worker_self() == -1);
  return 0;
}

long fib(long n) {
  if (n < 2) return n;
  auto left = weft::fork([=] { return fib(n - 1); });
  const long right = fib(n - 2);
  return left.join() + right;
}

void add_part(std::size_t from, std::size_t to, void* sum) { *static_cast<std::size_t*>(sum) += to - from; }

// Forks and loops run in their caller; yields and sleeps are the kernel's.
int still_does_the_rest() {
  NEED(fib(12) == 144);
  std::size_t sum = 0;
  NEED(weft_parallel_for(0, 1000, 0, add_part, &sum) == WEFT_OK && sum == 1000);
  weft_yield();
  NEED(weft_sleep_ns(1000) == WEFT_OK && weft_now_ns() != 0);
  return 0;
}

template <class Call>
bool throws_refusal(Call call) {
  try {
    call();
  } catch (const weft::error& refusal) {
    return is_refused(refusal.status());
  }
  return false;
}

int throws_instead() {
  weft::mutex mutex;
  NEED(throws_refusal([] { weft::thread([] {}).detach(); }));
  NEED(throws_refusal([&] { mutex.lock(); }));
  NEED(throws_refusal([] { weft::runtime runtime({.workers = 1}); }));
  return 0;
}

int is_left_behind(weft_thread* of_parent, objects* all) {
  if (const int line = needs_no_thread(of_parent); line != 0) return line;
  if (const int line = needs_no_object(all); line != 0) return line;
  if (const int line = needs_no_runtime(); line != 0) return line;
  if (const int line = throws_instead(); line != 0) return line;
  return still_does_the_rest();
}

int needs_a_runtime_of_its_own() {
  weft::runtime runtime({.workers = 3});
  std::atomic<int> count = 0;
  std::vector<weft::thread> threads;
  for (int i = 0; i < 50; ++i) threads.emplace_back([&] { ++count; });
  for (weft::thread& each : threads) each.join();
  return count == 50 ? 0 : 1;
}

// What a ULT with a small stack of its own does, on a worker other than the main OS thread's.
template <class Body>
void on_other_worker(Body body) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = 1;
  weft_thread* made = nullptr;
  const auto call = [](void* given) { (*static_cast<Body*>(given))(); };
  REQUIRE(weft_thread_create(call, &body, &attr, &made) == WEFT_OK);
  REQUIRE(weft_thread_join(made) == WEFT_OK);
}

// A runtime with a thread that waits. For cases, not subcases: of a fatal error within one doctest
// (2.4.9) dies before it has told.
class parent {
 public:
  ~parent() {
    CHECK(weft_event_set(&all.event) == WEFT_OK);
    waiter.join();
  }

  child_end leaves_behind() {
    return in_child([this] { return is_left_behind(waiter.native_handle(), &all); });
  }

 private:
  weft::runtime runtime{{.workers = 3}};
  objects all;
  weft::thread waiter{[this] { CHECK(weft_event_wait(&all.event) == WEFT_OK); }};
};

}  // namespace

TEST_CASE_FIXTURE(parent, "a child made while the runtime runs is refused what needs its threads, and runs the rest") {
  const child_end child = leaves_behind();
  CHECK(child.exit_code == 0);
  CHECK(child.says("weft_init: this process is a child of fork()"));
  CHECK(child.says("exec"));
}

TEST_CASE_FIXTURE(parent, "so is one that a thread on another worker makes") {
  on_other_worker([&] { CHECK(leaves_behind().exit_code == 0); });
}

TEST_CASE_FIXTURE(parent, "so is one that an OS thread outside makes") {
  std::thread([&] { CHECK(leaves_behind().exit_code == 0); }).join();
}

TEST_CASE_FIXTURE(parent, "so is a child of the child") {
  CHECK(in_child([&] { return leaves_behind().exit_code; }).exit_code == 0);
}

TEST_CASE_FIXTURE(parent, "keys in the child: a thread's begin without values, an OS thread outside has its own") {
  weft_key key{};
  REQUIRE(weft_key_create(nullptr, &key) == WEFT_OK);
  const auto fork_with_value = [&](bool stays) {
    int before = 0, after = 0;
    CHECK(weft_key_set(key, &before) == WEFT_OK);
    const child_end child = in_child([&] {
      NEED(weft_key_get(key) == (stays ? &before : nullptr));
      NEED(weft_key_set(key, &after) == WEFT_OK && weft_key_get(key) == &after);
      return 0;
    });
    CHECK(child.exit_code == 0);
    CHECK(weft_key_get(key) == &before);
    CHECK(weft_key_set(key, nullptr) == WEFT_OK);
  };
  fork_with_value(false);
  on_other_worker([&] { fork_with_value(false); });
  std::thread([&] { fork_with_value(true); }).join();
  CHECK(weft_key_delete(key) == WEFT_OK);
}

TEST_CASE("a thread that returns in the child ends it with a line") {
  weft::runtime runtime({.workers = 2});
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  pid_t child = -1;
  on_other_worker([&] {
    child = ::fork();
    if (child != 0) return;
    dup2(ends[1], STDERR_FILENO);
    weft::test::detail::die_plainly();
    alarm(patience_seconds);
  });
  close(ends[1]);
  child_end end;
  end.errors = weft::test::detail::read_to_end(ends[0]);
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
  CHECK(end.says("the end of a thread in a child of fork()"));
}

TEST_CASE("a fork of the parent's that is joined in the child ends it with a line") {
  weft::runtime runtime({.workers = 1});
  auto forked = weft::fork([] { return 1; });
  const child_end child = in_child([&] { return forked.join(); });
  CHECK(child.signal == SIGABRT);
  CHECK(child.says("weft_fork_join of a fork of the parent's in a child of fork()"));
  CHECK(forked.join() == 1);
}

TEST_CASE("locks that others hold at the fork hold nobody up") {
  weft::runtime runtime({.workers = 4});
  objects all;
  weft::thread waiter([&] { CHECK(weft_event_wait(&all.event) == WEFT_OK); });
  std::atomic<bool> is_over = false;
  std::vector<weft::thread> busy;
  for (int i = 0; i < 8; ++i) {
    busy.emplace_back([&] {
      while (!is_over) {
        static_cast<void>(weft_mutex_lock(&all.mutex));
        weft::thread([] {}).join();
        static_cast<void>(weft_mutex_unlock(&all.mutex));
        static_cast<void>(weft_semaphore_acquire(&all.semaphore));
        weft::this_thread::yield();
        static_cast<void>(weft_semaphore_release(&all.semaphore, 1));
      }
    });
  }
  for (int round = 0; round < (IS_SLOW ? 3 : 20); ++round) {
    CHECK(in_child([&] { return is_left_behind(waiter.native_handle(), &all); }).exit_code == 0);
    weft::this_thread::yield();
  }
  is_over = true;
  for (weft::thread& each : busy) each.join();
  CHECK(weft_event_set(&all.event) == WEFT_OK);
  waiter.join();
}

TEST_CASE("exec, posix_spawn, system, popen and vfork from a thread") {
  weft::runtime runtime({.workers = 2});
  on_other_worker([] {
    char program[] = "/bin/sh", option[] = "-c", script[] = "exit 7";
    char* const words[] = {program, option, script, nullptr};
    CHECK(in_child([&] { return execv(program, words); }).exit_code == 7);
    pid_t child = -1;
    int status = -1;
    REQUIRE(posix_spawn(&child, program, nullptr, nullptr, words, environ) == 0);
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 7);
    CHECK(WEXITSTATUS(std::system(script)) == 7);
    std::FILE* const reads = popen(script, "r");
    REQUIRE(reads != nullptr);
    CHECK(WEXITSTATUS(pclose(reads)) == 7);
    child = vfork();
    if (child == 0) {
      execv(program, words);
      _exit(1);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 7);
  });
  CHECK(fib(12) == 144);
}

TEST_CASE("a child that leaves by exit, or by the end of the runtime's object, ends well") {
  const child_end child = in_child([] {
    weft::runtime runtime({.workers = 2});
    const pid_t grandchild = ::fork();
    if (grandchild == 0) return 0;
    int status = -1;
    NEED(waitpid(grandchild, &status, 0) == grandchild && status == 0);
    return 0;
  });
  CHECK(child.exit_code == 0);
#if !defined(__SANITIZE_ADDRESS__)  // which calls the parent's runtime a leak
  weft::runtime runtime({.workers = 2});
  CHECK(in_child([]() -> int { std::exit(3); }).exit_code == 3);
#endif
}

TEST_CASE("before weft_init and after weft_finalize a child may have a runtime of its own") {
  weft_mutex used_before = WEFT_MUTEX_INIT;
  std::thread([&] { CHECK(weft_mutex_lock(&used_before) == WEFT_OK); }).join();
  CHECK(in_child(needs_a_runtime_of_its_own).exit_code == 0);
  CHECK(needs_a_runtime_of_its_own() == 0);
  CHECK(in_child(needs_a_runtime_of_its_own).exit_code == 0);
  CHECK(in_child([] { return needs_a_runtime_of_its_own() + in_child(needs_a_runtime_of_its_own).exit_code; }).exit_code == 0);
  CHECK(needs_a_runtime_of_its_own() == 0);
}

TEST_CASE("OS threads that waited at the fork are not the child's") {
  const auto dump = [] {
    weft::runtime runtime({.workers = 1});
    NEED(weft_dump(STDERR_FILENO) == WEFT_OK);
    return 0;
  };
  weft_event event = WEFT_EVENT_INIT;
  std::atomic<bool> is_there = false;
  std::thread waiter([&] {
    weft_yield();
    weft_key key{};
    CHECK(weft_key_create(nullptr, &key) == WEFT_OK);
    CHECK(weft_key_set(key, nullptr) == WEFT_OK);  // from now on Weft knows of this OS thread
    is_there = true;
    CHECK(weft_event_wait(&event) == WEFT_OK);
  });
  while (!is_there) std::this_thread::yield();
  CHECK(needs_a_runtime_of_its_own() == 0);
  const child_end child = in_child(dump);
  CHECK(child.exit_code == 0);
  CHECK(child.lines() > 0);
  CHECK_FALSE(child.says("waits for event"));
  CHECK(weft_event_set(&event) == WEFT_OK);
  waiter.join();
}

TEST_CASE("the signal for dumps is not the child's") {
  const child_end end = in_child([] {
    setenv("WEFT_DUMP_SIGNAL", "usr1", 1);
    weft::runtime runtime({.workers = 2});
    const child_end child = in_child([] {
      struct sigaction now;
      return sigaction(SIGUSR1, nullptr, &now) == 0 && now.sa_handler == SIG_DFL ? 0 : 1;
    });
    return child.exit_code;
  });
  CHECK(end.exit_code == 0);
}
