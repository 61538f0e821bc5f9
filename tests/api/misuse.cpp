// What weft.h and ext.h leave undefined, a checked build names and ends with, as far as the library
// can know. Each misuse is tried in a child process. Other builds name what costs nothing to know,
// and keep the statuses at the end.
#include <doctest/doctest.h>

#include <cstring>
#include <thread>

#include <weft/ext.h>
#include <weft/hot.h>
#include <weft/weft.h>

#include "../support/checked_build.hpp"
#include "../support/child.hpp"

using weft::test::child_end;
using weft::test::is_checked_build;
using weft::test::run_in_child;

namespace {

// Ends the child: what was needed for the misuse did not work.
void must(weft_status status) {
  if (status == WEFT_OK) return;
  tell_planned_fault("must", weft_status_name(status));
  _exit(90);
}

void start_runtime() {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  must(weft_init(&config));
}

weft_thread* start(weft_function function, void* argument) {
  weft_thread* made = nullptr;
  must(weft_thread_create(function, argument, nullptr, &made));
  return made;
}

void wait_for_state(const weft_thread* thread, weft_thread_state wanted) {
  while (weft_thread_get_state(thread) != wanted) weft_yield();
}

void nothing(void*) {}
void wait_for_event(void* event) { must(weft_event_wait(static_cast<weft_event*>(event))); }

weft_thread* joined() {
  weft_thread* one = start(nothing, nullptr);
  must(weft_thread_join(one));
  return one;
}

// body, in a runtime of its own, is named by these words, in a build of any kind.
template <class Body>
void check_named_always(const char* words, Body body) {
  const child_end end = run_in_child([&] {
    start_runtime();
    body();
    return 0;
  });
  INFO(words);
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("weft: fatal: "));
  CHECK(end.says(words));
}
template <class Body>
void check_named(const char* words, Body body) {
  if (is_checked_build()) check_named_always(words, body);
}

}  // namespace

