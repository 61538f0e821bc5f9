// Deaths by a signal name the thread, unless the program has a handler for it; and overflows of the
// caller's own stack name the cure. Each scene runs in a child.
#include <doctest/doctest.h>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <weft/hot.h>
#include <weft/weft.h>
#include <weft/thread.hpp>

#include "../support/child.hpp"

using weft::test::child_end;
using weft::test::run_in_child;

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool is_under_thread_sanitizer = true;
#else
constexpr bool is_under_thread_sanitizer = false;
#endif

void start(unsigned workers) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  NEED(weft_init(&config) == WEFT_OK);
}

// Through volatiles, so that the compiler does not know that nothing is there.
volatile std::uintptr_t unmapped = 64;
volatile int sink;

int run_named(weft_function function, void* argument = nullptr) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = "doomed";
  weft_thread* made = nullptr;
  NEED(weft_thread_create(function, argument, &attr, &made) == WEFT_OK);
  static_cast<void>(weft_thread_join(made));
  return 0;
}

// One line, which begins with these words, and the program's end by the signal.
void check_line(const child_end& end, int signal, const char* words) {
  INFO(end.errors);
  CHECK(end.signal == signal);
  CHECK(end.says(words));
  CHECK(end.errors.find("weft: ") == end.errors.rfind("weft: "));
  CHECK(end.errors.find(", on a stack of ") < end.errors.find("\n", end.errors.find("weft: ")));
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  NEED(sigaction(signal, &action, nullptr) == 0);
}

[[gnu::noinline]] int go_deeper(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : go_deeper(depth + 1) + frame[0];
}

}  // namespace

struct misfortune {};

extern "C" {
[[gnu::noinline]] void faults(void*) { sink = *reinterpret_cast<volatile char*>(unmapped); }
[[gnu::noinline]] void aborts(void*) { std::abort(); }
[[gnu::noinline]] void meets_no_instruction(void*) {
#if defined(__x86_64__)
  __asm__ volatile("ud2");
#else
  __asm__ volatile("udf #0");
#endif
}
#if defined(__x86_64__)
[[gnu::noinline]] void divides_by_zero(void*) {
  __asm__ volatile("xorl %%ecx, %%ecx; movl $1, %%eax; cltd; idivl %%ecx" ::: "eax", "ecx", "edx", "cc");
}
#endif
// Behind the end of a file that is mapped.
[[gnu::noinline]] void reads_behind_file(void*) {
  std::FILE* empty = std::tmpfile();
  NEED(empty != nullptr);
  void* page = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fileno(empty), 0);
  NEED(page != MAP_FAILED);
  sink = *static_cast<volatile char*>(page);
}
[[gnu::noinline]] void throws_from_c(void*) { throw misfortune(); }
[[gnu::noinline]] void sends_itself_the_signal(void* signal) {
  NEED(kill(getpid(), *static_cast<int*>(signal)) == 0);
  for (;;) static_cast<void>(weft_sleep_ns(1'000'000));
}
void forks_deep(void* depth) {
  int left = *static_cast<int*>(depth);
  if (left-- == 0) return;
  weft_forked* forked = weft_fork(forks_deep, &left, sizeof left);
  weft_fork_join(forked, forks_deep, &left, sizeof left);
  sink = sink + 1;
}
}

TEST_CASE("a fault names the thread, its stack and where it was made") {
  const child_end end = run_in_child([] {
    start(1);
    return run_named(faults);
  });
  check_line(end, SIGSEGV, "weft: in thread 2 \"doomed\" (faults): SIGSEGV at 0x40, on a stack of 192 KiB from 0x");
  CHECK(end.says(", made in "));
  CHECK(end.says("; a debugger or a core shows where\n"));
}

TEST_CASE("a fault of main") {
  const child_end end = run_in_child([] {
    start(1);
    faults(nullptr);
    return 0;
  });
  check_line(end, SIGSEGV, "weft: in main: SIGSEGV at 0x40, on a stack of ");
}

TEST_CASE("other faults name the thread") {
  const struct {
    weft_function function;
    int signal;
    const char* words;
  } all[] = {
      {meets_no_instruction, SIGILL, "weft: in thread 2 \"doomed\" (meets_no_instruction): SIGILL at 0x"},
      {reads_behind_file, SIGBUS, "weft: in thread 2 \"doomed\" (reads_behind_file): SIGBUS at 0x"},
#if defined(__x86_64__)
      {divides_by_zero, SIGFPE, "weft: in thread 2 \"doomed\" (divides_by_zero): SIGFPE at 0x"},
#endif
  };
  for (const auto& each : all) {
    const child_end end = run_in_child([&each] {
      start(1);
      return run_named(each.function);
    });
    check_line(end, each.signal, each.words);
  }
}

