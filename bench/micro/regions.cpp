// What blocking regions cost, and what they give the threads that wait behind them.
//
//     regions short [ROUNDS]
//     regions queue [WORKERS [SAMPLES]]
//     regions sleep [WORKERS [THREADS [MILLISECONDS]]]
//
// short: a region that ends at once, beside a pair of calls of a mutex, in nanoseconds.
//
// queue: how long a thread that is ready waits for a worker whose running thread has begun to sleep
// in the kernel, in microseconds: at a place whose last region was short, so that the worker is
// handed over after the time that WEFT_BLOCKING sets, and at one whose last region lasted. Where
// that time is as short as a hand-over (20 us), the place may still count as one that lasts: set
// WEFT_BLOCKING=100us for the first figure. Run it under `chrt -r 10`, or the figures are also those
// of the kernel's scheduler.
//
// sleep: THREADS threads at a time each sleep in the kernel. A line for the first round, in which
// the OS threads are made, and one for the median of nine later ones: milliseconds until the last
// one is back, and milliseconds of CPU time. The last line is what the process then has resident,
// in KiB. regions_sleep.go is the same text in Go; regions.py runs both in turn.
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <weft/blocking.h>
#include <weft/weft.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "one_way.hpp"

namespace {

using one_way::must;
using one_way::percentile;

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

void sleep_in_kernel(std::uint64_t ns) {
  const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  nanosleep(&time, nullptr);
}

void start(unsigned workers) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  must(weft_init(&config) == WEFT_OK, "weft_init");
}

// ---- short --------------------------------------------------------------------------------------

// Of pairs of calls, in nanoseconds: the least of several rounds.
template <class Pair>
double least_of(long rounds, Pair pair) {
  double least = 1e18;
  for (int repetition = 0; repetition < 9; ++repetition) {
    const std::uint64_t begin = now_ns();
    for (long i = 0; i < rounds; ++i) pair();
    least = std::min(least, static_cast<double>(now_ns() - begin) / static_cast<double>(rounds));
  }
  return least;
}

void measure_short(long rounds) {
  start(1);
  weft_mutex mutex = WEFT_MUTEX_INIT;
  pthread_mutex_t system_mutex = PTHREAD_MUTEX_INITIALIZER;
  const double region = least_of(rounds, [] {
    must(weft_blocking_begin() == WEFT_OK, "weft_blocking_begin");
    must(weft_blocking_end() == WEFT_OK, "weft_blocking_end");
  });
  const double locked = least_of(rounds, [&] {
    must(weft_mutex_lock(&mutex) == WEFT_OK, "weft_mutex_lock");
    must(weft_mutex_unlock(&mutex) == WEFT_OK, "weft_mutex_unlock");
  });
  const double system_locked = least_of(rounds, [&] {
    must(pthread_mutex_lock(&system_mutex) == 0, "pthread_mutex_lock");
    must(pthread_mutex_unlock(&system_mutex) == 0, "pthread_mutex_unlock");
  });
  must(weft_finalize() == WEFT_OK, "weft_finalize");
  std::printf("region %.2f ns, weft_mutex pair %.2f ns, pthread_mutex pair %.2f ns: %.2f and %.2f of them\n", region, locked,
              system_locked, region / locked, region / system_locked);
}

// ---- queue --------------------------------------------------------------------------------------

struct scene {
  std::uint64_t begun_ns;
  double served_us;
  bool is_short;
};

// Ready behind the thread that begins the region.
void note_service(void* of) {
  auto* const all = static_cast<scene*>(of);
  all->served_us = static_cast<double>(now_ns() - all->begun_ns) / 1000;
}

void block(void* of) {
  if (!static_cast<scene*>(of)->is_short) sleep_in_kernel(2'000'000);
}

void block_before_another(void* of) {
  auto* const all = static_cast<scene*>(of);
  weft_thread* behind = nullptr;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = weft_worker_self();
  must(weft_thread_create(note_service, all, &attr, &behind) == WEFT_OK, "weft_thread_create");
  all->begun_ns = now_ns();
  must(weft_blocking(block, all) == WEFT_OK, "weft_blocking");
  must(weft_thread_join(behind) == WEFT_OK, "weft_thread_join");
}

