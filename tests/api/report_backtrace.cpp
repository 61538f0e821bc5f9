// Backtraces in dumps: of threads in every state, with the functions where they stand, and of
// stacks that were written over.
#include <doctest/doctest.h>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include <weft/weft.h>

#include "../support/child.hpp"
#include "../support/frames.hpp"

using weft::test::block_of;
using weft::test::child_end;
using weft::test::functions_of;
using weft::test::has_process_vm_readv;
using weft::test::run_in_child;
using weft::test::these_of;
using names = std::vector<std::string>;

// Keeps a call from becoming a jump, which would take its function off the stack.
#define STAY asm volatile("" ::: "memory")

namespace {

weft_event never = WEFT_EVENT_INIT;
#if defined(__SANITIZE_THREAD__)
constexpr bool is_under_thread_sanitizer = true;
#else
constexpr bool is_under_thread_sanitizer = false;
#endif

volatile int two = 2, hundred = 100;  // not known to the compiler, which would make copies of functions for them

void start(unsigned workers, bool caller_outside) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.caller_outside = caller_outside;
  NEED(weft_init(&config) == WEFT_OK);
}

weft_thread* make(weft_function function, void* argument, const char* name) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = name;
  weft_thread* made = nullptr;
  NEED(weft_thread_create(function, argument, name == nullptr ? nullptr : &attr, &made) == WEFT_OK);
  return made;
}

void await_state(weft_thread* one, weft_thread_state state) {
  while (weft_thread_get_state(one) != state) weft_yield();
}

// A blocked thread has left the only worker when that worker has run another one.
void settle() {
  weft_thread* other = nullptr;
  NEED(weft_thread_create([](void*) {}, nullptr, nullptr, &other) == WEFT_OK);
  NEED(weft_thread_join(other) == WEFT_OK);
}

weft_thread* make_blocked(weft_function function, void* argument, const char* name) {
  weft_thread* made = make(function, argument, name);
  await_state(made, WEFT_THREAD_BLOCKED);
  settle();
  return made;
}

// Under a schedule another worker may go on at each call.
void pass_points() {
  weft_mutex mutex = WEFT_MUTEX_INIT;
  NEED(weft_mutex_lock(&mutex) == WEFT_OK);
  NEED(weft_mutex_unlock(&mutex) == WEFT_OK);
}

void dump() { NEED(weft_dump(STDERR_FILENO) == WEFT_OK); }

[[gnu::noinline]] void writes_dump_to(int file) {
  NEED(weft_dump(file) == WEFT_OK);
  STAY;
}

std::string text_of_dump() {
  char path[] = "/tmp/weft-dump-XXXXXX";
  const int file = mkstemp(path);
  NEED(file >= 0 && unlink(path) == 0);
  writes_dump_to(file);
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), ' ');
  NEED(pread(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  close(file);
  return text;
}

bool says_of(const std::string& text, const char* who, const char* what) {
  std::string said;
  for (const std::string& line : block_of(text, who)) said += line + "\n";
  return said.find(what) != std::string::npos;
}

// To stderr, the first dump in which every OS thread that was asked had the CPU in time.
void dump_when_all_answer() {
  std::string text = text_of_dump();
  for (int tries = 0; tries < 100 && text.find("does not say where") != std::string::npos; ++tries) text = text_of_dump();
  std::fprintf(stderr, "%s", text.c_str());
}

// Makes a thread that keeps worker 1 to itself.
void occupy_second_worker(weft_function function, std::atomic<bool>* is_running, const char* name) {
  make(function, is_running, name);
  while (!is_running->load()) sched_yield();
}

// Another thread's frames, which a sanitizer rightly minds.
__attribute__((no_sanitize("address", "thread"), noinline)) void write_over(unsigned char* frame, unsigned char filler) {
  volatile unsigned char* bytes = frame - 64;
  for (int i = 0; i < 128; ++i) bytes[i] = filler;
}

// The number in hexadecimal behind mark.
std::uintptr_t number_behind(const char* line, const char* mark) {
  const char* at = std::strstr(line, mark);
  return at == nullptr ? 0 : std::strtoull(at + std::strlen(mark), nullptr, 16);
}

}  // namespace

