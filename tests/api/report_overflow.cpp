// Stack overflows name the thread and the cure; other faults reach the program's own handlers
// unchanged. Each scene runs in a child.
#include <doctest/doctest.h>

#include <regex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <string>

#include <weft/ext.h>
#include <weft/hot.h>
#include <weft/weft.h>

#include "../support/checked_build.hpp"
#include "../support/child.hpp"

using weft::test::child_end;
using weft::test::run_in_child;

namespace {

#ifdef IS_EMULATED
constexpr bool walks_frames = false;
#else
constexpr bool walks_frames = true;
#endif

void start(unsigned workers, bool caller_outside) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.caller_outside = caller_outside;
  if (const weft_status started = weft_init(&config); started != WEFT_OK) {
    tell_planned_fault("weft_init", weft_status_name(started));
    _exit(90);
  }
}

// Touches every page on its way, so that it cannot jump over a guard.
[[gnu::noinline]] int go_deeper(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : go_deeper(depth + 1) + frame[0];
}

volatile int sink;

constexpr int emulated = 77;

// Sanitizers need address space of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

[[gnu::noinline]] int take_large_frame() {
  volatile char large[64 * 1024];
  volatile std::size_t lowest = 0;  // known to the compiler it would make the array smaller
  large[lowest] = 1;
  return large[lowest];
}

// Goes on until about a KiB is left, so that the next frame is the one that overflows.
[[gnu::noinline]] int fill(const char* low) {
  volatile char frame[256];
  frame[0] = 1;
  constexpr std::ptrdiff_t left = 2048;
  const bool is_full = static_cast<const char*>(__builtin_frame_address(0)) - low < left;
  return (is_full ? take_large_frame() : fill(low)) + frame[0];
}

}  // namespace

extern "C" {
void one_large_frame(void*) {
  void* low = nullptr;
  std::size_t bytes = 0;
  weft_ext_thread_stack(weft_self(), &low, &bytes);
  sink = fill(static_cast<const char*>(low));
}
[[gnu::noinline]] void bottomless_entry(void*) { sink = go_deeper(0); }
[[gnu::noinline]] int take(std::size_t bytes) {
  volatile char* const large = static_cast<char*>(__builtin_alloca(bytes));
  large[0] = 1;
  return large[0];
}
// Down to memory that may not be touched, at the first place from 3 MiB beneath on where nothing lies.
void some_mebibytes(void*) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  constexpr std::size_t bytes = mebibyte / 16;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  for (std::size_t beneath = 3 * mebibyte; beneath < 1024 * mebibyte; beneath += mebibyte) {
    auto* const wanted = reinterpret_cast<void*>((here - beneath) & ~(bytes - 1));
    void* const made = mmap(wanted, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (made == wanted) sink = take(here - reinterpret_cast<std::uintptr_t>(made) - bytes / 2);
  }
}
// As deep in the C library as the pattern is nested.
[[gnu::noinline]] void goes_deep_in_the_c_library(void*) {
  static char pattern[100001];
  std::memset(pattern, '(', 50000);
  std::memset(pattern + 50000, ')', 50000);
  regex_t made;
  sink = regcomp(&made, pattern, REG_EXTENDED);
}
void bottomless_forks(void*) {
  char nothing_to_carry = 0;
  weft_forked* forked = weft_fork(bottomless_forks, &nothing_to_carry, 1);
  weft_fork_join(forked, bottomless_forks, &nothing_to_carry, 1);
  sink = sink + 1;
}
void note_beginning(void* work) { (*static_cast<std::atomic<bool>**>(work))->store(true); }
void forks_into_the_deep(void*) {
  char nothing_to_carry = 0;
  weft_fork(bottomless_entry, &nothing_to_carry, 1);
  for (;;) pause();  // another worker takes it
}
void joins_one_in_the_deep(void*) {
  weft_thread* made = nullptr;
  if (weft_thread_create(bottomless_entry, nullptr, nullptr, &made) == WEFT_OK) static_cast<void>(weft_thread_join(made));
}
void push_into_the_deep(void*, weft_thread*, weft_push_reason) { bottomless_entry(nullptr); }
void blocks_then_overflows(void* event) {
  static_cast<void>(weft_event_wait(static_cast<weft_event*>(event)));
  bottomless_entry(nullptr);
}
}

