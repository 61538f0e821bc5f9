// A lock for many readers or one writer, first come first served: a reader that comes after a
// waiting writer waits behind it, so neither kind can starve the other. An unlock hands the lock
// over to those at the front: a writer, or all readers up to the next one.
//
// Read locks do not nest: a second one of the same caller deadlocks behind a writer that waits in
// between.
#pragma once

#include <cstdint>

#include "base/debug_fields.hpp"
#include "base/status.hpp"
#include "queue/spinlock.hpp"
#include "sync/waiters.hpp"
#include "worker/failure.hpp"

namespace weft::sync {

constexpr sched::call_errors errors_of_rwlock(const char* call) {
  return {.call = call, .argument = "lock", .deadlock = {"lock", "the caller holds it to write"}};
}
// Lock and unlock name their failures so.
inline constexpr sched::call_errors rwlock_reading = errors_of_rwlock("weft_rwlock_read_lock");
inline constexpr sched::call_errors rwlock_writing = errors_of_rwlock("weft_rwlock_write_lock");
inline constexpr sched::call_errors rwlock_unlocking{"weft_rwlock_unlock", "lock"};

class rwlock {
 public:
  enum class access : std::uint32_t { reading, writing };

  // Errors: cannot_block, timeout; deadlock (the caller is the writer; checked builds only).
  status lock(access how, std::uint64_t deadline_ns);
  // The lock then belongs to no thread: in checked builds any caller may give it back.
  sched::armed_as await(access how, sched::await_record* one);
  // Errors: busy.
  status try_lock(access how);
  // Errors: not_owner (it is not held; in checked builds also when another writes).
  status unlock();

 private:
  static void leave(sched::await_record* one);
  friend struct weft::debug_fields;

  bool take(access how);
  void hold(access how, std::uintptr_t by);
  bool is_written_by(std::uintptr_t who) const;
  void grant(wake_later* chosen);
  status wait(access how, std::uint64_t deadline_ns);

  // guarded by lock_
  queue::spinlock lock_;
  std::uint32_t readers_ = 0;
  bool has_writer_ = false;
  std::uintptr_t writer_ = 0;  // caller_id(), in checked builds
  wait_queue queue_;
};

}  // namespace weft::sync