TEST_CASE("an abort names the thread") {
  const child_end end = run_in_child([] {
    start(2);
    return run_named(aborts);
  });
  check_line(end, SIGABRT, "weft: in thread 2 \"doomed\" (aborts): SIGABRT, on a stack of 192 KiB from 0x");
}

TEST_CASE("an exception that nothing catches is named with the thread") {
  for (const bool is_in_c : {false, true}) {
    const child_end end = run_in_child([is_in_c] {
      std::set_terminate([] { std::abort(); });  // the test's own may do something else
      start(2);
      if (is_in_c) return run_named(throws_from_c);
      weft::thread({.name = "doomed"}, [] { throw misfortune(); }).join();
      return 0;
    });
    check_line(end, SIGABRT, "weft: in thread 2 \"doomed\" (");
    CHECK(end.says(": SIGABRT, an exception was under way: misfortune, on a stack of 192 KiB"));
    CHECK(end.says("; cure: catch it in the thread's function"));
  }
}

TEST_CASE("a signal that a thread sends is not its fault") {
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL}) {
    const child_end end = run_in_child([signal]() mutable {
      start(1);
      return run_named(sends_itself_the_signal, &signal);
    });
    INFO(end.errors);
    CHECK(end.signal == signal);
    CHECK_FALSE(end.says("weft: "));
  }
}

TEST_CASE("a program's own handler has the word alone") {
  for (const bool is_before : {true, false}) {
    for (const int signal : {SIGSEGV, SIGABRT, SIGILL}) {
      const child_end end = run_in_child([=] {
        if (is_before) handle(signal, [](int) { _exit(43); });
        start(1);
        if (!is_before) handle(signal, [](int) { _exit(43); });
        return run_named(signal == SIGSEGV ? faults : signal == SIGILL ? meets_no_instruction : aborts);
      });
      CHECK(end.exit_code == 43);
      CHECK(end.errors == "");
    }
  }
}

TEST_CASE("handlers are put back at the end") {
  const child_end end = run_in_child([] {
    start(1);
    NEED(weft_finalize() == WEFT_OK);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
      struct sigaction now;
      NEED(sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL);
    }
    std::abort();
    return 0;
  });
  CHECK(end.signal == SIGABRT);
  CHECK_FALSE(end.says("weft: "));
}

// ---- the caller's own stack ----

TEST_CASE("an overflow of main names the limit of its stack") {
  for (const bool are_forks : {false, true}) {
    if (are_forks && is_under_thread_sanitizer) continue;  // which keeps 65,535 frames at most
    const child_end end = run_in_child([are_forks] {
      start(1);
      int depth = 1'000'000;
      if (are_forks) {
        forks_deep(&depth);
      } else {
        sink = go_deeper(0);
      }
      return 0;
    });
    INFO(end.errors);
    CHECK(end.signal == SIGSEGV);
    CHECK(end.says("weft: fatal: stack overflow in main\n"));
    CHECK(end.says("cure: raise the limit of main's stack (ulimit -s, now "));
  }
}

TEST_CASE("an overflow of an OS thread that started the runtime names the cure") {
  const child_end end = run_in_child([] {
    pthread_t made;
    const auto body = [](void*) -> void* {
      start(1);
      sink = go_deeper(0);
      return nullptr;
    };
    NEED(pthread_create(&made, nullptr, body, nullptr) == 0);
    NEED(pthread_join(made, nullptr) == 0);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.says("weft: fatal: stack overflow in main\n"));
  CHECK(end.says("cure: give its OS thread a larger stack (pthread_attr_setstacksize, now "));
}

TEST_CASE("a stack for signals that the program gave is in force again at the end") {
  const child_end end = run_in_child([] {
    static char memory[32 * 1024];
    stack_t mine = {}, now = {};
    mine.ss_sp = memory;
    mine.ss_size = sizeof memory;
    NEED(sigaltstack(&mine, nullptr) == 0);
    start(1);
    NEED(sigaltstack(nullptr, &now) == 0 && now.ss_size > sizeof memory);  // with room for reports
    NEED(weft_finalize() == WEFT_OK);
    NEED(sigaltstack(nullptr, &now) == 0);
    NEED(now.ss_flags == 0 && now.ss_sp == memory && now.ss_size == sizeof memory);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("an overflow of main that the program handles itself is the program's") {
  const child_end end = run_in_child([] {
    handle(SIGSEGV, [](int) { _exit(43); });
    start(1);
    sink = go_deeper(0);
    return 0;
  });
  CHECK(end.exit_code == 43);
  CHECK(end.errors == "");
}