TEST_CASE("a thread that is joined after its runtime has ended is named, and joined") {
  const child_end end = run_in_child([] {
    start_runtime();
    weft_thread* const one = start(nothing, nullptr);
    must(weft_finalize());
    must(weft_thread_join(one));
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("(nothing) outlived its runtime") == is_checked_build());
  CHECK(end.says("before the runtime ends") == is_checked_build());
}

TEST_CASE("a thread that is joined twice after its runtime has ended is named") {
  check_named_always("weft_thread_join of thread 0x", [] {
    weft_thread* const one = start(nothing, nullptr);
    weft_thread* const another = start(nothing, nullptr);
    must(weft_finalize());
    must(weft_thread_join(one));
    static_cast<void>(weft_thread_join(one));
    must(weft_thread_join(another));  // until then their memory stays
  });
}

TEST_CASE("a plain mutex that another caller holds is not unlocked") {
  check_named("unlock of mutex", [] {
    static weft_mutex mutex = WEFT_MUTEX_INIT;
    must(weft_mutex_lock(&mutex));
    weft_thread* other = start([](void*) { static_cast<void>(weft_mutex_unlock(&mutex)); }, nullptr);
    static_cast<void>(weft_thread_join(other));
  });
}

TEST_CASE("a handle that was joined is of no use") {
  const auto check_use = [](const char* call, auto use) {
    check_named(call, [&] { static_cast<void>(use(joined())); });
    check_named("was joined or detached before", [&] { static_cast<void>(use(joined())); });
  };
  check_use("weft_thread_join", [](weft_thread* one) { return weft_thread_join(one); });
  check_use("weft_thread_join", [](weft_thread* one) { return weft_thread_join_many(&one, 1); });
  check_use("weft_yield_to", [](weft_thread* one) { return weft_yield_to(one); });
}

TEST_CASE("a handle that was joined is named in builds of any kind, but where that would take time") {
  const auto check_use = [](const char* call, auto use) { check_named_always(call, [&] { static_cast<void>(use(joined())); }); };
  check_use("weft_thread_join_until of thread 0x", [](weft_thread* one) { return weft_thread_join_until(one, weft_now_ns()); });
  check_use("weft_thread_try_join of thread 0x", [](weft_thread* one) { return weft_thread_try_join(one); });
  check_use("weft_thread_detach of thread 0x", [](weft_thread* one) { return weft_thread_detach(one); });
  check_use("weft_thread_set_name of thread 0x", [](weft_thread* one) { return weft_thread_set_name(one, "late"); });
  check_use("weft_resume of thread 0x", [](weft_thread* one) { return weft_resume(one); });
  check_use("weft_thread_migrate_to_worker of thread 0x", [](weft_thread* one) { return weft_thread_migrate_to_worker(one, 0); });
  // One that has left its worker, or has a name, is joined by a longer way anyway.
  check_named_always("weft_thread_join of thread 0x", [] {
    weft_thread* one = start([](void*) { weft_yield(); }, nullptr);
    must(weft_thread_set_name(one, "twice"));
    must(weft_thread_join(one));
    static_cast<void>(weft_thread_join(one));
  });
}

TEST_CASE("an event for which somebody waits is not reset") {
  check_named("reset of event", [] {
    static weft_event event = WEFT_EVENT_INIT;
    wait_for_state(start(wait_for_event, &event), WEFT_THREAD_BLOCKED);
    static_cast<void>(weft_event_reset(&event));
  });
}

// Of a word at which `wait` has made a caller wait, which a checked build names.
template <class Wait>
void check_kept(const char* who, Wait wait) {
  static uint64_t word;
  const child_end end = run_in_child([&] {
    start_runtime();
    must(weft_feb_empty(&word));
    wait(&word);
    const bool was_full = weft_feb_is_full(&word);
    if (weft_feb_forget(&word, sizeof word) != WEFT_BUSY || weft_feb_is_full(&word) != was_full) return 1;
    if (std::strstr(weft_last_error(), "weft_feb_forget: argument base (0x") == nullptr) return 2;
    return std::strstr(weft_last_error(), "): a caller waits at word 0x") != nullptr ? 0 : 3;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says(who) == is_checked_build());
}

TEST_CASE("a full/empty word at which a caller waits is not forgotten") {
  check_kept("\"Vladimir\" waits at word 0x", [](uint64_t* word) {
    weft_thread* const reader = start([](void* it) { must(weft_feb_read_ff(static_cast<uint64_t*>(it), nullptr)); }, word);
    must(weft_thread_set_name(reader, "Vladimir"));
    wait_for_state(reader, WEFT_THREAD_BLOCKED);
  });
  check_kept("an awaiter waits at word 0x", [](uint64_t* word) {
    static weft_awaiter awaiter = WEFT_AWAITER_INIT([](weft_awaiter*, weft_status) {});
    bool waits = false;
    must(weft_ext_await(&awaiter, word, WEFT_AWAIT_FEB_TAKE, &waits));
  });
  check_kept("an OS thread outside waits at word 0x", [](uint64_t* word) {
    must(weft_feb_fill(word));
    std::thread([word] { must(weft_feb_write_ef(word, 1)); }).detach();
    while (weft_feb_forget(word, sizeof *word) != WEFT_BUSY) weft_yield();
  });
}

TEST_CASE("only a parked thread is unparked, only a ready one dispatched or pushed") {
  check_named("unpark of thread", [] { weft_ext_unpark(weft_self()); });
  static weft_event event = WEFT_EVENT_INIT;
  const auto blocked = [] {
    weft_thread* one = start(wait_for_event, &event);
    wait_for_state(one, WEFT_THREAD_BLOCKED);
    return one;
  };
  check_named("weft_ext_dispatch of thread", [&] { static_cast<void>(weft_ext_dispatch(blocked())); });
  check_named("weft_ext_pool_push of thread", [&] {
    weft_pool* pool = nullptr;
    must(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
    static_cast<void>(weft_ext_pool_push(pool, blocked(), WEFT_PUSH_NEW));
  });
}

// ---- forks ----

weft_forked* fork_nothing() {
  char nothing_to_carry = 0;
  return weft_fork(nothing, &nothing_to_carry, 1);
}
void join_nothing(weft_forked* forked) {
  char nothing_to_carry = 0;
  weft_fork_join(forked, nothing, &nothing_to_carry, 1);
}

TEST_CASE("a thread joins its forks before it ends") {
  static bool yields;
  for (bool each : {false, true}) {
    yields = each;
    check_named("\"careless\"", [] {
      static_cast<void>(weft_thread_join(start(
          [](void*) {
            must(weft_thread_set_name(weft_self(), "careless"));
            fork_nothing();
            fork_nothing();
            if (yields) weft_yield();
          },
          nullptr)));
    });
  }
  check_named("without joining 2 forks", [] {
    static_cast<void>(weft_thread_join(start(
        [](void*) {
          fork_nothing();
          weft_forked* joined = fork_nothing();
          fork_nothing();
          join_nothing(joined);
        },
        nullptr)));
  });
  check_named("main ended without joining 1 fork", [] {
    fork_nothing();
    static_cast<void>(weft_finalize());
  });
}

TEST_CASE("the event sink causes no events") {
  check_named("the event sink causes an event itself", [] {
    must(weft_finalize());
    must(weft_ext_set_event_sink(
        [](void*, weft_event_kind kind, weft_thread*) {
          if (kind == WEFT_ON_CREATE) start(nothing, nullptr);
        },
        nullptr));
    start_runtime();
    start(nothing, nullptr);
  });
}

TEST_CASE("a fork is joined once") {
  check_named("the fork was joined before", [] {
    weft_forked* forked = fork_nothing();
    join_nothing(forked);
    join_nothing(forked);
  });
  check_named("the fork was joined before", [] {  // a younger one keeps the place
    weft_forked* forked = fork_nothing();
    fork_nothing();
    join_nothing(forked);
    join_nothing(forked);
  });
}

TEST_CASE("a fork is joined by its forker") {
  static weft_forked* forked;
  static bool yields;
  for (bool each : {false, true}) {
    yields = each;
    check_named("the fork is another thread's", [] {
      weft_thread* other = nullptr;
      forked = fork_nothing();
      if (yields) weft_yield();
      must(weft_thread_create([](void*) { join_nothing(forked); }, nullptr, nullptr, &other));
      if (yields) {
        static_cast<void>(weft_thread_join(other));
      } else {
        for (;;) continue;  // an other worker takes it
      }
    });
  }
  check_named("the fork is another thread's", [] {
    forked = fork_nothing();
    std::thread([] { join_nothing(forked); }).join();
  });
}

TEST_CASE("a fork carries what fits") {
  check_named("weft_fork: 49 bytes are too many", [] {
    const char too_much[WEFT_FORK_BYTES + 1] = {};
    static_cast<void>(weft_fork(nothing, too_much, sizeof too_much));
  });
}

TEST_CASE("awaiters") {
  static weft_event event = WEFT_EVENT_INIT;
  static weft_awaiter awaiter = WEFT_AWAITER_INIT([](weft_awaiter*, weft_status) {});
  const auto arm = [] {
    bool waits = false;
    static_cast<void>(weft_ext_await(&awaiter, &event, WEFT_AWAIT_EVENT, &waits));
  };
  check_named("is armed twice: its ready has not come", [&] {
    arm();
    arm();
  });
  check_named("which was cancelled before", [&] {
    arm();
    weft_ext_await_cancel(&awaiter);
    weft_ext_await_cancel(&awaiter);
  });
  check_named("was freed or written over while it was armed", [&] {
    arm();
    std::memset(awaiter.opaque + 1, 0x5a, 2 * sizeof *awaiter.opaque);  // not all of it: then nothing would be known
    must(weft_event_set(&event));
  });
}

// ---- not misuse, but a status ----

namespace {
weft_semaphore none_left = {{0, 0, 0, 0}};
weft_status answer = WEFT_OK;
}  // namespace

extern "C" void ready_that_waits(weft_awaiter*, weft_status) { answer = weft_semaphore_acquire(&none_left); }

// By a ULT, and by an OS thread outside.
TEST_CASE("a ready that waits is refused, and named") {
  for (const bool is_outside : {false, true}) {
    const weft::test::child_end end = weft::test::run_in_child([=] {
      start_runtime();
      const auto end_wait = [] {
        weft_event event = WEFT_EVENT_INIT;
        weft_awaiter awaiter = WEFT_AWAITER_INIT(ready_that_waits);
        bool waits = false;
        must(weft_ext_await(&awaiter, &event, WEFT_AWAIT_EVENT, &waits));
        must(weft_event_set(&event));
      };
      for (int round = 0; round < 3; ++round) is_outside ? std::thread(end_wait).join() : end_wait();
      must(weft_finalize());
      return answer == WEFT_CANNOT_BLOCK ? 0 : 1;
    });
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    const char* const words = "weft: the ready of an awaiter, ready_that_waits, called what may wait, and got WEFT_CANNOT_BLOCK";
    CHECK(end.says(words) == is_checked_build());
    CHECK(end.lines() == (is_checked_build() ? 1 : 0));
  }
}

TEST_CASE("an awaiter that is freed while it is armed is taken off its object by its cancellation") {
  weft_semaphore tokens = {{0, 0, 0, 0}};
  {
    weft_awaiter gone = WEFT_AWAITER_INIT([](weft_awaiter*, weft_status) { answer = WEFT_ENDED; });
    bool waits = false;
    CHECK(weft_ext_await(&gone, &tokens, WEFT_AWAIT_SEMAPHORE, &waits) == WEFT_OK);
    CHECK(weft_ext_await_cancel(&gone));
  }
  CHECK(weft_semaphore_release(&tokens, 1) == WEFT_OK);
  CHECK(weft_semaphore_try_acquire(&tokens) == WEFT_OK);
}

TEST_CASE("an awaiter that is armed twice or cancelled twice in other builds") {
  if (is_checked_build()) return;
  weft_event event = WEFT_EVENT_INIT;
  weft_awaiter awaiter = WEFT_AWAITER_INIT([](weft_awaiter*, weft_status) {});
  bool waits = false;
  CHECK(weft_ext_await(&awaiter, &event, WEFT_AWAIT_EVENT, &waits) == WEFT_OK);
  CHECK(weft_ext_await(&awaiter, &event, WEFT_AWAIT_EVENT, &waits) == WEFT_BUSY);
  CHECK(weft_ext_await_cancel(&awaiter));
  CHECK_FALSE(weft_ext_await_cancel(&awaiter));
}

TEST_CASE("an event whose waiter has given up may be reset") {
  start_runtime();
  weft_event event = WEFT_EVENT_INIT;
  CHECK(weft_event_wait_until(&event, weft_now_ns() + 1000) == WEFT_TIMEOUT);
  CHECK(weft_event_wait_until(&event, weft_now_ns() + 1000000) == WEFT_TIMEOUT);
  CHECK(weft_event_reset(&event) == WEFT_OK);
  CHECK(weft_event_set(&event) == WEFT_OK);
  CHECK(weft_event_reset(&event) == WEFT_OK);
  CHECK_FALSE(weft_event_is_set(&event));
  CHECK(weft_finalize() == WEFT_OK);
}

TEST_CASE("locks that the caller does not hold") {
  start_runtime();
  weft_mutex mutex = WEFT_MUTEX_INIT;
  weft_cond cond = WEFT_COND_INIT;
  CHECK(weft_mutex_unlock(&mutex) == WEFT_NOT_OWNER);  // it is free
  CHECK(weft_cond_wait(&cond, &mutex) == WEFT_NOT_OWNER);
  if (is_checked_build()) {
    static weft_mutex held = WEFT_MUTEX_INIT;
    static weft_cond unsignalled = WEFT_COND_INIT;
    static weft_rwlock written = WEFT_RWLOCK_INIT;
    CHECK(weft_mutex_lock(&held) == WEFT_OK);
    CHECK(weft_mutex_lock(&held) == WEFT_DEADLOCK);
    join_nothing(fork_nothing());  // and forks that were joined change nothing
    CHECK(weft_mutex_lock(&held) == WEFT_DEADLOCK);
    CHECK(weft_rwlock_write_lock(&written) == WEFT_OK);
    CHECK(weft_rwlock_write_lock(&written) == WEFT_DEADLOCK);
    CHECK(weft_rwlock_read_lock(&written) == WEFT_DEADLOCK);
    weft_status results[2] = {};
    weft_thread* other = start(
        [](void* memory) {
          auto* out = static_cast<weft_status*>(memory);
          out[0] = weft_cond_wait(&unsignalled, &held);
          out[1] = weft_rwlock_unlock(&written);
        },
        results);
    CHECK(weft_thread_join(other) == WEFT_OK);
    CHECK(results[0] == WEFT_NOT_OWNER);
    CHECK(results[1] == WEFT_NOT_OWNER);
    CHECK(weft_rwlock_unlock(&written) == WEFT_OK);
    CHECK(weft_mutex_unlock(&held) == WEFT_OK);
  }
  CHECK(weft_finalize() == WEFT_OK);
}
