// How long a byte that is written to a pipe takes to reach its reader, which sleeps.
//
//     pipe-wakes [WORKERS [SAMPLES]]
//
// The readers are a thread of Weft whose worker sleeps in a source (weft_ext_source_add_with); a
// thread of Weft beside an OS thread that watches the pipe and notifies a source
// (weft_ext_source_notify); and an OS thread in read(2). They take turns in one process. Figures as
// of wakes: one way, from before the write to the first instruction behind the wait.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <weft/ext.h>
#include <weft/weft.hpp>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "one_way.hpp"

namespace {

using one_way::measure_batch;
using one_way::must;
using one_way::print;
using one_way::print_ratios;
using one_way::round_trip;

void watch(int set, int descriptor, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  must(epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll_ctl");
}

// The pipe, and what ends a wait for it.
struct bell_and_set {
  bell_and_set(int pipe_end, std::uint32_t events) {
    watch(set, pipe_end, events);
    watch(set, bell, EPOLLIN);
  }
  void ring() const {
    const std::uint64_t one = 1;
    must(write(bell, &one, sizeof one) > 0, "write");
  }
  // True: it rang.
  bool wait() const {
    epoll_event event;
    std::uint64_t rings;
    if (epoll_wait(set, &event, 1, -1) != 1 || event.data.fd != bell) return false;
    must(read(bell, &rings, sizeof rings) > 0, "read");
    return true;
  }

  int bell = eventfd(0, EFD_CLOEXEC);
  int set = epoll_create1(EPOLL_CLOEXEC);
};

class pipe_pair {
 public:
  explicit pipe_pair(int flags) { must(pipe2(ends_, O_CLOEXEC | flags) == 0, "pipe2"); }

  int read_end() const { return ends_[0]; }
  void write_one() const { must(write(ends_[1], "x", 1) == 1, "write"); }
  bool read_one() const {
    char byte;
    return read(ends_[0], &byte, 1) == 1;
  }

 private:
  int ends_[2];
};

// A thread of Weft that waits for a semaphore, which a poll of the pipe releases.
class weft_reader {
 public:
  void sleep_and_answer() {
    for (;;) {
      arrived_.acquire();
      if (trip.is_over.load(std::memory_order_relaxed)) return;
      trip.answer();
    }
  }
  void wake() const { pipe_.write_one(); }
  void end() { arrived_.release(); }

  round_trip trip;

 protected:
  static std::size_t poll(void* state) {
    auto* self = static_cast<weft_reader*>(state);
    if (!self->pipe_.read_one()) return 0;
    self->arrived_.release();
    return 1;
  }

  pipe_pair pipe_{O_NONBLOCK};
  weft_source* source_ = nullptr;

 private:
  weft::counting_semaphore<> arrived_{0};
};

// Its worker sleeps where the byte arrives.
class sleeping_worker : public weft_reader {
 public:
  void begin_batch() {
    weft_source_ops ops{};
    ops.size = sizeof ops;
    ops.poll = poll;
    ops.wait = [](void* state, std::uint64_t) { static_cast<void>(of(state)->news_.wait()); };
    ops.wake = [](void* state) { of(state)->news_.ring(); };
    must(weft_ext_source_add_with(&ops, static_cast<weft_reader*>(this), &source_) == WEFT_OK, "weft_ext_source_add_with");
  }
  void end_batch() { must(weft_ext_source_remove(source_) == WEFT_OK, "weft_ext_source_remove"); }

 private:
  static sleeping_worker* of(void* state) { return static_cast<sleeping_worker*>(static_cast<weft_reader*>(state)); }

  bell_and_set news_{pipe_.read_end(), EPOLLIN};
};

// An OS thread of the program sleeps where the byte arrives.
class watched_pipe : public weft_reader {
 public:
  void begin_batch() {
    must(weft_ext_source_add(poll, static_cast<weft_reader*>(this), &source_) == WEFT_OK, "weft_ext_source_add");
    watcher_ = std::thread([this] {
      while (!news_.wait()) weft_ext_source_notify(source_);
    });
  }
  void end_batch() {
    news_.ring();
    watcher_.join();
    must(weft_ext_source_remove(source_) == WEFT_OK, "weft_ext_source_remove");
  }

 private:
  bell_and_set news_{pipe_.read_end(), EPOLLIN | EPOLLET};  // once for each byte
  std::thread watcher_;
};

class os_reader {
 public:
  void begin_batch() {}
  void end_batch() {}
  void sleep_and_answer() {
    while (pipe_.read_one() && !trip.is_over.load(std::memory_order_relaxed)) trip.answer();
  }
  void wake() const { pipe_.write_one(); }
  void end() const { wake(); }

  round_trip trip;

 private:
  pipe_pair pipe_{0};
};

template <class Reader>
void measure_one(Reader& reader, std::vector<double>& samples) {
  reader.begin_batch();
  measure_batch(reader, samples);
  reader.end_batch();
}

template <class Reader>
void end(Reader& reader) {
  reader.trip.is_over.store(true, std::memory_order_relaxed);
  reader.end();
}

void measure(std::size_t batches, sleeping_worker& ours, watched_pipe& watched, os_reader& theirs) {
  std::vector<double> our_samples, watched_samples, their_samples;
  for (std::size_t i = 0; i <= batches; ++i) {  // the first ones warm up
    if (i == 1) our_samples.clear(), watched_samples.clear(), their_samples.clear();
    measure_one(ours, our_samples);
    measure_one(watched, watched_samples);
    measure_one(theirs, their_samples);
  }
  print("a worker sleeps there", our_samples);
  print("an OS thread watches", watched_samples);
  print("read(2)", their_samples);
  std::puts("a worker sleeps there, beside an OS thread that watches:");
  print_ratios(our_samples, watched_samples);
  std::puts("a worker sleeps there, beside read(2):");
  print_ratios(our_samples, their_samples);
}

}  // namespace

int main(int argc, char** argv) {
  const one_way::size size = one_way::size_of_run(argc, argv);
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = size.workers;
  must(weft_init(&config) == WEFT_OK, "weft_init");
  {
    sleeping_worker ours;
    watched_pipe watched;
    os_reader theirs;
    weft::thread thread([&] { ours.sleep_and_answer(); });
    weft::thread watched_thread([&] { watched.sleep_and_answer(); });
    std::thread os_thread([&] { theirs.sleep_and_answer(); });
    std::thread waker([&] {
      measure(size.batches, ours, watched, theirs);
      end(ours);
      end(watched);
      end(theirs);
    });
    thread.join();
    watched_thread.join();
    os_thread.join();
    waker.join();
  }
  must(weft_finalize() == WEFT_OK, "weft_finalize");
  return 0;
}