namespace {

int run_one(weft_function function, void* argument, const weft_thread_attr* attr) {
  weft_thread* made = nullptr;
  if (const weft_status created = weft_thread_create(function, argument, attr, &made); created != WEFT_OK) {
    tell_planned_fault("weft_thread_create", weft_status_name(created));
    return 91;
  }
  static_cast<void>(weft_thread_join(made));
  return 0;
}

void check_overflow(const child_end& end) {
  INFO(end.errors);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.says("weft: fatal: stack overflow in "));
  CHECK(end.says("stack_bytes of its weft_thread_attr"));
}

// What the handler of the program saw.
struct seen {
  int signal;
  int code;
  void* address;
  bool has_context;
  bool is_blocked;  // the signal itself, as without SA_NODEFER
};
seen last;
sigjmp_buf back;
// Through a volatile, so that the compiler does not know that nothing is there.
volatile std::uintptr_t unmapped = 64;
int unmapped_byte() { return *reinterpret_cast<volatile char*>(unmapped); }

void note_fault(int signal, siginfo_t* info, void* context) {
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  last = {signal, info->si_code, info->si_addr, context != nullptr, sigismember(&mask, signal) == 1};
  siglongjmp(back, 1);
}

void ask_weft_first(int signal, siginfo_t* info, void* context) {
  if (weft_fault_filter(signal, info, context)) {
    static const char words[] = "the later handler was told\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, words, sizeof words - 1);
    return;
  }
  note_fault(signal, info, context);
}

void handle_with(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}

void fault_once(void* result) {
  if (sigsetjmp(back, 1) == 0) {
    sink = unmapped_byte();
    return;
  }
  *static_cast<bool*>(result) = last.signal == SIGSEGV && last.code == SEGV_MAPERR &&
                                last.address == reinterpret_cast<void*>(64) && last.has_context && last.is_blocked;
}

}  // namespace

// On several workers the recursion goes over thousands of stacks. ThreadSanitizer ends a program
// that has more than 8,128 at a time.
#if defined(__SANITIZE_THREAD__)
constexpr unsigned many_workers = 1;
#else
constexpr unsigned many_workers = 4;
#endif

TEST_CASE("a recursion of forks that does not end") {
  for (const unsigned workers : {1U, many_workers}) {
    const child_end end = run_in_child([workers] {
      start(workers, false);
      return run_one(bottomless_forks, nullptr, nullptr);
    });
    INFO(end.errors);
    CHECK(end.signal == SIGSEGV);
    CHECK(end.says("weft: fatal: stack overflow in "));
    CHECK(end.says("(bottomless_forks)"));
    CHECK((end.says("WEFT_STACK_SIZE (now 192 KiB)") || end.says("WEFT_FORK_STACK_SIZE (now ")));
    // The library with checks forgets a fork's function when the fork is joined.
    if (workers == 1 && !weft::test::is_checked_build())
      CHECK(end.says("in a fork that no other worker took: it runs on its forker's stack"));
  }
}

TEST_CASE("a fork that another worker took is told what forks can have") {
  const child_end end = run_in_child([] {
    setenv("WEFT_FORK_STACK_SIZE", "1M", 1);
    start(2, false);
    char nothing_to_carry = 0;
    weft_fork(bottomless_entry, &nothing_to_carry, 1);
    for (;;) pause();  // another worker takes it
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.says("stack overflow in fork 2 (bottomless_entry)"));
  CHECK(end.says("its stack of 1 MiB is used up"));
  CHECK(end.says("raise WEFT_FORK_STACK_SIZE (now 1 MiB): the stack of a fork"));
  CHECK_FALSE(end.says("made in"));
}

TEST_CASE("a fork that another worker took has the usual stack of a main thread" * doctest::skip(is_sanitized)) {
  struct {
    rlim_t limit;
    const char* told;
  } const cases[] = {{rlim_t{12} << 20, "its stack of 12 MiB is used up"}, {rlim_t{3} << 20, "its stack of 3 MiB is used up"}};
  for (const auto& each : cases) {
    const child_end end = run_in_child([&each] {
      rlimit stack = {};
      if (getrlimit(RLIMIT_STACK, &stack) != 0) return 92;
      stack.rlim_cur = each.limit;
      if (setrlimit(RLIMIT_STACK, &stack) != 0) return emulated;  // the hard limit is lower
      if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur != each.limit) return emulated;
      start(2, false);
      forks_into_the_deep(nullptr);
      return 0;
    });
    if (end.exit_code == emulated) continue;
    INFO(end.errors);
    CHECK(end.signal == SIGSEGV);
    CHECK(end.says(each.told));
  }
}

