// How OS threads that were adopted end, and how reports, dumps and traces show them. Each scene
// runs in a child.
#include <doctest/doctest.h>

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <weft/weft.h>
#include <weft/boost/detail/contexts.hpp>

#include "../support/scene.hpp"

using scene::expect_well;
using scene::start;
using weft::test::child_end;
using weft::test::run_in_child;

namespace {

void must(weft_status status) { NEED(status == WEFT_OK); }

void adopt() {
  weft_adopt_config config = WEFT_ADOPT_CONFIG_INIT;
  config.name = "guest";
  must(weft_worker_adopt(&config));
}

// Which do not follow the C library's jump to another stack, and end the program by an error of
// their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_under_sanitizer = true;
#else
constexpr bool is_under_sanitizer = false;
#endif

weft_event never = WEFT_EVENT_INIT;
weft_event has_begun = WEFT_EVENT_INIT;
std::atomic<int> ran{0};

void counts(void*) { ran.fetch_add(1); }

pthread_t begin(void* (*body)(void*), void* argument = nullptr, std::size_t stack_bytes = 0) {
  pthread_attr_t attributes;
  NEED(pthread_attr_init(&attributes) == 0);
  if (stack_bytes != 0) NEED(pthread_attr_setstacksize(&attributes, stack_bytes) == 0);
  pthread_t made;
  NEED(pthread_create(&made, &attributes, body, argument) == 0);
  NEED(pthread_attr_destroy(&attributes) == 0);
  return made;
}

void join(pthread_t which) { NEED(pthread_join(which, nullptr) == 0); }

// Dumps into a file, which takes any amount.
std::string dumped() {
  char path[] = "/tmp/weft-adopted-XXXXXX";
  const int file = mkstemp(path);
  NEED(file >= 0);
  unlink(path);
  must(weft_dump(file));
  std::string all(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  NEED(pread(file, all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()));
  close(file);
  return all;
}

void print(const std::string& text) { NEED(write(STDERR_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size())); }

}  // namespace

extern "C" {
void leaves_the_os_thread(void*) { pthread_exit(nullptr); }
void* adopts_and_returns(void*) {
  adopt();
  for (int i = 0; i < 10; ++i) must(weft_thread_create(counts, nullptr, nullptr, nullptr));
  return nullptr;
}
// The headers for Boost adopt the OS thread without a word.
void* resumes_and_leaves(void*) {
  {
    using coroutine = boost::coroutines2::coroutine<int>;
    coroutine::pull_type numbers([](coroutine::push_type& sink) { sink(1); });
    NEED(numbers.get() == 1);
  }
  must(weft_worker_leave());
  NEED(weft_self() == nullptr);
  ran.fetch_add(10);
  return nullptr;
}
void* adopts_and_exits(void*) {
  adopts_and_returns(nullptr);
  pthread_exit(nullptr);
}
void* adopts_and_is_cancelled(void*) {
  adopts_and_returns(nullptr);
  NEED(pthread_cancel(pthread_self()) == 0);
  pthread_testcancel();
  return nullptr;
}
void waits_for_ever(void*) { static_cast<void>(weft_event_wait(&never)); }
void* ends_with_pinned(void*) {
  adopt();
  scene::make(waits_for_ever, nullptr, "forgotten");
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = weft_worker_self();
  must(weft_thread_create(waits_for_ever, nullptr, &attr, nullptr));
  return nullptr;
}
void* lets_another_exit(void*) {
  adopt();
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = "leaver";
  attr.worker = weft_worker_self();
  must(weft_thread_create(leaves_the_os_thread, nullptr, &attr, nullptr));
  static_cast<void>(weft_event_wait(&never));
  return nullptr;
}
void* waits_as_guest(void*) {
  adopt();
  must(weft_event_set(&has_begun));
  static_cast<void>(weft_event_wait(&never));
  must(weft_worker_leave());
  return nullptr;
}
// NOLINTNEXTLINE(misc-no-recursion): meant
[[gnu::noinline]] int goes_deep(int depth) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : goes_deep(depth + 1) + frame[0];
}
void* overflows(void*) {
  adopt();
  goes_deep(1);
  return nullptr;
}
// Which ends once weft_finalize has said that it waits.
void* ends_once_it_is_told(void* errors) {
  adopt();
  must(weft_event_set(&has_begun));
  std::string seen;
  while (seen.find("before weft_finalize\n") == std::string::npos) {
    char some[256];
    const ssize_t count = read(*static_cast<int*>(errors), some, sizeof some);
    NEED(count > 0);
    seen.append(some, static_cast<std::size_t>(count));
  }
  NEED(seen.find("weft: weft_finalize waits for 1 OS thread that weft_worker_adopt made a worker") != std::string::npos);
  ran.fetch_add(1);
  return nullptr;
}
void* dumps_as_guest(void* out) {
  adopt();
  *static_cast<std::string*>(out) = dumped();
  must(weft_worker_leave());
  return nullptr;
}
void* adopts_without_a_name(void*) {
  must(weft_worker_adopt(nullptr));
  must(weft_worker_leave());
  return nullptr;
}
void* is_refused(void*) {
  NEED(weft_worker_adopt(nullptr) == WEFT_UNSUPPORTED);
  NEED(weft_self() == nullptr);
  return nullptr;
}
void* forks_as_guest(void*) {
  adopt();
  const pid_t child = fork();
  NEED(child >= 0);
  if (child == 0) {
    NEED(weft_worker_adopt(nullptr) == WEFT_UNSUPPORTED);
    NEED(weft_worker_leave() == WEFT_UNSUPPORTED);
    _exit(0);
  }
  int status = -1;
  NEED(waitpid(child, &status, 0) == child && status == 0);
  must(weft_worker_leave());
  return nullptr;
}
}

