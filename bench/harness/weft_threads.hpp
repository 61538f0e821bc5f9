// What Weft offers its threads, in its C++ interface where it has one for the purpose: see
// threads.hpp.
#pragma once

#include <array>
#include <cstddef>

#include <weft/condition_variable.hpp>
#include <weft/mutex.hpp>

#include "harness/bounded_channel.hpp"
#include "harness/must.hpp"

namespace bench {

class weft_ult {
 public:
  template <class Record>
  void start_record(Record* record) {
    thread_ = create([](void* argument) { static_cast<Record*>(argument)->run(); }, record);
  }
  void join() { bench::join(thread_); }

 private:
  weft_thread* thread_;
};

class weft_neighbours {
 public:
  template <class Record>
  void start(unsigned worker, Record* first, Record* second) {
    threads_ = {start_on(worker, first), start_on(worker, second)};
  }
  void join() {
    for (weft_thread* const each : threads_) bench::join(each);
  }
  // WEFT_AGAIN: the other was not ready yet, and this was a plain yield.
  void yield_to(std::size_t which) {
    weft_status const status = weft_yield_to(threads_[which]);
    if (status != WEFT_AGAIN) must(status, "weft_yield_to");
  }

 private:
  template <class Record>
  static weft_thread* start_on(unsigned worker, Record* record) {
    weft_thread_attr attributes = WEFT_THREAD_ATTR_INIT;
    attributes.worker = static_cast<int>(worker);
    weft_thread* thread = nullptr;
    weft_function const function = [](void* argument) { static_cast<Record*>(argument)->run(); };
    must(weft_thread_create(function, record, &attributes, &thread), "weft_thread_create");
    return thread;
  }

  std::array<weft_thread*, 2> threads_{};
};

struct weft_threads {
  using thread = weft_ult;
  using mutex = weft::mutex;
  using condition = weft::condition_variable;
  using channel = bounded_channel<mutex, condition>;
  using neighbours = weft_neighbours;
  static void yield() { weft_yield(); }
};

}  // namespace bench
