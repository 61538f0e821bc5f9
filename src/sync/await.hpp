// Arming an awaiter's record at any object, by its kind.
#pragma once

#include "base/status.hpp"
#include "run/awaiter.hpp"

namespace weft::sync {

enum class await_kind : unsigned {
  deadline,
  mutex,
  condition,
  semaphore,
  event,
  barrier,
  future,
  feb_read,
  feb_take,
  feb_write,
  thread,
  rwlock_read,
  rwlock_write,
  word_4,
  word_8,
  feb_overwrite,
  syncvar_read,
  syncvar_overwrite,
  syncvar_take,
  syncvar_write,
  polled
};
inline constexpr unsigned await_kinds = 21;

// One's object and value are set. Errors: invalid, busy, nomem, ended.
status arm(sched::await_record* one, await_kind kind, sched::armed_as* what);

// An awaiter with one record, no deadline, and no thread to wait for: nothing comes before the
// record is in its queue.
status arm_alone(sched::awaiter* one, await_kind kind, bool* waits);
// What became of it, after a problem, or when all records are armed or one is over.
status end_arming(sched::awaiter* one, status problem, std::uint64_t deadline_ns, bool* waits);

// All of an awaiter's records, of which kind_of(record) is the kind, while none is armed, or the
// number of the one to come. *waits false: the wait is over. Errors: those of arm; timeout;
// not_initialized (the runtime is ending); ended (a thread was dropped meanwhile).
template <class KindOf>
status arm_all(sched::awaiter* one, KindOf kind_of, std::uint64_t deadline_ns, bool* waits) {
  sched::await_record* each = one->records;
  if (const status result = sched::begin_arming_early(one, deadline_ns); result != status::ok) return result;
  sched::armed_as what = sched::armed_as::waits;
  status problem = status::ok;
  for (; each != nullptr && what == sched::armed_as::waits && problem == status::ok; each = each->following) {
    problem = arm(each, kind_of(each), &what);
  }
  return end_arming(one, problem, deadline_ns, waits);
}

}  // namespace weft::sync
