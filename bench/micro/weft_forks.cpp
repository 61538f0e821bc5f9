#include "weft_forks.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>

#include <atomic>

#include <weft/weft.hpp>

#include "micro.h"

namespace {

long fib(long n) noexcept {
  if (n < 2) return n;
  auto left = weft::fork([=] { return fib(n - 1); });
  const long right = fib(n - 2);
  return left.join() + right;
}

long fib_in_c(long n);
void run_fib_in_c(void* work) {
  auto* value = static_cast<long*>(work);
  *value = fib_in_c(*value);
}
long fib_in_c(long n) {
  if (n < 2) return n;
  long left = n - 1;
  weft_forked* forked = weft_fork(run_fib_in_c, &left, sizeof left);
  const long right = fib_in_c(n - 2);
  weft_fork_join(forked, run_fib_in_c, &left, sizeof left);
  return left + right;
}

template <class Fib>
double measure_fib(Fib run) {
  const double start = micro_now();
  const long result = run();
  const double took = micro_now() - start;
  micro_check(result == MICRO_FORK_FIB_ANSWER, "fib");
  return took / MICRO_FORK_FIB_FORKS;
}

void take_low_bits(void* work) { *static_cast<long*>(work) &= 7; }

// How long the child of a forker that only waits has to wait for another worker.
double until_taken(bool others_sleep) {
  constexpr int rounds = 200;
  double total = 0;
  for (int round = 0; round < rounds; ++round) {
    if (others_sleep) micro_check(weft_sleep_ns(2000000) == WEFT_OK, "sleep");
    std::atomic<double> began = 0;
    const double start = micro_now();
    auto child = weft::fork([&began] { began = micro_now(); });
    while (began == 0) continue;
    total += began - start;
    child.join();
  }
  return total / rounds;
}

}  // namespace

double fork_nested() {
  return measure_fib([] { return fib(MICRO_FORK_FIB); });
}

double fork_nested_in_c() {
  return measure_fib([] { return fib_in_c(MICRO_FORK_FIB); });
}

double fork_flat() {
  weft_forked* forked[MICRO_BATCH];
  long sum = 0;
  const double start = micro_now();
  for (long done = 0; done < MICRO_FORKS; done += MICRO_BATCH) {
    for (long i = 0; i < MICRO_BATCH; ++i) forked[i] = weft_fork(take_low_bits, &i, sizeof i);
    for (long i = MICRO_BATCH; i-- > 0;) {
      long value = i;
      weft_fork_join(forked[i], take_low_bits, &value, sizeof value);
      sum += value;
    }
  }
  const double took = micro_now() - start;
  micro_check(sum == MICRO_FORKS / MICRO_BATCH * MICRO_FLAT_SUM, "flat");
  return took / static_cast<double>(MICRO_FORKS);
}

double fork_only() {
  weft_forked* forked[MICRO_BATCH];
  double took = 0;
  for (long done = 0; done < MICRO_FORKS; done += MICRO_BATCH) {
    const double start = micro_now();
    for (long i = 0; i < MICRO_BATCH; ++i) forked[i] = weft_fork(take_low_bits, &i, sizeof i);
    took += micro_now() - start;
    for (long i = MICRO_BATCH; i-- > 0;) {
      long value = i;
      weft_fork_join(forked[i], take_low_bits, &value, sizeof value);
    }
  }
  return took / static_cast<double>(MICRO_FORKS);
}

double fork_one() {
  const double start = micro_now();
  for (long i = 0; i < MICRO_FORKS; ++i) {
    long value = i;
    weft_forked* const forked = weft_fork(take_low_bits, &value, sizeof value);
    weft_fork_join(forked, take_low_bits, &value, sizeof value);
    __asm__ volatile("" : "+r"(value));  // the result is wanted
  }
  return (micro_now() - start) / static_cast<double>(MICRO_FORKS);
}

double fork_taken() { return until_taken(false); }
double fork_taken_asleep() { return until_taken(true); }

double heavy_fence() {
  constexpr int rounds = 10000;
  std::atomic<bool> is_over = false;
  std::atomic<unsigned> running = 1;
  const unsigned workers = weft::runtime::worker_count();
  std::vector<weft::thread> spinners;
  for (unsigned i = 1; i < workers; ++i) {
    spinners.emplace_back([&] {
      ++running;
      while (!is_over) continue;
    });
  }
  while (running != workers) sched_yield();
  const double start = micro_now();
  for (int i = 0; i < rounds; ++i)
    micro_check(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0, "membarrier");
  const double took = micro_now() - start;
  is_over = true;
  for (weft::thread& each : spinners) each.join();
  return took / rounds;
}
