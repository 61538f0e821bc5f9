// Scopes in which a thread stays on its OS thread, and what the library with checks says of waits
// inside of them, and of waits while the OS thread holds locks. Each scene runs in a child.
#include <doctest/doctest.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include <weft/jthread.hpp>
#include <weft/weft.hpp>

#include "../support/checked_build.hpp"
#include "../support/scene.hpp"

using scene::count;
using scene::expect_well;
using scene::start;
using weft::test::child_end;
using weft::test::is_checked_build;
using weft::test::run_in_child;

namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif
#else
constexpr bool is_sanitized = false;
#endif

#ifdef IS_EMULATED  // an emulator has no process_vm_readv, by which reports read frames and other workers
constexpr bool is_emulated = true;
#else
constexpr bool is_emulated = false;
#endif

// The shared library with checks does.
bool counts_locks() {
  Dl_info info;
  void* const found = dlsym(RTLD_DEFAULT, "pthread_mutex_lock");
  return found != nullptr && dladdr(found, &info) != 0 && std::strstr(info.dli_fname, "libweft") != nullptr;
}

// How many of that many yields move the caller.
int moves_of_yields(int yields) {
  int moves = 0;
  for (int i = 0; i < yields; ++i) {
    const pid_t before = gettid();
    weft::this_thread::yield();
    moves += gettid() != before;
  }
  return moves;
}

// A worker that another thread waits for, so that a yield or a wait leaves the caller.
template <class Body>
void run_beside_ready_thread(Body body) {
  start(1);
  weft::thread other([] {});
  body();
  other.join();
  NEED(weft_finalize() == WEFT_OK);
}

[[gnu::noinline]] void yield_in_scope() {
  weft::thread other([] {});
  NEED(weft_pinned_begin() == WEFT_OK);
  weft_yield();
  NEED(weft_pinned_end() == WEFT_OK);
  other.join();
}

[[gnu::noinline]] void yield_with_lock(std::mutex* mutex) {
  const weft::jthread other([] {});
  const std::lock_guard hold(*mutex);
  weft_yield();
}

}  // namespace

TEST_CASE("a thread moves before and after a scope, and is pinned in between") {
  expect_well([] {
    setenv("WEFT_MIGRATE", "on", 1);
    start(2);
    weft::thread([] {
      NEED(moves_of_yields(100) == 100);
      {
        const weft::pinned outer;
        const weft::pinned inner;
        NEED(is_checked_build() || moves_of_yields(100) == 0);
      }
      NEED(moves_of_yields(100) == 100);
      weft::this_thread::pin(1);
      {
        const weft::pinned in_pin;
      }
      NEED(moves_of_yields(100) == 0 && weft::this_thread::worker() == 1);
    }).join();
    NEED(weft_finalize() == WEFT_OK);
  });
}

TEST_CASE("in a scope no call moves the thread; a scope that is not there does not end") {
  expect_well([] {
    start(2);
    weft::thread([] {
      NEED(weft_pinned_end() == WEFT_NOT_OWNER);
      NEED(std::strstr(weft_last_error(), "weft_pinned_end: no weft_pinned_begin of the caller is open") != nullptr);
      NEED(weft_pinned_begin() == WEFT_OK && weft_pinned_begin() == WEFT_OK && weft_pinned_end() == WEFT_OK);
      NEED(weft_pin(0) == WEFT_BUSY);
      NEED(std::strstr(weft_last_error(), "between weft_pinned_begin and weft_pinned_end") != nullptr);
      NEED(weft_thread_migrate_to_worker(weft_self(), 0) == WEFT_NOT_OWNER);
      NEED(std::strstr(weft_last_error(), "between weft_pinned_begin and weft_pinned_end") != nullptr);
      NEED(weft_pinned_end() == WEFT_OK && weft_pinned_end() == WEFT_NOT_OWNER);
      NEED(weft_pin(0) == WEFT_OK && weft_pin(WEFT_ANY_WORKER) == WEFT_OK);
    }).join();
    NEED(weft_finalize() == WEFT_OK);
  });
}

TEST_CASE("nor does another thread move one that is in a scope") {
  expect_well([] {
    start(2);
    static std::atomic<int> step{0};
    weft::thread inside({.worker = 1}, [] {
      const weft::pinned here;
      step = 1;
      while (step != 2) sched_yield();  // of OS threads: it does not leave
    });
    while (step != 1) weft_yield();
    NEED(weft_thread_migrate_to_worker(inside.native_handle(), 0) == WEFT_NOT_OWNER);
    step = 2;
    inside.join();
    NEED(weft_finalize() == WEFT_OK);
  });
}