TEST_CASE("an adopted OS thread that ends leaves") {
  for (void* (*const body)(void*) : {adopts_and_returns, adopts_and_exits, adopts_and_is_cancelled, resumes_and_leaves}) {
    for (const unsigned workers : {1U, 2U}) {
      const child_end end = run_in_child([=] {
        start(workers);
        join(begin(body));
        join(begin(body));
        NEED(weft_worker_count() == workers);
        must(weft_finalize());
        NEED(ran.load() == 20);
        return 0;
      });
      INFO(end.errors);
      CHECK(end.exit_code == 0);
      CHECK(end.errors == "");
    }
  }
}

TEST_CASE("weft_finalize that waits for an OS thread tells of it") {
  expect_well([] {
    int ends[2];
    NEED(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    for (const bool is_outside : {false, true}) {
      weft_config config = WEFT_CONFIG_INIT;
      config.workers = 1;
      config.caller_outside = is_outside;
      must(weft_init(&config));
      has_begun = WEFT_EVENT_INIT;
      const pthread_t stays = begin(ends_once_it_is_told, &ends[0]);
      must(weft_event_wait(&has_begun));
      must(weft_finalize());
      join(stays);
    }
    NEED(ran.load() == 2);
  });
}

TEST_CASE("one that cannot leave is named") {
  if (is_under_sanitizer) return;
  const child_end end = run_in_child([] {
    start(1);
    join(begin(ends_with_pinned));
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("weft: fatal: OS thread "));
  CHECK(end.says(" ends, which weft_worker_adopt made worker 1, to which threads are pinned"));
  CHECK(end.says("; cure: call weft_worker_leave before"));
}

TEST_CASE("a thread that ends the OS thread of an adopted worker is named") {
  if (is_under_sanitizer) return;
  const child_end end = run_in_child([] {
    start(1);
    join(begin(lets_another_exit));
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says(" \"leaver\" (leaves_the_os_thread): pthread_exit, or pthread_cancel, ends the OS thread of worker 1; cure: "));
}

TEST_CASE("an overflow of an adopted OS thread's stack is named") {
  if (is_under_sanitizer) return;
  const child_end end = run_in_child([] {
    start(1);
    join(begin(overflows, nullptr, 256 * 1024));
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.says("weft: fatal: stack overflow in thread 2 \"guest\" (adopted OS thread)"));
  CHECK(end.says("give its OS thread a larger stack (pthread_attr_setstacksize, now 2"));
}

TEST_CASE("an overflow of main's stack is named so, too, where main was adopted") {
  if (is_under_sanitizer) return;
  const child_end end = run_in_child([] {
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 1;
    config.caller_outside = true;
    must(weft_init(&config));
    overflows(nullptr);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.says(" \"guest\" (adopted OS thread)"));
  CHECK(end.says("cure: raise the limit of main's stack (ulimit -s, now "));
}

#if defined(IS_EMULATED)
constexpr bool shows_waits = false;
#else
constexpr bool shows_waits = true;
#endif

TEST_CASE("dumps show an adopted OS thread, running and waiting" * doctest::skip(!shows_waits)) {
  const child_end end = run_in_child([] {
    start(1);
    std::string own;
    join(begin(dumps_as_guest, &own));
    print(own);
    const pthread_t guest = begin(waits_as_guest);
    must(weft_event_wait(&has_begun));
    while (dumped().find("waits for event") == std::string::npos) weft_yield();
    print("==\n" + dumped());
    must(weft_event_set(&never));
    must(weft_finalize());
    join(guest);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("thread 2 \"guest\" (adopted OS thread): running on worker 1; made in "));
  const std::size_t second = end.errors.find("==\n");
  REQUIRE(second != std::string::npos);
  CHECK(end.errors.find("\"guest\" (adopted OS thread): waits for event at ", second) != std::string::npos);
}

TEST_CASE("under a schedule it is refused with a reason") {
  const child_end end = run_in_child([] {
    setenv("WEFT_SCHEDULE", "seed:1", 1);
    start(2);
    join(begin(is_refused));
    must(weft_finalize());
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("weft_worker_adopt: under WEFT_SCHEDULE all workers share one OS thread"));
}

TEST_CASE("in a child of fork it is refused") {
  expect_well([] {
    start(1);
    join(begin(forks_as_guest));
    must(weft_finalize());
  });
}

TEST_CASE("weft_finalize that waits for one which waits for ever is a deadlock" * doctest::skip(!shows_waits)) {
#if defined(__SANITIZE_THREAD__)
  return;  // whose own OS thread is always awake
#endif
  const child_end end = run_in_child([] {
    setenv("WEFT_DEADLOCK", "abort", 1);
    start(1);
    begin(waits_as_guest);
    must(weft_event_wait(&has_begun));
    must(weft_finalize());
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("weft: deadlock"));
  CHECK(end.says("thread 2 \"guest\" (adopted OS thread): waits for event at "));
  CHECK(end.says("main: waits for weft_finalize"));
}

TEST_CASE("a trace shows an adopted OS thread") {
  const std::string path = "/tmp/weft-adopted-trace-" + std::to_string(getpid());
  const child_end end = run_in_child([&path] {
    setenv("WEFT_TRACE", path.c_str(), 1);
    start(1);
    std::string unused;
    join(begin(dumps_as_guest, &unused));
    join(begin(adopts_without_a_name));
    must(weft_finalize());
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  CHECK(text.find("guest 2") != std::string::npos);
  CHECK(text.find("adopted OS thread 3") != std::string::npos);
  unlink(path.c_str());
}
