// Starts the threads interface for a measurement, and ends the program where OS threads wait for
// each other for ever.
#include <unistd.h>
#include <weft/version.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "harness/processors.hpp"
#include "runtimes/os_thread_limit.hpp"
#include "runtimes/threads.hpp"

namespace bench::threads {

namespace {

// FIFO puts a waiting parent's OS thread aside for good if its children come after more tasks than
// there can be OS threads. The counts say so: tasks are queued, and none runs.
class deadlock_watch {
 public:
  deadlock_watch() : watching_([this] { watch(); }) {}
  ~deadlock_watch() {
    {
      std::lock_guard const lock(mutex_);
      is_over_ = true;
    }
    over_.notify_all();
    watching_.join();
  }
  deadlock_watch(const deadlock_watch&) = delete;
  deadlock_watch& operator=(const deadlock_watch&) = delete;

 private:
  static constexpr std::chrono::milliseconds look_every{100};
  static constexpr unsigned looks_before_the_end = 20;

  static bool is_stuck() {
    threads_count now{};
    return threads_counts(&now) == THREADS_OK && now.queued > 0 && now.running == 0;
  }

  void watch() {
    unsigned stuck = 0;
    std::unique_lock lock(mutex_);
    while (!over_.wait_for(lock, look_every, [this] { return is_over_; })) {
      stuck = is_stuck() ? stuck + 1 : 0;
      if (stuck < looks_before_the_end) continue;
      std::fprintf(stderr, "deadlock: all OS threads that there may be wait for tasks that none is left to run\n");
      _exit(1);
    }
  }

  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread watching_;
};

std::unique_ptr<deadlock_watch> watch;

constexpr const char* limit_variable = "WEFT_THREADS_LIMIT";

}  // namespace

void must(threads_status status, const char* call) {
  if (status == THREADS_OK) [[likely]]
    return;
  std::fprintf(stderr, "%s on %s: %s: %s\n", call, threads_implementation(), threads_status_name(status),
               threads_status_text(status));
  std::abort();
}

unsigned start(const recipe& of, unsigned workers) {
  if (of.has_all_os_threads) setenv(limit_variable, std::to_string(find_most_os_threads()).c_str(), 0);
  threads_config config = THREADS_CONFIG_INIT;
  config.implementation = of.implementation;
  config.workers = workers == 0 ? usable_processors() : workers;
  config.stack_bytes = of.stack_bytes;
  config.caller_outside = of.is_caller_outside;
  threads_status const status = threads_start(&config);
  if (status != THREADS_OK)
    throw std::runtime_error(std::string("threads_start: ") + of.implementation +
                             (of.is_caller_outside ? ", caller outside: " : ": ") + threads_status_text(status));
  if (of.has_all_os_threads) watch = std::make_unique<deadlock_watch>();
  return threads_worker_count();
}

void stop() {
  watch.reset();
  must(threads_stop(), "threads_stop");
}

std::string version() { return "Weft's threads interface " WEFT_VERSION; }

std::string describe(const recipe& of) {
  std::string text = of.is_caller_outside ? "caller outside" : "caller adopted";
  if (of.has_all_os_threads) text += std::string(", at most ") + std::getenv(limit_variable) + " OS threads";
  if (of.stack_bytes != 0) text += ", stacks of " + std::to_string(of.stack_bytes >> 10) + " KiB";
  return text;
}

}  // namespace bench::threads
