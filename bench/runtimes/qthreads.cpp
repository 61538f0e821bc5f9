// Qthreads: each worker is a shepherd with a queue of its own, from which it takes the newest, and
// others steal the oldest (the library's scheduler Sherwood, where it was built with it). A thread
// fills a word at its end, which its parent waits for. The library reads its settings from the
// environment, and starts once in the life of a process. Tried, and slower: syncvar_t, whose
// readers spin before they wait; one shepherd for all workers.
#include <fmt/format.h>
#include <qthread/qthread.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "harness/children.hpp"
#include "harness/processors.hpp"
#include "kernels/children.hpp"

namespace bench {

namespace {

constexpr const char* stack_bytes = "32768";  // the library's own, 4 KiB, does not hold what kernels call

void must(int code, const char* call) {
  if (code == QTHREAD_SUCCESS) [[likely]]
    return;
  std::fprintf(stderr, "Qthreads: %s returned %d\n", call, code);
  std::abort();
}

class qthread_unit {
 public:
  void create(qthread_f function, void* argument) { must(qthread_fork(function, argument, &ended_), "qthread_fork"); }
  void join() { must(qthread_readFF(nullptr, &ended_), "qthread_readFF"); }

 private:
  aligned_t ended_;
};

// Any word is a lock, which the library looks up by its address.
class word_lock {
 public:
  void lock() { must(qthread_lock(&word_), "qthread_lock"); }
  void unlock() { must(qthread_unlock(&word_), "qthread_unlock"); }

 private:
  aligned_t word_ = 0;
};

// A word that is full or empty.
class full_empty_word {
 public:
  full_empty_word() { must(qthread_empty(&place_), "qthread_empty"); }
  void send(std::uint64_t value) { must(qthread_writeEF_const(&place_, value), "qthread_writeEF_const"); }
  std::uint64_t receive() {
    aligned_t value = 0;
    must(qthread_readFE(&value, &place_), "qthread_readFE");
    return value;
  }

 private:
  aligned_t place_ = 0;
};

class event {
 public:
  event() { must(qthread_empty(&opened_), "qthread_empty"); }
  void wait() { must(qthread_readFF(nullptr, &opened_), "qthread_readFF"); }
  void open() { must(qthread_fill(&opened_), "qthread_fill"); }

 private:
  aligned_t opened_ = 0;
};

struct threads {
  using thread = thread_of<aligned_t, qthread_unit>;
  using gate = event;
  using mutex = word_lock;
  using channel = full_empty_word;
  static void yield() { qthread_yield(); }
};

constexpr auto cells = cells_of_threads<threads>();

void initialize(unsigned workers) {
  setenv("QTHREAD_NUM_SHEPHERDS", std::to_string(workers).c_str(), 1);
  setenv("QTHREAD_NUM_WORKERS_PER_SHEPHERD", "1", 1);
  setenv("QTHREAD_STACK_SIZE", stack_bytes, 0);
  must(qthread_initialize(), "qthread_initialize");
}

unsigned start(unsigned workers) {
  static unsigned started = 0;
  unsigned const count = workers == 0 ? usable_processors() : workers;
  if (started == 0) initialize(started = count);
  if (count != started) throw std::runtime_error("Qthreads cannot change the number of its workers");
  return count;
}
void stop() {}

std::string version() { return fmt::format("Qthreads, interface {}", QTHREAD_VERSION); }  // a number before 1.23
std::string settings(unsigned) { return "a shepherd a worker, stacks of 32 KiB"; }

constexpr runtime runtimes[] = {{"qthreads", "Qthreads", child_kind::thread, start, stop, cells, version, settings}};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
