// A thread of the operating system for every child: what programs do without any of these runtimes.
// So many at once that the system or its other users would suffer are refused, which ends the run.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "harness/bounded_channel.hpp"
#include "harness/children.hpp"
#include "harness/processors.hpp"
#include "kernels/children.hpp"
#include "runtimes/os_thread_limit.hpp"

namespace bench {

namespace {

constexpr std::size_t stack_bytes = std::size_t{128} << 10;  // small enough that the C library keeps them for the next thread

std::atomic<long> living = 0;
long most_threads = 0;
pthread_attr_t attributes;

[[noreturn]] void refuse_more() {
  std::fprintf(stderr, "refused: more than %ld OS threads at once\n", most_threads);
  _exit(1);
}

void must(int error, const char* call) {
  if (error == 0) [[likely]]
    return;
  std::fprintf(stderr, "OS threads: %s: %s\n", call, std::strerror(error));
  _exit(1);
}

class os_thread_unit {
 public:
  void create(void* (*function)(void*), void* argument) {
    if (living.fetch_add(1, std::memory_order_relaxed) >= most_threads) refuse_more();
    must(pthread_create(&thread_, &attributes, function, argument), "pthread_create");
  }
  void join() {
    must(pthread_join(thread_, nullptr), "pthread_join");
    living.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  pthread_t thread_;
};

class atomic_gate {
 public:
  void wait() { is_open_.wait(false, std::memory_order_relaxed); }
  void open() {
    is_open_.store(true, std::memory_order_relaxed);
    is_open_.notify_all();
  }

 private:
  std::atomic<bool> is_open_ = false;
};

struct threads {
  using thread = thread_of<void*, os_thread_unit>;
  using gate = atomic_gate;
  using mutex = std::mutex;
  using condition = std::condition_variable;
  using channel = bounded_channel<mutex, condition>;
  static void yield() { sched_yield(); }
};

constexpr auto cells = cells_of_threads<threads>();

unsigned start(unsigned workers) {
  most_threads = find_most_os_threads();
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  return workers == 0 ? usable_processors() : workers;
}
void stop() { pthread_attr_destroy(&attributes); }

std::string version() { return "the system's"; }
std::string settings(unsigned) { return "stacks of 128 KiB, on the CPUs that the process may use"; }

constexpr runtime runtimes[] = {{"os-threads", "OS threads", child_kind::thread, start, stop, cells, version, settings}};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
