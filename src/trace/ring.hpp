// The records of one worker: a ring, in which the newest push out the oldest. Protocol H,
// docs/protocols/H.md.
//
// One writer: the worker's OS thread, or the holder of the lock of those outside. One reader at the
// end, which may come while the writer is still at it when the program dies: it leaves out the one
// place that may be written right then.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "trace/record.hpp"

namespace weft::trace {

class ring {
 public:
  // bytes: at least two records. False: no memory.
  bool start(std::size_t bytes);
  // In memory of the caller's, which several processes may map at one address. Do not stop it.
  void start_in(void* memory, std::size_t bytes);
  // A copy of another process's ring in memory of the caller's: its first records, as that ring has
  // them, and how many it has written.
  void adopt(void* memory, std::size_t bytes, std::uint64_t written) {
    start_in(memory, bytes);
    written_.store(written, base::relaxed);
  }
  std::uint64_t written() const { return written_.load(base::relaxed); }
  // How many of the first places hold records.
  static std::uint64_t used(std::uint64_t written, std::size_t bytes) {
    return written < bytes / sizeof(record) ? written : bytes / sizeof(record);
  }
  bool is_started() const { return places_ != nullptr; }
  void stop();

  void put(const record& one) {
    const std::uint64_t number = written_.load(base::relaxed);
    places_[number % capacity_] = one;
    // [H1] release: publishes the record; pairs with [H2]
    written_.store(number + 1, base::release);
  }

  // Calls each(record) as read does. No other process or OS thread uses the ring.
  template <class Each>
  void change(Each each) {
    read([&](const record* one) { each(const_cast<record*>(one)); });
  }

  // Calls each(record) for all that are still there, the oldest first. Returns how many were pushed
  // out.
  template <class Each>
  std::uint64_t read(Each each) const {
    // [H2] acquire: sees the records; pairs with [H1]
    const std::uint64_t written = written_.load(base::acquire);
    const std::uint64_t first = written < capacity_ ? 0 : written - capacity_ + 1;
    for (std::uint64_t number = first; number < written; ++number) each(&places_[number % capacity_]);
    return first;
  }

 private:
  record* places_ = nullptr;
  std::uint64_t capacity_ = 0;
  base::atomic<std::uint64_t> written_{0};
};

}  // namespace weft::trace