TEST_CASE("the fork of a thread with a larger stack is told what its forker can have") {
  const child_end end = run_in_child([] {
    setenv("WEFT_FORK_STACK_SIZE", "1M", 1);
    start(2, false);
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.stack_bytes = 4 << 20;
    return run_one(forks_into_the_deep, nullptr, &attr);
  });
  INFO(end.errors);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.says("(bottomless_entry)"));
  CHECK(end.says("its stack of 4 MiB is used up"));
  CHECK(end.says("raise stack_bytes of its forker's weft_thread_attr (now 4 MiB)"));
}

TEST_CASE("a thread that runs on its joiner's stack is told so") {
  const child_end end = run_in_child([] {
    start(1, true);
    return run_one(joins_one_in_the_deep, nullptr, nullptr);
  });
  INFO(end.errors);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.says(" (bottomless_entry)"));
  CHECK(end.says("it ran on the stack of the thread that joins it, as a thread with default attributes may"));
}

TEST_CASE("a callback that overflows names its worker") {
  const child_end end = run_in_child([] {
    start(1, false);
    weft_pool_ops ops = {};
    ops.size = sizeof ops;
    ops.push = push_into_the_deep;
    ops.pop = [](void*) -> weft_thread* { return nullptr; };
    ops.count = [](void*) -> std::size_t { return 0; };
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    if (weft_ext_pool_create(&ops, nullptr, WEFT_POOL_SHARED, &attr.pool) != WEFT_OK) return 92;
    static weft_thread_attr in_pool;
    in_pool = attr;
    weft_thread* made = nullptr;
    const auto makes_one_there = [](void*) { static_cast<void>(run_one(bottomless_entry, nullptr, &in_pool)); };
    if (weft_thread_create(makes_one_there, nullptr, nullptr, &made) != WEFT_OK) return 91;
    static_cast<void>(weft_thread_join(made));
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.says("stack overflow in a callback that worker 0 ran"));
}

namespace {

// The address space is short, so that forks get usual stacks. Not where it has no limits.
void begin_with_little_room() {
  const rlimit little = {rlim_t{2} << 30, rlim_t{2} << 30};
  rlimit now = {};
  if (setrlimit(RLIMIT_AS, &little) != 0 || getrlimit(RLIMIT_AS, &now) != 0) _exit(92);
  if (now.rlim_cur != little.rlim_cur) _exit(emulated);  // qemu-user needs address space, too
  setenv("WEFT_FORK_STACK_SIZE", "1G", 1);
  start(2, false);
}

}  // namespace

TEST_CASE("where address space is short a fork that overflows is told so" * doctest::skip(is_sanitized)) {
  const child_end end = run_in_child([] {
    begin_with_little_room();
    forks_into_the_deep(nullptr);
    return 0;
  });
  if (end.exit_code == emulated) return;
  INFO(end.errors);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.says("raise WEFT_STACK_SIZE (now 192 KiB): no larger stack could be had for this fork"));
}

TEST_CASE("where address space is short forks have usual stacks, which is said once" * doctest::skip(is_sanitized)) {
  const child_end end = run_in_child([] {
    begin_with_little_room();
    for (int i = 0; i < 100; ++i) {
      std::atomic<bool> has_begun{false};
      std::atomic<bool>* work = &has_begun;
      weft_forked* forked = weft_fork(note_beginning, &work, sizeof work);
      while (!has_begun.load()) sched_yield();
      weft_fork_join(forked, note_beginning, &work, sizeof work);
    }
    return weft_finalize() == WEFT_OK ? 0 : 93;
  });
  if (end.exit_code == emulated) return;
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("weft: warning: forks that another worker takes get stacks of 192 KiB"));
  CHECK(end.lines() == 1);
}

