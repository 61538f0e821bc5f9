// MassiveThreads: a new thread runs at once, and the rest of its maker can be stolen; workers are
// bound to CPUs, as the library comes. It starts once in the life of a process.
#include <myth/myth.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>

#include "harness/bounded_channel.hpp"
#include "harness/children.hpp"
#include "harness/processors.hpp"
#include "kernels/children.hpp"

namespace bench {

namespace {

void must(int code, const char* call) {
  if (code == 0) [[likely]]
    return;
  std::fprintf(stderr, "MassiveThreads: %s returned %d\n", call, code);
  std::abort();
}

class myth_unit {
 public:
  void create(myth_func_t function, void* argument) { thread_ = myth_create(function, argument); }
  void join() { must(myth_join(thread_, nullptr), "myth_join"); }

 private:
  myth_thread_t thread_;
};

class myth_lock {
 public:
  myth_lock() { must(myth_mutex_init(&mutex_, nullptr), "myth_mutex_init"); }
  void lock() { must(myth_mutex_lock(&mutex_), "myth_mutex_lock"); }
  void unlock() { myth_mutex_unlock(&mutex_); }  // returns no error, but how often it looked for a waiter
  myth_mutex_t* handle() { return &mutex_; }

 private:
  myth_mutex_t mutex_;
};

class myth_condition {
 public:
  myth_condition() { must(myth_cond_init(&condition_, nullptr), "myth_cond_init"); }
  void wait(std::unique_lock<myth_lock>& lock) { must(myth_cond_wait(&condition_, lock.mutex()->handle()), "myth_cond_wait"); }
  void notify_one() { must(myth_cond_signal(&condition_), "myth_cond_signal"); }
  void notify_all() { must(myth_cond_broadcast(&condition_), "myth_cond_broadcast"); }

 private:
  myth_cond_t condition_;
};

class event {
 public:
  void wait() {
    std::unique_lock<myth_lock> lock(mutex_);
    while (!is_open_) opened_.wait(lock);
  }
  void open() {
    std::lock_guard<myth_lock> const lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }

 private:
  myth_lock mutex_;
  myth_condition opened_;
  bool is_open_ = false;
};

struct threads {
  using thread = thread_of<void*, myth_unit>;
  using gate = event;
  using mutex = myth_lock;
  using condition = myth_condition;
  using channel = bounded_channel<mutex, condition>;
  static void yield() { myth_yield(); }
};

constexpr auto cells = cells_of_threads<threads>();

void initialize(unsigned workers) {
  myth_globalattr_t attributes;
  must(myth_globalattr_init(&attributes), "myth_globalattr_init");
  must(myth_globalattr_set_n_workers(&attributes, workers), "myth_globalattr_set_n_workers");
  if (myth_init_ex(&attributes) < 0) throw std::runtime_error("MassiveThreads: myth_init_ex failed");
}

unsigned start(unsigned workers) {
  static unsigned started = 0;
  unsigned const count = workers == 0 ? usable_processors() : workers;
  if (started == 0) initialize(started = count);
  if (count != started) throw std::runtime_error("MassiveThreads cannot change the number of its workers");
  return count;
}
void stop() {}

std::string version() { return "MassiveThreads"; }
std::string settings(unsigned) { return "child first, stacks of the library's size"; }

constexpr runtime runtimes[] = {{"massivethreads", "MassiveThreads", child_kind::thread, start, stop, cells, version, settings}};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
