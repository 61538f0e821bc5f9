// MassiveThreads: a new thread runs at once, and the rest of its maker can be stolen; workers are bound to CPUs, as the library comes. It
// starts once in the life of a process.
#include <myth/myth.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "harness/children.hpp"
#include "harness/processors.hpp"
#include "kernels/blocked/children.hpp"
#include "kernels/children.hpp"

namespace bench {

namespace {

void must(int code, const char* call) {
  if (code == 0) [[likely]]
    return;
  std::fprintf(stderr, "MassiveThreads: %s returned %d\n", call, code);
  std::abort();
}

class thread {
 public:
  template <class Part>
  void start(const Part& part) {
    create(
        [](void* argument) -> void* {
          (*static_cast<const Part*>(argument))();
          return nullptr;
        },
        const_cast<Part*>(&part));
  }
  template <class Record>
  void start_record(Record* record) {
    create(
        [](void* argument) -> void* {
          static_cast<Record*>(argument)->run();
          return nullptr;
        },
        record);
  }
  void join() { must(myth_join(thread_, nullptr), "myth_join"); }

 private:
  void create(myth_func_t function, void* argument) { thread_ = myth_create(function, argument); }
  myth_thread_t thread_;
};

class gate {
 public:
  gate() {
    must(myth_mutex_init(&mutex_, nullptr), "myth_mutex_init");
    must(myth_cond_init(&opened_, nullptr), "myth_cond_init");
  }
  void wait() {
    must(myth_mutex_lock(&mutex_), "myth_mutex_lock");
    while (!is_open_) must(myth_cond_wait(&opened_, &mutex_), "myth_cond_wait");
    myth_mutex_unlock(&mutex_);  // returns no error, but how often it looked for a waiter
  }
  void open() {
    must(myth_mutex_lock(&mutex_), "myth_mutex_lock");
    is_open_ = true;
    must(myth_cond_broadcast(&opened_), "myth_cond_broadcast");
    myth_mutex_unlock(&mutex_);  // returns no error, but how often it looked for a waiter
  }

 private:
  myth_mutex_t mutex_;
  myth_cond_t opened_;
  bool is_open_ = false;
};

void let_others() { myth_yield(); }

constexpr auto cells = cells_by<as_threads_of<thread>>({&blocked::blocked, blocked::run_by<thread, gate, let_others>});

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