TEST_CASE("overflows on all workers at once are told as one") {
  for (int round = 0; round < 20; ++round) {
    const child_end end = run_in_child([] {
      start(4, false);
      weft_event event = WEFT_EVENT_INIT;
      for (int i = 0; i < 8; ++i) {
        if (weft_thread_create(blocks_then_overflows, &event, nullptr, nullptr) != WEFT_OK) return 91;
      }
      static_cast<void>(weft_event_set(&event));
      static_cast<void>(weft_sleep_ns(60'000'000'000));
      return 0;
    });
    check_overflow(end);
    CHECK(end.says("(blocks_then_overflows)"));
    CHECK(end.errors.find("weft: fatal: ") == end.errors.rfind("weft: fatal: "));
  }
}

TEST_CASE("an overflow names thread, id, size and attribute") {
  for (const bool outside : {false, true}) {
    const child_end end = run_in_child([outside] {
      start(2, outside);
      weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
      attr.name = "spelunker";
      attr.stack_bytes = 32768;
      return run_one(bottomless_entry, nullptr, &attr);
    });
    check_overflow(end);
    CHECK(end.says("thread 2 \"spelunker\" (bottomless_entry)"));
    CHECK(end.says("its stack of 32 KiB is used up"));
    CHECK(end.says("(now 32 KiB)"));
  }
}

TEST_CASE("a thread without a name is known by its entry function") {
  const child_end end = run_in_child([] {
    start(1, true);
    return run_one(bottomless_entry, nullptr, nullptr);
  });
  check_overflow(end);
  CHECK(end.says("(bottomless_entry)"));
  CHECK(end.says("WEFT_STACK_SIZE (now 192 KiB)"));
}

TEST_CASE("a thread that overflows after it was parked") {
  const child_end end = run_in_child([] {
    start(2, false);
    weft_event event = WEFT_EVENT_INIT;
    weft_thread* made = nullptr;
    if (weft_thread_create(blocks_then_overflows, &event, nullptr, &made) != WEFT_OK) return 91;
    while (weft_thread_get_state(made) != WEFT_THREAD_BLOCKED) weft_yield();
    static_cast<void>(weft_event_set(&event));
    static_cast<void>(weft_thread_join(made));
    return 0;
  });
  check_overflow(end);
  CHECK(end.says("(blocks_then_overflows)"));
}

TEST_CASE("a tasklet that overflows is told what tasklets can have") {
  const child_end end = run_in_child([] {
    start(1, true);
    weft_thread* made = nullptr;
    if (weft_tasklet_create(bottomless_entry, nullptr, nullptr, &made) != WEFT_OK) return 91;
    static_cast<void>(weft_thread_join(made));
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.says("tasklet 2 (bottomless_entry)"));
  CHECK(end.says("WEFT_STACK_SIZE"));
}

TEST_CASE("a frame of 64 KiB does not jump over the guard, and is told as a jump") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{128 * 1024}}) {
    const child_end end = run_in_child([bytes] {
      start(1, true);
      weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
      attr.stack_bytes = bytes;
      return run_one(one_large_frame, nullptr, &attr);
    });
    check_overflow(end);
    CHECK(end.says(bytes == 0 ? "its stack of 192 KiB is" : "its stack of 128 KiB is"));
    CHECK(end.says("weft:   a frame jumped there, to 6"));
    CHECK(end.says("KiB beneath it: the thread needs at least "));
    CHECK(end.says("; compile with -fstack-clash-protection"));
    const unsigned long stack_kib = bytes == 0 ? 192 : 128;
    const unsigned long needed_kib = end.kib_behind("the thread needs at least ");
    CHECK(needed_kib >= stack_kib + 60);  // with the frame, which lies wholly beneath what else is there
    CHECK(needed_kib <= stack_kib + 128);
    CHECK(needed_kib % 64 == 0);
  }
}

TEST_CASE("a frame that jumps over everything is told, with what it needs" * doctest::skip(is_sanitized)) {
  const child_end end = run_in_child([] {
    start(1, true);
    return run_one(some_mebibytes, nullptr, nullptr);
  });
  check_overflow(end);
  CHECK(end.says("(some_mebibytes)"));
  CHECK(end.says("the thread needs at least ") == walks_frames);
  if (walks_frames) CHECK(end.kib_behind("the thread needs at least ") >= 3 * 1024 + 192);
  CHECK(end.says("iB; compile with -fstack-clash-protection") == walks_frames);
  CHECK(end.says("weft:   in take+"));
}

TEST_CASE("an overflow in a library names the library and the program's own call" * doctest::skip(is_sanitized)) {
  const child_end end = run_in_child([] {
    start(1, true);
    return run_one(goes_deep_in_the_c_library, nullptr, nullptr);
  });
  check_overflow(end);
  CHECK(end.says("weft:   in libc.so.6, "));
  CHECK(end.says(", called from goes_deep_in_the_c_library+") == walks_frames);
}