TEST_CASE("a move that was asked for before comes first") {
  expect_well([] {
    start(2, WEFT_LOCALITY_STRICT);
    weft::thread([] {
      const int other = 1 - weft::this_thread::worker();
      NEED(weft_thread_migrate_to_worker(weft_self(), static_cast<unsigned>(other)) == WEFT_OK);
      const weft::pinned here;
      NEED(weft::this_thread::worker() == other);
    }).join();
    NEED(weft_finalize() == WEFT_OK);
  });
}

TEST_CASE("a scope means nothing to a tasklet, and to an OS thread outside") {
  expect_well([] {
    NEED(weft_pinned_begin() == WEFT_OK && weft_pinned_end() == WEFT_OK && weft_pinned_end() == WEFT_OK);
    start(1);
    weft_thread* tasklet = nullptr;
    const weft_function scopes = [](void*) { NEED(weft_pinned_begin() == WEFT_OK && weft_pinned_end() == WEFT_OK); };
    NEED(weft_tasklet_create(scopes, nullptr, nullptr, &tasklet) == WEFT_OK);
    NEED(weft_thread_join(tasklet) == WEFT_OK);
    const weft::pinned of_main;
    NEED(weft_pin(0) == WEFT_BUSY);
  });
}

TEST_CASE("a yield, a wait, a join and an end in a scope: the library with checks ends the program, with both places") {
  void (*const scenes[])() = {
      yield_in_scope,
      [] {
        weft::mutex held;
        held.lock();
        weft::thread waits([&] {
          const weft::pinned here;
          held.lock();
        });
        weft::this_thread::yield();
        held.unlock();
        waits.join();
        held.unlock();
      },
      [] {
        weft::thread other([] {});
        const weft::pinned here;
        other.join();
      },
      [] { weft::thread([] { NEED(weft_pinned_begin() == WEFT_OK); }).join(); },
  };
  for (void (*const each)() : scenes) {
    const child_end end = run_in_child([each] {
      run_beside_ready_thread(each);
      return 0;
    });
    INFO(end.errors);
    CHECK((end.signal == SIGABRT) == is_checked_build());
    CHECK((end.exit_code == 0) == !is_checked_build());
    CHECK(end.says(", inside weft_pinned_begin of ") == is_checked_build());
    CHECK(end.says("ended, inside weft_pinned_begin") == (is_checked_build() && each == scenes[3]));
  }
}