extern "C" {
[[gnu::noinline]] void innermost() {
  static_cast<void>(weft_event_wait(&never));
  STAY;
}
[[gnu::noinline]] void in_between(int how_often) {
  char array[300];
  asm volatile("" : : "r"(array) : "memory");
  if (how_often == 0) {
    innermost();
  } else {
    in_between(how_often - 1);
  }
  STAY;
}
void outermost(void*) {
  in_between(two);
  STAY;
}
void waits_at_once(void*) {
  innermost();
  STAY;
}
void lends_its_stack(void* given) {
  // The child is first in this worker's queue, and not started: it runs right here.
  weft_thread* child = make(waits_at_once, nullptr, nullptr);
  *static_cast<weft_thread**>(given) = child;
  static_cast<void>(weft_thread_join(child));
  STAY;
}
[[gnu::noinline]] void recurses(int depth) {
  if (depth == 0) {
    innermost();
  } else {
    recurses(depth - 1);
  }
  STAY;
}
void goes_deep(void*) {
  recurses(hundred);
  STAY;
}
void suspends_itself(void*) {
  static_cast<void>(weft_suspend());
  STAY;
}
void never_starts(void*) {}
[[gnu::noinline]] void computes_on(std::atomic<bool>* is_running) {
  is_running->store(true);
  for (;;) STAY;
}
void computes(void* is_running) {
  computes_on(static_cast<std::atomic<bool>*>(is_running));
  STAY;
}
[[gnu::noinline]] void goes_left(int depth) {
  if (depth != 0) goes_left(depth - 1);
  STAY;
}
[[gnu::noinline]] void goes_right(int depth) {
  if (depth != 0) goes_right(depth - 1);
  STAY;
}
void swings(void* is_running) {
  static_cast<std::atomic<bool>*>(is_running)->store(true);
  for (;;) {
    goes_left(two * 10);
    goes_right(two * 10);
  }
}
void blocks_signals_and_computes(void* is_running) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  computes(is_running);
  STAY;
}
// In a lock of OS threads, for ever; with a frame pointer, for its room is not known to the
// compiler.
void waits_for_os_threads(void* about) {
  auto* word = static_cast<std::atomic<std::uint32_t>*>(about);
  asm volatile("" : : "r"(__builtin_alloca(64 + word->load())) : "memory");
  while (word->load() == 0) syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  STAY;
}
[[gnu::noinline]] void sleeps_in_kernel(std::uint64_t seconds) {
  const timespec interval{static_cast<time_t>(seconds), 0};
  if (nanosleep(&interval, nullptr) != 0) _exit(99);  // ended early
  STAY;
}
void sleeps(void* interval) {
  sleeps_in_kernel(*static_cast<std::uint64_t*>(interval));
  STAY;
}
void takes_turns(void*) {
  for (;;) pass_points();
}
void tells_its_frame(void* given) {
  int here = 0;
  *static_cast<void**>(given) = &here;
  innermost();
  STAY;
}
}

namespace scope {
struct reader {
  [[gnu::noinline, gnu::used]] void read(int how) {
    if (how == 2) innermost();
    STAY;
  }
};
[[gnu::noinline, gnu::used]] static void of_this_file(reader* one) {
  one->read(two);
  STAY;
}
void reads(void*) {
  reader one;
  of_this_file(&one);
  STAY;
}
}  // namespace scope

TEST_CASE("a system that refuses says so in one line") {
  if (has_process_vm_readv()) return;
  const child_end end = run_in_child([] {
    start(1, false);
    for (int i = 0; i < 3; ++i) make_blocked(outermost, nullptr, nullptr);
    dump();
    return 0;
  });
  INFO(end.errors);
  const std::size_t first = end.errors.find("no backtraces: ");
  CHECK(first != std::string::npos);
  CHECK(end.errors.find("no backtraces: ", first + 1) == std::string::npos);
  CHECK_FALSE(end.says("#0"));
}

