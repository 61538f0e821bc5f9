// How long a wake-up takes: an OS thread outside of the runtime tells a sleeper, which notes the
// time.
//
//     wakes [WORKERS [SAMPLES]]
//
// The sleepers are a thread of Weft, by an event, and an OS thread, by a condition variable. They
// take turns in one process, so that both meet the same machine. Before each wake-up the waker
// pauses until the workers have gone to sleep. The answer goes back by a word that the waker looks
// at, so the figure is one way: from before the call that wakes to the first instruction of what
// was woken. Printed are the median and the 99th percentile of both, and the median and the 95 %
// interval of the ratios of neighbouring batches.
#include <pthread.h>
#include <weft/weft.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include "one_way.hpp"

namespace {

using one_way::measure_batch;
using one_way::must;
using one_way::print;
using one_way::print_ratios;
using one_way::round_trip;

class weft_sleeper {
 public:
  void sleep_and_answer() {
    for (;;) {
      must(weft_event_wait(&event_) == WEFT_OK, "weft_event_wait");
      must(weft_event_reset(&event_) == WEFT_OK, "weft_event_reset");
      if (trip.is_over.load(std::memory_order_relaxed)) return;
      trip.answer();
    }
  }
  void wake() { must(weft_event_set(&event_) == WEFT_OK, "weft_event_set"); }

  round_trip trip;

 private:
  weft_event event_ = WEFT_EVENT_INIT;
};

class posix_sleeper {
 public:
  void sleep_and_answer() {
    for (;;) {
      must(pthread_mutex_lock(&mutex_) == 0, "pthread_mutex_lock");
      while (!is_set_) pthread_cond_wait(&condition_, &mutex_);
      is_set_ = false;
      must(pthread_mutex_unlock(&mutex_) == 0, "pthread_mutex_unlock");
      if (trip.is_over.load(std::memory_order_relaxed)) return;
      trip.answer();
    }
  }
  void wake() {
    must(pthread_mutex_lock(&mutex_) == 0, "pthread_mutex_lock");
    is_set_ = true;
    must(pthread_cond_signal(&condition_) == 0, "pthread_cond_signal");
    must(pthread_mutex_unlock(&mutex_) == 0, "pthread_mutex_unlock");
  }

  round_trip trip;

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition_ = PTHREAD_COND_INITIALIZER;
  bool is_set_ = false;
};

template <class Sleeper>
void end(Sleeper& sleeper) {
  sleeper.trip.is_over.store(true, std::memory_order_relaxed);
  sleeper.wake();
}

void measure(std::size_t batches, weft_sleeper& ours, posix_sleeper& theirs) {
  std::vector<double> our_samples, their_samples;
  for (std::size_t i = 0; i <= batches; ++i) {  // the first ones warm up
    if (i == 1) our_samples.clear(), their_samples.clear();
    measure_batch(ours, our_samples);
    measure_batch(theirs, their_samples);
  }
  print("weft event", our_samples);
  print("pthread condition", their_samples);
  print_ratios(our_samples, their_samples);
}

}  // namespace

int main(int argc, char** argv) {
  const one_way::size size = one_way::size_of_run(argc, argv);
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = size.workers;
  must(weft_init(&config) == WEFT_OK, "weft_init");
  {
    weft_sleeper ours;
    posix_sleeper theirs;
    weft::thread thread([&] { ours.sleep_and_answer(); });
    std::thread os_thread([&] { theirs.sleep_and_answer(); });
    std::thread waker([&] {
      measure(size.batches, ours, theirs);
      end(ours);
      end(theirs);
    });
    thread.join();
    os_thread.join();
    waker.join();
  }
  must(weft_finalize() == WEFT_OK, "weft_finalize");
  return 0;
}