namespace {

ucontext_t of_thread;
ucontext_t of_coroutine;
char coroutines_stack[256 * 1024];  // beneath all that is mapped

void swap_to_coroutine(void*) {
  getcontext(&of_coroutine);
  of_coroutine.uc_stack.ss_sp = coroutines_stack;
  of_coroutine.uc_stack.ss_size = sizeof coroutines_stack;
  of_coroutine.uc_link = &of_thread;
  makecontext(&of_coroutine, [] { sink = unmapped_byte(); }, 0);
  swapcontext(&of_thread, &of_coroutine);
}

}  // namespace

TEST_CASE("a fault on a coroutine's stack beneath the thread's is no overflow" * doctest::skip(is_sanitized)) {
  const child_end end = run_in_child([] {
    start(1, true);
    return run_one(swap_to_coroutine, nullptr, nullptr);
  });
  INFO(end.errors);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.says("SIGSEGV at 0x40"));
  CHECK(end.says(", but it stood on another stack, as of a coroutine"));
  CHECK_FALSE(end.says("stack overflow"));
}

TEST_CASE("an overflow without a jump is not told as one") {
  const child_end end = run_in_child([] {
    start(1, true);
    return run_one(bottomless_entry, nullptr, nullptr);
  });
  check_overflow(end);
  CHECK_FALSE(end.says("jumped"));
}

// As WEFT_STACK_SIZE is by default: such a stack has no page more.
constexpr std::size_t usual_stack_bytes = std::size_t{192} * 1024;

TEST_CASE("a canary is found at the end") {
  const child_end end = run_in_child([] {
    setenv("WEFT_GUARD", "canary", 1);
    start(1, true);
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.stack_bytes = usual_stack_bytes;
    // Writes where an overflow would have, and comes back.
    return run_one(
        [](void*) {
          char here = 0;
          volatile std::uintptr_t top = reinterpret_cast<std::uintptr_t>(&here);
          for (std::uintptr_t down = usual_stack_bytes - 4096; down < usual_stack_bytes; ++down)
            *reinterpret_cast<volatile char*>(top - down) = 1;
        },
        nullptr, &attr);
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("stack overflow in thread 2"));
  CHECK(end.says("canary"));
}

TEST_CASE("a plain fault reaches the handler that was there before weft_init, unchanged") {
  const child_end end = run_in_child([] {
    handle_with(note_fault);
    start(1, false);
    bool is_right = false;
    fault_once(&is_right);  // as main
    if (!is_right) return 1;
    is_right = false;
    if (run_one(fault_once, &is_right, nullptr) != 0 || !is_right) return 2;
    if (weft_finalize() != WEFT_OK) return 3;
    struct sigaction now;
    sigaction(SIGSEGV, nullptr, &now);
    return now.sa_sigaction == note_fault ? 0 : 4;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

TEST_CASE("a handler installed later asks weft_fault_filter") {
  SUBCASE("overflow") {
    const child_end end = run_in_child([] {
      start(1, true);
      handle_with(ask_weft_first);
      return run_one(bottomless_entry, nullptr, nullptr);
    });
    check_overflow(end);
    CHECK(end.says("the later handler was told"));
  }
  SUBCASE("another fault; the handler stays after the end") {
    const child_end end = run_in_child([] {
      start(1, true);
      handle_with(ask_weft_first);
      bool is_right = false;
      if (run_one(fault_once, &is_right, nullptr) != 0 || !is_right) return 1;
      if (weft_finalize() != WEFT_OK) return 2;
      start(1, true);
      is_right = false;
      if (run_one(fault_once, &is_right, nullptr) != 0 || !is_right) return 3;
      struct sigaction now;
      sigaction(SIGSEGV, nullptr, &now);
      return now.sa_sigaction == ask_weft_first ? 0 : 4;
    });
    CHECK(end.exit_code == 0);
  }
  SUBCASE("what is no fault of Weft's") {
    siginfo_t info = {};
    CHECK_FALSE(weft_fault_filter(SIGSEGV, nullptr, nullptr));
    CHECK_FALSE(weft_fault_filter(SIGSEGV, &info, nullptr));
    CHECK_FALSE(weft_fault_filter(SIGINT, &info, nullptr));
  }
}