TEST_CASE("functions where threads stand") {
  if (!has_process_vm_readv()) return;
  for (const bool outside : {false, true}) {
    const child_end end = run_in_child([outside] {
      start(1, outside);
      make_blocked(outermost, nullptr, "nested");
      weft_thread* sleeper = make(suspends_itself, nullptr, "suspended");
      await_state(sleeper, WEFT_THREAD_SUSPENDED);
      make_blocked(scope::reads, nullptr, "reader");
      dump();
      return 0;
    });
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    const names nested = functions_of(end.errors, "\"nested\"");
    const names wanted{"innermost", "in_between", "in_between", "in_between", "outermost"};
    CHECK(these_of(nested, wanted) == wanted);
    CHECK((!nested.empty() && nested.back() == "weft_context_entry"));
    // A line for where it left its worker, and one for where it began.
    CHECK(says_of(end.errors, "\"nested\"", "#0 to #"));
    CHECK(block_of(end.errors, "\"nested\"").back().find(" to #") != std::string::npos);
    CHECK(these_of(functions_of(end.errors, "\"suspended\""), {"suspends_itself"}).size() == 1);
    const names reader = functions_of(end.errors, "\"reader\"");
    CHECK(
        these_of(reader, {"innermost", "scope::reader::read(int)", "scope::of_this_file(scope::reader*)", "scope::reads(void*)"})
            .size() == 4);
    CHECK_FALSE(end.says("ends here"));
  }
}

TEST_CASE("a thread on its joiner's stack, and its joiner") {
  if (!has_process_vm_readv()) return;
  const child_end end = run_in_child([] {
    start(1, false);
    weft_thread* child = nullptr;
    make(lends_its_stack, &child, nullptr);
    while (child == nullptr) weft_yield();
    await_state(child, WEFT_THREAD_BLOCKED);
    dump();
    return 0;
  });
  INFO(end.errors);
  const names both{"innermost", "waits_at_once", "lends_its_stack"};
  CHECK(these_of(functions_of(end.errors, "(waits_at_once): waits"), both) == both);
  const names lender = block_of(end.errors, "(lends_its_stack): blocked");
  REQUIRE(lender.size() == 2);
  CHECK(lender[1].find("it runs another thread") != std::string::npos);
}

