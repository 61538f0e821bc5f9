// pthread_exit and pthread_cancel in a thread: the OS thread of a worker cannot go, and that is
// told; the caller of weft_init may end as POSIX has it. Each scene runs in a child.
#include <doctest/doctest.h>

#include <pthread.h>
#include <unistd.h>

#include <csignal>

#include <weft/weft.h>

#include "../support/scene.hpp"

using scene::start;
using weft::test::child_end;
using weft::test::run_in_child;

namespace {

void must(weft_status status) { NEED(status == WEFT_OK); }

weft_thread* make(weft_function function, int worker) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = "leaver";
  attr.worker = worker;
  weft_thread* made = nullptr;
  must(weft_thread_create(function, nullptr, &attr, &made));
  return made;
}

// Which do not follow the C library's jump to another stack, and end the program by an error of
// their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_under_sanitizer = true;
#else
constexpr bool is_under_sanitizer = false;
#endif

int ended = 0;

// What others do once the caller of weft_init has gone.
void goes_on(void*) {
  for (int i = 0; i < 100; ++i) weft_yield();
  must(weft_sleep_ns(1'000'000));
  ended = 1;
}

}  // namespace

extern "C" {
void leaves(void*) { pthread_exit(nullptr); }
void leaves_later(void*) {
  weft_yield();
  pthread_exit(nullptr);
}
void is_cancelled(void*) {
  NEED(pthread_cancel(pthread_self()) == 0);
  pthread_testcancel();
}
void* calls_and_exits(void* nests) {
  start(2);
  if (nests != nullptr) start(2);
  make(goes_on, WEFT_ANY_WORKER);
  pthread_exit(nullptr);
}
void* calls_and_returns(void*) {
  start(2);
  make(goes_on, WEFT_ANY_WORKER);
  return nullptr;
}
void* calls_and_is_cancelled(void*) {
  start(1);
  make(goes_on, WEFT_ANY_WORKER);
  is_cancelled(nullptr);
  return nullptr;
}
}

TEST_CASE("a thread that ends the OS thread of its worker is named") {
  if (is_under_sanitizer) return;
  for (const weft_function function : {leaves, leaves_later, is_cancelled}) {
    for (const int worker : {0, 1}) {
      const child_end end = run_in_child([=] {
        start(2);
        must(weft_thread_join(make(function, worker)));
        return 0;
      });
      INFO(end.errors);
      CHECK(end.signal == SIGABRT);
      CHECK(end.says("weft: fatal: in thread 2 \"leaver\" ("));
      CHECK(end.says("): pthread_exit, or pthread_cancel, ends the OS thread of worker "));
      CHECK(end.says("; cure: return from the thread's function"));
      CHECK(end.errors.find("weft: ") == end.errors.rfind("weft: "));
    }
  }
}

TEST_CASE("when the caller's OS thread ends the others go on, and the runtime ends behind them") {
  static int nests = 1;
  struct scene {
    void* (*body)(void*);
    void* argument;
  };
  for (const scene& each : {scene{calls_and_exits, nullptr}, scene{calls_and_exits, &nests}, scene{calls_and_returns, nullptr},
                            scene{calls_and_is_cancelled, nullptr}}) {
    const child_end end = run_in_child([&each] {
      pthread_t caller;
      NEED(pthread_create(&caller, nullptr, each.body, each.argument) == 0);
      NEED(pthread_join(caller, nullptr) == 0);
      NEED(ended == 1);
      NEED(!weft_is_initialized());
      start(2);
      must(weft_finalize());
      return 0;
    });
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK(end.errors == "");
  }
}

TEST_CASE("in a child of fork the caller's OS thread ends as it likes") {
  if (is_under_sanitizer) return;
  const child_end end = run_in_child([] {
    pthread_t caller;
    const auto body = [](void*) -> void* {
      start(2);
      const child_end inner = run_in_child([]() -> int { pthread_exit(nullptr); });
      NEED(inner.exit_code == 0 && inner.errors.empty());
      must(weft_finalize());
      return nullptr;
    };
    NEED(pthread_create(&caller, nullptr, body, nullptr) == 0);
    NEED(pthread_join(caller, nullptr) == 0);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}
