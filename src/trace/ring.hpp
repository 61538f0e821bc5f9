// The records of one worker: a ring, in which the newest push out the oldest. Protocol H,
// docs/protocols/H.md.
//
// One writer: the worker's OS thread, or the holder of the lock of those outside. One reader at the
// end, which may come while the writer is still at it when the program dies: it leaves out the one
// place that may be written right then. Readers meanwhile copy the ring, and leave out what the
// writer may have reached before the copy was made.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/atomic.hpp"
#include "os/fence.hpp"
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
    // [H7] light fence: the count is there before its place changes; pairs with [H9]
    base::light_fence();
    write(&places_[number % capacity_], one);
    // [H1] release: publishes the record; pairs with [H2] [H8]
    written_.store(number + 1, base::release);
  }

  // ---- a copy while the writer goes on: snapshot.cpp ----

  std::uint64_t capacity() const { return capacity_; }
  // How many records a copy may read.
  std::uint64_t count() const {
    // [H8] acquire: sees the records; pairs with [H1]
    return written_.load(base::acquire);
  }
  // The places of `count` records so far, of which the writer may change some meanwhile.
  void copy(record* to, std::uint64_t count) const {
    const std::uint64_t used = count < capacity_ ? count : capacity_;
    for (std::uint64_t index = 0; index < used; ++index) read(&places_[index], &to[index]);
  }
  // After the copy: how many of its oldest records the writer may have reached.
  std::uint64_t passed() const {
    // [H9] heavy fence: what the copy saw of a record comes behind the count before it; pairs with [H7]
    os::heavy_fence();
    const std::uint64_t written = written_.load(base::relaxed);
    return written < capacity_ ? 0 : written - capacity_ + 1;
  }
  // Is such a copy of a ring of that capacity. Do not stop it.
  void become_copy(record* memory, std::uint64_t capacity, std::uint64_t count) {
    places_ = memory;
    capacity_ = capacity;
    written_.store(count, base::relaxed);
  }
  void leave_out(std::uint64_t passed) { passed_ = passed < written() ? passed : written(); }
  record* places() const { return places_; }

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
    const std::uint64_t reached = written < capacity_ ? 0 : written - capacity_ + 1;
    const std::uint64_t first = reached < passed_ ? passed_ : reached;
    for (std::uint64_t number = first; number < written; ++number) each(&places_[number % capacity_]);
    return first;
  }

 private:
  static void write(record* place, const record& one) {
    std::uint64_t words[record_words];
    std::memcpy(words, &one, sizeof one);
    auto* to = reinterpret_cast<std::uint64_t*>(place);
    for (std::size_t index = 0; index < record_words; ++index) base::store_relaxed(to[index], words[index]);
  }
  static void read(const record* place, record* out) {
    std::uint64_t words[record_words];
    const auto* from = reinterpret_cast<const std::uint64_t*>(place);
    for (std::size_t index = 0; index < record_words; ++index) words[index] = base::load_relaxed(from[index]);
    std::memcpy(out, words, sizeof words);
  }

  record* places_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::uint64_t passed_ = 0;  // of a copy: records that it lacks
  base::atomic<std::uint64_t> written_{0};
};

}  // namespace weft::trace
