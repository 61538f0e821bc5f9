// many-machine: programs that need no runtime, for the tests of the machine itself
// (tests/many/machine_test.py). Each tells what it measured.
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "many.h"

namespace {

constexpr std::size_t line_bytes = 64;
constexpr unsigned most_threads = 300;

std::atomic<int> go{0};
unsigned wanted = 0;  // OS threads beside the first

struct started {
  pthread_t thread;
};
started all[most_threads];

void bind_to(unsigned cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

void* number(std::uintptr_t n) { return reinterpret_cast<void*>(n); }
std::uintptr_t number_of(void* n) { return reinterpret_cast<std::uintptr_t>(n); }

void start(unsigned count, void* (*body)(void*)) {
  wanted = count;
  for (unsigned i = 0; i < count; ++i) {
    if (pthread_create(&all[i].thread, nullptr, body, number(i + 1)) != 0) std::abort();
  }
}
void join() {
  for (unsigned i = 0; i < wanted; ++i) pthread_join(all[i].thread, nullptr);
}
void wait_for_go() {
  while (go.load(std::memory_order_acquire) == 0) many_pause();
}
double ns_since(std::uint64_t begin) { return static_cast<double>(many_now_ns() - begin); }

// ---- lines ------------------------------------------------------------------------------------
alignas(line_bytes) std::atomic<unsigned> ball{0};
constexpr unsigned rounds = 2000;

void* hit_ball(void* self) {
  const auto mine = static_cast<unsigned>(number_of(self));
  bind_to(mine == 0 ? 0 : many_cpus() - 1);
  for (unsigned i = 0; i < rounds; ++i) {
    while (ball.load(std::memory_order_acquire) % 2 != mine) {
    }
    ball.store(ball.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  return nullptr;
}
// Between the first CPU and the last.
void ping_pong() {
  start(1, hit_ball);
  many_begin();
  const std::uint64_t begin = many_now_ns();
  hit_ball(number(0));
  join();
  many_tell("one_way_ns", ns_since(begin) / (2 * rounds));
}

alignas(line_bytes) std::atomic<std::uint64_t> sum{0};
constexpr unsigned adds = 1000;

void* add(void*) {
  wait_for_go();
  for (unsigned i = 0; i < adds; ++i) sum.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}
void counter() {
  start(many_cpus() - 1, add);
  many_work(1'000'000);
  many_begin();
  const std::uint64_t begin = many_now_ns();
  go.store(1, std::memory_order_release);
  add(nullptr);
  join();
  many_tell("add_ns", ns_since(begin) / (adds * many_cpus()));
  many_tell("sum", static_cast<double>(sum.load()));
}

// Each OS thread has a counter of its own; two of them lie on one line unless `step` keeps them apart.
alignas(line_bytes) std::atomic<std::uint32_t> hot[2];
alignas(line_bytes) std::atomic<std::uint32_t> cold[most_threads * line_bytes / sizeof(std::uint32_t)];

void* add_to_own(void* self) {
  const std::uintptr_t mine = number_of(self);
  wait_for_go();
  for (unsigned i = 0; i < adds; ++i) {
    (mine < 2 ? hot[mine] : cold[mine * line_bytes / sizeof cold[0]]).fetch_add(1, std::memory_order_relaxed);
  }
  return nullptr;
}
void hot_line() {
  many_name(hot, sizeof hot, "the planted hot line");
  start(many_cpus() - 1, add_to_own);
  many_work(1'000'000);
  many_begin();
  go.store(1, std::memory_order_release);
  add_to_own(number(0));
  join();
}

// Reads more lines, again and again, than a core's cache holds, and as many as it holds.
void cache() {
  constexpr std::size_t lines = 1 << 16;
  auto* const memory = static_cast<volatile char*>(std::calloc(lines, line_bytes));
  if (memory == nullptr) std::abort();
  for (std::size_t used : {std::size_t{64}, lines}) {
    for (int round = 0; round < 2; ++round) {
      const std::uint64_t begin = many_now_ns();
      for (std::size_t i = 0; i < used; ++i) (void)memory[i * line_bytes];
      if (round == 1) many_tell(used == lines ? "many_lines_ns" : "few_lines_ns", ns_since(begin) / static_cast<double>(used));
    }
  }
}

// ---- the kernel -------------------------------------------------------------------------------
void fence() {
  const std::uint64_t begin = many_now_ns();
  for (unsigned i = 0; i < adds; ++i) std::atomic_thread_fence(std::memory_order_seq_cst);
  many_tell("fence_ns", ns_since(begin) / adds);
}

std::atomic<std::uint64_t> most_late{0};  // the longest that a step of 100 ns took
void* work_in_steps(void*) {
  while (go.load(std::memory_order_relaxed) == 0) {
    const std::uint64_t begin = many_now_ns();
    many_work(100);
    const std::uint64_t took = many_now_ns() - begin;
    if (took > most_late.load(std::memory_order_relaxed)) most_late.store(took, std::memory_order_relaxed);
  }
  return nullptr;
}
void membarrier() {
  start(many_cpus() - 1, work_in_steps);
  many_work(1'000'000);
  const std::uint64_t begin = many_now_ns();
  for (unsigned i = 0; i < 10; ++i) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  many_tell("membarrier_ns", ns_since(begin) / 10);
  go.store(1);
  join();
  many_tell("most_late_ns", static_cast<double>(most_late.load()));
}

std::atomic<std::uint32_t> word{0};
std::atomic<std::uint64_t> woken_at{0};
void* sleep_on_word(void*) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  woken_at.store(many_now_ns());
  return nullptr;
}
void futex() {
  start(1, sleep_on_word);
  many_work(1'000'000);
  const std::uint64_t begin = many_now_ns();
  word.store(1);
  const long count_woken = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  many_tell("wake_call_ns", ns_since(begin));
  join();
  many_tell("woken", static_cast<double>(count_woken));
  many_tell("wake_ns", static_cast<double>(woken_at.load() - begin));
  timespec time{0, 1'000'000};
  const std::uint64_t sleep_begin = many_now_ns();
  const long slept = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &time, nullptr, 0);
  many_tell("timed_out", slept == -1 ? 1 : 0);
  many_tell("sleep_ns", ns_since(sleep_begin));
}

constexpr std::size_t page = 4096;
constexpr std::size_t pages = 16;
void memory_map() {
  for (int round = 0; round < 2; ++round) {
    many_begin();
    const std::uint64_t begin = many_now_ns();
    auto* const memory =
        static_cast<volatile char*>(mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (std::size_t i = 0; i < pages; ++i) memory[i * page] = 1;
    munmap(const_cast<char*>(memory), pages * page);
    many_tell("map_ns", ns_since(begin));
  }
}

// ---- CPUs -------------------------------------------------------------------------------------
constexpr std::uint64_t share_ns = 20'000'000;
void* compute(void*) {
  for (std::uint64_t done = 0; done < share_ns; done += 10'000) many_work(10'000);
  return nullptr;
}
// As many OS threads as CPUs, or as the argument says.
void computing(unsigned count) {
  const std::uint64_t begin = many_now_ns();
  start(count, compute);
  join();
  many_tell("us", ns_since(begin) / 1000);
}

// ---- ends -------------------------------------------------------------------------------------
void never_ends() {
  for (;;) many_pause();
}
// Without a pause: hits alone.
void spins() {
  while (go.load(std::memory_order_relaxed) == 0) {
  }
}
void* let_go(void*) {
  go.store(1);
  return nullptr;
}
// On one CPU, what the first waits for runs when its slice has ended.
void spins_until_other() {
  start(1, let_go);
  spins();
  join();
}
void all_sleep() { syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0); }

struct named {
  const char* name;
  void (*run)();
};
constexpr named programs[] = {
    {"ping-pong", ping_pong},
    {"counter", counter},
    {"hot-line", hot_line},
    {"cache", cache},
    {"fence", fence},
    {"membarrier", membarrier},
    {"futex", futex},
    {"memory-map", memory_map},
    {"never-ends", never_ends},
    {"spins", spins},
    {"spins-until-other", spins_until_other},
    {"all-sleep", all_sleep},
};

}  // namespace

int main(int argument_count, char** arguments) {
  const char* const name = argument_count > 1 ? arguments[1] : "";
  if (std::strcmp(name, "computing") == 0) {
    computing(argument_count > 2 ? static_cast<unsigned>(std::atoi(arguments[2])) : many_cpus());
    return 0;
  }
  for (const named& each : programs) {
    if (std::strcmp(each.name, name) != 0) continue;
    each.run();
    return 0;
  }
  std::fprintf(stderr, "many-machine: there is no program '%s'\n", name);
  return 2;
}