TEST_CASE("a thread that has no backtrace") {
  if (!has_process_vm_readv()) return;
  const child_end end = run_in_child([] {
    start(1, false);
    make(never_starts, nullptr, "new");
    dump();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.says("\"new\" (never_starts): ready, not started yet"));
  CHECK(functions_of(end.errors, "\"new\"").empty());
}

// ---- threads that run ----

TEST_CASE("a thread that computes, and the one that writes the dump") {
  if (!has_process_vm_readv() || is_under_thread_sanitizer) return;
  const child_end end = run_in_child([] {
    start(2, false);
    std::atomic<bool> is_running{false};
    occupy_second_worker(computes, &is_running, "busy");
    dump_when_all_answer();
    struct sigaction left;
    NEED(sigaction(SIGURG, nullptr, &left) == 0 && left.sa_handler == SIG_DFL);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("\"busy\" (computes): running on worker 1"));
  const names wanted{"computes_on", "computes", "weft_context_entry"};
  const names busy = functions_of(end.errors, "\"busy\"");
  CHECK(these_of(busy, wanted) == wanted);
  CHECK((!busy.empty() && busy.front() == "computes_on"));
  CHECK(end.says("main: running on worker 0"));
  CHECK(these_of(functions_of(end.errors, "main: "), {"(anonymous namespace)::writes_dump_to(int)"}).size() == 1);
}

// Its stack changes all the time.
TEST_CASE("a thread stands still while it is looked at") {
  if (!has_process_vm_readv() || is_under_thread_sanitizer) return;
  const child_end end = run_in_child([] {
    start(2, false);
    std::atomic<bool> is_running{false};
    occupy_second_worker(swings, &is_running, "swinging");
    int seen = 0;
    for (int i = 0; i < 30; ++i) {
      const names found = functions_of(text_of_dump(), "\"swinging\"");
      const bool goes_left = !these_of(found, {"goes_left"}).empty();
      const bool goes_right = !these_of(found, {"goes_right"}).empty();
      NEED(!goes_left || !goes_right);
      NEED(found.empty() || found.back() == "weft_context_entry");
      seen += goes_left || goes_right;
    }
    std::fprintf(stderr, "%s\n", seen != 0 ? "was found" : "was never found");
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("was found"));
}

// Wherever the signal comes: in switches, in Weft's locks, between threads.
TEST_CASE("threads that switch and compute while they are asked") {
  const child_end end = run_in_child([] {
    start(3, true);
    static std::atomic<bool> must_end{false};
    static weft_mutex mutex = WEFT_MUTEX_INIT;
    static volatile int sum = 0;
    std::vector<weft_thread*> made;
    for (int i = 0; i < 6; ++i) {
      made.push_back(make(
          [](void*) {
            while (!must_end) {
              NEED(weft_mutex_lock(&mutex) == WEFT_OK);
              sum = sum + 1;
              NEED(weft_mutex_unlock(&mutex) == WEFT_OK);
              weft_yield();
              settle();
            }
          },
          nullptr, nullptr));
    }
    for (int i = 0; i < 25; ++i) static_cast<void>(text_of_dump());
    must_end = true;
    for (weft_thread* each : made) NEED(weft_thread_join(each) == WEFT_OK);
    NEED(weft_finalize() == WEFT_OK);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("a thread in a lock of OS threads goes on waiting") {
  if (!has_process_vm_readv() || is_under_thread_sanitizer) return;
  const child_end end = run_in_child([] {
    start(2, false);
    std::atomic<std::uint32_t> word{0};
    make(waits_for_os_threads, &word, "locked");
    std::string text;
    for (int tries = 0; tries < 1000 && text.find("waits_for_os_threads+") == std::string::npos; ++tries) text = text_of_dump();
    std::fprintf(stderr, "%s", text.c_str());
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  const names wanted{"waits_for_os_threads", "weft_context_entry"};
  CHECK(these_of(functions_of(end.errors, "\"locked\""), wanted) == wanted);
}

TEST_CASE("a thread that sleeps in the kernel is not woken") {
  if (!has_process_vm_readv()) return;
  const child_end end = run_in_child([] {
    start(2, false);
    std::uint64_t seconds = 1'000'000;
    make(sleeps, &seconds, "asleep");
    std::string text;
    for (int tries = 0; tries < 1000 && text.find("\"asleep\" (sleeps): running") == std::string::npos; ++tries)
      text = text_of_dump();
    for (int i = 0; i < 20; ++i) text = text_of_dump();
    std::fprintf(stderr, "%s", text.c_str());
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  const names found = functions_of(end.errors, "\"asleep\"");
  CHECK_FALSE(found.empty());
  // A C library with frame pointers ends it there.
  if (!end.says("found by a register that the kernel does not tell")) CHECK(these_of(found, {"sleeps_in_kernel"}).size() == 1);
}

TEST_CASE("a thread that blocks all signals is not asked") {
  if (!has_process_vm_readv() || is_under_thread_sanitizer) return;
  const child_end end = run_in_child([] {
    start(2, false);
    std::atomic<bool> is_running{false};
    occupy_second_worker(blocks_signals_and_computes, &is_running, "deaf");
    dump();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(says_of(end.errors, "\"deaf\"", "it runs; its OS thread does not say where: it blocks SIGURG"));
}

TEST_CASE("a program that wants the signal keeps it") {
  if (!has_process_vm_readv() || is_under_thread_sanitizer) return;
  const child_end end = run_in_child([] {
    std::signal(SIGURG, [](int) { _exit(98); });
    start(2, false);
    std::atomic<bool> is_running{false};
    occupy_second_worker(computes, &is_running, "busy");
    dump();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(says_of(end.errors, "\"busy\"", "SIGURG, by which it would be asked where, is the program's"));
}

TEST_CASE("a deep recursion is cut") {
  if (!has_process_vm_readv()) return;
  const child_end end = run_in_child([] {
    start(1, false);
    make_blocked(goes_deep, nullptr, "deep");
    dump();
    return 0;
  });
  INFO(end.errors);
  CHECK(says_of(end.errors, "\"deep\"", "#31 recurses+"));
  CHECK_FALSE(says_of(end.errors, "\"deep\"", "#32"));
  CHECK(block_of(end.errors, "\"deep\"").back().find("... and more") != std::string::npos);
}

// What stands in parentheses is an address of the file that lies inside the call.
TEST_CASE("the place that addr2line takes") {
  if (!has_process_vm_readv()) return;
  const child_end end = run_in_child([] {
    start(1, false);
    make_blocked(outermost, nullptr, "nested");
    dump();
    std::fprintf(stderr, "outermost is at %p\n", reinterpret_cast<void*>(&outermost));
    return 0;
  });
  INFO(end.errors);
  for (const std::string& line : block_of(end.errors, "\"nested\"")) {
    if (line.find(" outermost+") == std::string::npos) continue;
    const std::uintptr_t after_call = number_behind(line.c_str(), " outermost+0x");
    const std::uintptr_t place = number_behind(line.c_str() + line.find('('), "+0x");
    const std::uintptr_t entry = number_behind(end.errors.c_str(), "outermost is at 0x");
    CHECK(after_call > 0);
    CHECK((entry + after_call - 1 - place) % 4096 == 0);  // where the program lies
  }
}

// ---- under a schedule ----

TEST_CASE("a thread on a virtual worker that waits for its turn") {
  if (!has_process_vm_readv()) return;
  const child_end end = run_in_child([] {
    setenv("WEFT_SCHEDULE", "seed:1", 1);
    start(2, false);
    make(takes_turns, nullptr, "turns");
    std::string text;
    for (int tries = 0; tries < 1000 && (text.find("\"turns\" (takes_turns): waits for its turn") == std::string::npos ||
                                         text.find("does not say") != std::string::npos);
         ++tries) {
      pass_points();  // but stays on its worker: the other one takes the thread
      text = text_of_dump();
    }
    std::fprintf(stderr, "%s", text.c_str());
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("\"turns\" (takes_turns): waits for its turn on worker "));
  CHECK(end.says("main: running on worker 0"));
  const names found = functions_of(end.errors, "\"turns\"");
  CHECK(these_of(found, {"takes_turns", "weft_context_entry"}) == names{"takes_turns", "weft_context_entry"});
  const names of_main = functions_of(end.errors, "main: ");
  CHECK(these_of(of_main, {"takes_turns"}).empty());
  if (!is_under_thread_sanitizer) CHECK(these_of(of_main, {"(anonymous namespace)::writes_dump_to(int)"}).size() == 1);
}

// ---- what is damaged ----

TEST_CASE("stacks that were written over") {
  if (!has_process_vm_readv()) return;
  for (const int filler : {0x00, 0x41, 0xff}) {
    const child_end end = run_in_child([filler] {
      start(1, false);
      void* frame = nullptr;
      make_blocked(tells_its_frame, &frame, "victim");
      make_blocked(outermost, nullptr, "healthy");
      write_over(static_cast<unsigned char*>(frame), static_cast<unsigned char>(filler));
      dump();
      return 0;
      return 0;
    });
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK(end.says("\"victim\" (tells_its_frame): waits for event"));
    CHECK(these_of(functions_of(end.errors, "\"healthy\""), {"outermost"}).size() == 1);
    CHECK(these_of(functions_of(end.errors, "\"victim\""), {"weft_context_entry"}).size() <= 1);
  }
}