double serve_behind(bool is_short) {
  scene all{0, 0, is_short};
  weft_thread* first = nullptr;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = static_cast<int>(weft_worker_count()) - 1;
  must(weft_thread_create(block_before_another, &all, &attr, &first) == WEFT_OK, "weft_thread_create");
  must(weft_thread_join(first) == WEFT_OK, "weft_thread_join");
  return all.served_us;
}

void measure_queue(unsigned workers, long samples) {
  start(workers);
  std::vector<double> after_time, at_once;
  serve_behind(false);  // makes what it needs
  for (long i = 0; i < samples; ++i) {
    serve_behind(true);  // handed over at once, and over soon: the place is not known any more
    after_time.push_back(serve_behind(false));
    at_once.push_back(serve_behind(false));
  }
  must(weft_finalize() == WEFT_OK, "weft_finalize");
  one_way::print("after a short region", after_time);
  one_way::print("after a long region", at_once);
}

// ---- sleep --------------------------------------------------------------------------------------

double cpu_ms() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto ms = [](const timeval& one) {
    return 1e3 * static_cast<double>(one.tv_sec) + 1e-3 * static_cast<double>(one.tv_usec);
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

long resident_kib() {
  long pages = 0, resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  must(file != nullptr && std::fscanf(file, "%ld %ld", &pages, &resident) == 2, "/proc/self/statm");
  static_cast<void>(std::fclose(file));
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

void sleep_for(void* ns) { sleep_in_kernel(*static_cast<std::uint64_t*>(ns)); }
void sleep_in_region(void* ns) { must(weft_blocking(sleep_for, ns) == WEFT_OK, "weft_blocking"); }

struct round {
  double wall_ms;
  double cpu_ms;
};

round sleep_once(std::vector<weft_thread*>& threads, std::uint64_t ns) {
  const double cpu_before = cpu_ms();
  const std::uint64_t begin = now_ns();
  for (weft_thread*& each : threads)
    must(weft_thread_create(sleep_in_region, &ns, nullptr, &each) == WEFT_OK, "weft_thread_create");
  must(weft_thread_join_many(threads.data(), threads.size()) == WEFT_OK, "weft_thread_join_many");
  return {static_cast<double>(now_ns() - begin) / 1e6, cpu_ms() - cpu_before};
}

void measure_sleep(unsigned workers, long count, long ms) {
  start(workers);
  std::vector<weft_thread*> threads(static_cast<std::size_t>(count));
  const std::uint64_t ns = static_cast<std::uint64_t>(ms) * 1'000'000;
  const round first = sleep_once(threads, ns);
  std::vector<double> walls, cpus;
  for (int later = 0; later < 9; ++later) {
    const round one = sleep_once(threads, ns);
    walls.push_back(one.wall_ms);
    cpus.push_back(one.cpu_ms);
  }
  const long kib = resident_kib();
  must(weft_finalize() == WEFT_OK, "weft_finalize");
  std::printf("first %.2f %.2f\nlater %.2f %.2f\nresident %ld\n", first.wall_ms, first.cpu_ms, percentile(walls, 0.5),
              percentile(cpus, 0.5), kib);
}

[[noreturn]] void refuse() {
  static_cast<void>(std::fprintf(stderr,
                                 "usage: regions short [ROUNDS] | queue [WORKERS [SAMPLES]] | "
                                 "sleep [WORKERS [THREADS [MILLISECONDS]]]\n"));
  std::exit(2);
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) refuse();
  const auto number = [&](int at, long otherwise) {
    const long given = count > at ? std::atol(words[at]) : otherwise;
    if (given < 1) refuse();
    return given;
  };
  if (std::strcmp(words[1], "short") == 0) {
    measure_short(number(2, 1'000'000));
  } else if (std::strcmp(words[1], "queue") == 0) {
    measure_queue(static_cast<unsigned>(number(2, 1)), number(3, 500));
  } else if (std::strcmp(words[1], "sleep") == 0) {
    measure_sleep(static_cast<unsigned>(number(2, 2)), number(3, 1000), number(4, 10));
  } else {
    refuse();
  }
  return 0;
}