TEST_CASE("the report of a scope names the function that waits") {
  const child_end end = run_in_child([] {
    run_beside_ready_thread(yield_in_scope);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.says("main waits or yields, in ") == (is_checked_build() && !is_emulated));
  if (is_checked_build()) CHECK(count(end.errors, "yield_in_scope") == (is_emulated ? 1 : 2));
}

TEST_CASE("a wait with locks of OS threads: the library with checks says it once, with the place") {
  const child_end end = run_in_child([] {
    run_beside_ready_thread([] {
      std::mutex mutex;
      for (int i = 0; i < 3; ++i) yield_with_lock(&mutex);
    });
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(count(end.errors, "weft: warning: main waits or yields") == (counts_locks() ? 1 : 0));
  CHECK(end.says("its OS thread holds 1 lock of OS threads (pthread_mutex_t), taken in ") == counts_locks());
  CHECK(end.says("WEFT_HELD_LOCKS=off ends these lines") == counts_locks());
}

// Two functions that take locks.
[[gnu::noinline]] void take_outer(std::mutex* mutex) {
  mutex->lock();
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void take_and_give(std::mutex* mutex) {
  const std::lock_guard hold(*mutex);
  asm volatile("" ::: "memory");
}

TEST_CASE("each place where locks are taken is told once") {
  const child_end end = run_in_child([] {
    run_beside_ready_thread([] {
      std::mutex mutex;
      for (int i = 0; i < 2; ++i) {
        yield_with_lock(&mutex);
        const weft::jthread other([] {});
        take_outer(&mutex);
        weft::this_thread::yield();
        mutex.unlock();
      }
    });
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(count(end.errors, "weft: warning: main waits or yields") == (counts_locks() ? 2 : 0));
  CHECK(end.says("take_outer") == counts_locks());
}

TEST_CASE("all locks are counted, however many") {
  const child_end end = run_in_child([] {
    run_beside_ready_thread([] {
      std::array<std::mutex, 12> many;
      const weft::jthread other([] {});
      for (std::mutex& each : many) each.lock();
      for (unsigned last = 11; last != 8; --last) many[last].unlock();
      weft::this_thread::yield();
      for (unsigned each = 0; each <= 8; ++each) many[each].unlock();
    });
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("its OS thread holds 9 locks of OS threads (pthread_mutex_t), taken in ") == counts_locks());
}

TEST_CASE("a lock that is taken in a blocking region is told where the thread waits after it") {
  for (const bool is_kept : {true, false}) {
    const child_end end = run_in_child([is_kept] {
      run_beside_ready_thread([is_kept] {
        std::mutex mutex;
        const weft::jthread other([] {});
        NEED(weft_blocking_begin() == WEFT_OK);
        mutex.lock();
        if (!is_kept) mutex.unlock();
        NEED(weft_blocking_end() == WEFT_OK);
        weft::this_thread::yield();
        if (is_kept) mutex.unlock();
      });
      return 0;
    });
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK(end.says("holds 1 lock of OS threads") == (is_kept && counts_locks()));
  }
}

TEST_CASE("the place is that of a lock which is still held") {
  const child_end end = run_in_child([] {
    run_beside_ready_thread([] {
      std::mutex outer, inner;
      const weft::jthread other([] {});
      take_outer(&outer);
      take_and_give(&inner);
      weft::this_thread::yield();
      outer.unlock();
    });
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("take_outer") == counts_locks());
  CHECK_FALSE(end.says("take_and_give"));
}

TEST_CASE("threads that have waited before are looked at in each yield") {
  const child_end end = run_in_child([] {
    start(1);
    std::mutex mutex;
    bool is_over = false;
    const weft::jthread other([&] {
      while (!is_over) weft::this_thread::yield();
    });
    for (int i = 0; i < 10; ++i) weft::this_thread::yield();
    mutex.lock();
    for (int i = 0; i < 10; ++i) weft::this_thread::yield();
    mutex.unlock();
    is_over = true;
    return 0;
  });
  INFO(end.errors);
  CHECK(count(end.errors, "weft: warning: main waits or yields") == (counts_locks() ? 1 : 0));
}

TEST_CASE("a death and a standstill say that the thread went on on another OS thread: in the library with checks") {
  const child_end death = run_in_child([] {
    start(2);
    weft::thread([] {
      weft::this_thread::pin(0);
      weft::this_thread::pin(1);
      std::abort();
    }).join();
    return 0;
  });
  INFO(death.errors);
  CHECK(death.signal == SIGABRT);
  CHECK(death.says("weft:   it went on on another OS thread ") == (is_checked_build() && !is_emulated));
  CHECK(death.says(" before, on that of worker 1 in place of worker 0's") == (is_checked_build() && !is_emulated));
  const child_end quiet = run_in_child([] {
    start(2);
    weft::thread({.worker = 1}, [] {
      for (int i = 0; i < 10; ++i) weft::this_thread::yield();
      std::abort();
    }).join();
    return 0;
  });
  INFO(quiet.errors);
  CHECK(quiet.signal == SIGABRT);
  CHECK_FALSE(quiet.says("another OS thread"));
  const child_end fresh = run_in_child([] {  // its memory was that of threads that moved
    start(2);
    for (int i = 0; i < 20; ++i) {
      weft::thread([] {
        weft::this_thread::pin(0);
        weft::this_thread::pin(1);
      }).join();
    }
    weft::thread([] { std::abort(); }).join();
    return 0;
  });
  INFO(fresh.errors);
  CHECK(fresh.signal == SIGABRT);
  CHECK_FALSE(fresh.says("another OS thread"));
}

TEST_CASE("a death after a move inside of a library's callback names the library") {
  const child_end end = run_in_child([] {
    start(2);
    weft::thread([] {
      weft::this_thread::pin(0);
      int two[] = {2, 1};
      std::qsort(two, 2, sizeof *two, [](const void*, const void*) -> int {
        weft::this_thread::pin(1);
        std::abort();
      });
    }).join();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  const char* const named = is_sanitized ? ", in a call of " : ", in a call of libc.so.6, ";  // which may stand in between
  CHECK(end.says(named) == (is_checked_build() && !is_emulated));
}

TEST_CASE("a thread that ends with a lock is told, and the next one is not blamed") {
  const child_end end = run_in_child([] {
    static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
    start(1);
    weft::thread([] { NEED(pthread_mutex_lock(&left) == 0); }).join();
    for (int i = 0; i < 3; ++i) weft::thread([] { weft::this_thread::yield(); }).join();
    NEED(weft_finalize() == WEFT_OK);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(count(end.errors, " ended, and its OS thread holds 1 lock") == (counts_locks() ? 1 : 0));
  CHECK(count(end.errors, "weft: warning") == (counts_locks() ? 1 : 0));
}

TEST_CASE("silent: locks that were given back, by each way to take them, and WEFT_HELD_LOCKS=off") {
  const child_end given = run_in_child([] {
    run_beside_ready_thread([] {
      pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
      timespec until = {};
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_sec += 100;
      NEED(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_trylock(&mutex) == EBUSY && pthread_mutex_unlock(&mutex) == 0);
      NEED(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
      NEED(pthread_mutex_timedlock(&mutex, &until) == 0 && pthread_mutex_unlock(&mutex) == 0);
      if (!is_sanitized)  // gcc 12's TSan does not see that it takes the lock
        NEED(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &until) == 0 && pthread_mutex_unlock(&mutex) == 0);
      const weft::jthread other([] {});
      weft::this_thread::yield();
    });
    return 0;
  });
  INFO(given.errors);
  CHECK(given.exit_code == 0);
  CHECK(given.errors == "");
  const child_end off = run_in_child([] {
    setenv("WEFT_HELD_LOCKS", "off", 1);
    run_beside_ready_thread([] {
      std::mutex mutex;
      yield_with_lock(&mutex);
    });
    return 0;
  });
  INFO(off.errors);
  CHECK(off.exit_code == 0);
  CHECK(off.errors == "");
}

TEST_CASE("each way to take a lock counts") {
  int (*const ways[])(pthread_mutex_t*) = {
      pthread_mutex_lock,
      pthread_mutex_trylock,
      [](pthread_mutex_t* mutex) {
        const timespec long_ago = {1, 0};  // it is free, so that the time does not matter
        return pthread_mutex_timedlock(mutex, &long_ago);
      },
      [](pthread_mutex_t* mutex) {
        const timespec long_ago = {1, 0};
        return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &long_ago);
      },
  };
  for (const auto take : ways) {
    if (is_sanitized && take == ways[3]) continue;  // gcc 12's TSan does not see that it takes the lock
    const child_end end = run_in_child([take] {
      run_beside_ready_thread([take] {
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        NEED(take(&mutex) == 0);
        const weft::jthread other([] {});
        weft::this_thread::yield();
        NEED(pthread_mutex_unlock(&mutex) == 0);
      });
      return 0;
    });
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK(end.says("holds 1 lock of OS threads") == counts_locks());
  }
}

#if !defined(IS_EMULATED)  // an emulator has no robust locks

TEST_CASE("a lock that another OS thread left behind counts" * doctest::skip(is_sanitized)) {
  const child_end end = run_in_child([] {
    run_beside_ready_thread([] {
      pthread_mutexattr_t robust;
      NEED(pthread_mutexattr_init(&robust) == 0 && pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST) == 0);
      static pthread_mutex_t mutex;
      NEED(pthread_mutex_init(&mutex, &robust) == 0);
      std::thread([] { NEED(pthread_mutex_lock(&mutex) == 0); }).join();
      NEED(pthread_mutex_lock(&mutex) == EOWNERDEAD && pthread_mutex_consistent(&mutex) == 0);
      const weft::jthread other([] {});
      weft::this_thread::yield();
      NEED(pthread_mutex_unlock(&mutex) == 0);
    });
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("holds 1 lock of OS threads") == counts_locks());
}

#endif

TEST_CASE("a lock whose release is refused stays held" * doctest::skip(is_sanitized)) {
  const child_end refused = run_in_child([] {
    run_beside_ready_thread([] {
      pthread_mutexattr_t checking;
      NEED(pthread_mutexattr_init(&checking) == 0 && pthread_mutexattr_settype(&checking, PTHREAD_MUTEX_ERRORCHECK) == 0);
      pthread_mutex_t held, free_one;
      NEED(pthread_mutex_init(&held, &checking) == 0 && pthread_mutex_init(&free_one, &checking) == 0);
      NEED(pthread_mutex_lock(&held) == 0 && pthread_mutex_unlock(&free_one) == EPERM);
      const weft::jthread other([] {});
      weft::this_thread::yield();
      NEED(pthread_mutex_unlock(&held) == 0);
    });
    return 0;
  });
  INFO(refused.errors);
  CHECK(refused.exit_code == 0);
  CHECK(refused.says("holds 1 lock of OS threads") == counts_locks());
}
