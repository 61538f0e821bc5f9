// See await.hpp.
#include "sync/await.hpp"

#include "sync/barrier.hpp"
#include "sync/condvar.hpp"
#include "sync/event.hpp"
#include "sync/feb.hpp"
#include "sync/future.hpp"
#include "sync/mutex.hpp"
#include "sync/polled.hpp"
#include "sync/rwlock.hpp"
#include "sync/semaphore.hpp"
#include "sync/syncvar.hpp"
#include "sync/word.hpp"
#include "worker/failure.hpp"

namespace weft::sync {

namespace {

template <class Object>
Object* object_of(const sched::await_record* one) {
  return static_cast<Object*>(const_cast<void*>(one->object));
}

status arm_at_feb(sched::await_record* one, feb::operation what, sched::armed_as* result) {
  return feb::await(one, object_of<std::uint64_t>(one), what, result);
}

status arm_at_syncvar(sched::await_record* one, feb::operation what, sched::armed_as* result) {
  return object_of<syncvar>(one)->await(one, what, result);
}

}  // namespace

status arm(sched::await_record* one, await_kind kind, sched::armed_as* what) {
  *what = sched::armed_as::waits;
  switch (kind) {
    case await_kind::deadline: break;
    case await_kind::mutex: return object_of<mutex>(one)->await(one, what);
    case await_kind::condition: *what = object_of<condvar>(one)->await(one); break;
    case await_kind::semaphore: *what = object_of<semaphore>(one)->await(one); break;
    case await_kind::event: *what = object_of<event>(one)->await(one); break;
    case await_kind::barrier: return object_of<barrier>(one)->await(one, what);
    case await_kind::future: *what = object_of<future>(one)->await(one); break;
    case await_kind::feb_read: return arm_at_feb(one, feb::operation::read, what);
    case await_kind::feb_overwrite: return arm_at_feb(one, feb::operation::overwrite, what);
    case await_kind::feb_take: return arm_at_feb(one, feb::operation::take, what);
    case await_kind::feb_write: return arm_at_feb(one, feb::operation::write, what);
    case await_kind::syncvar_read: return arm_at_syncvar(one, feb::operation::read, what);
    case await_kind::syncvar_overwrite: return arm_at_syncvar(one, feb::operation::overwrite, what);
    case await_kind::syncvar_take: return arm_at_syncvar(one, feb::operation::take, what);
    case await_kind::syncvar_write: return arm_at_syncvar(one, feb::operation::write, what);
    case await_kind::thread: return sched::arm_join(one, object_of<sched::unit>(one), what);
    case await_kind::rwlock_read: *what = object_of<rwlock>(one)->await(rwlock::access::reading, one); break;
    case await_kind::rwlock_write: *what = object_of<rwlock>(one)->await(rwlock::access::writing, one); break;
    case await_kind::word_4: *what = await_word(one, one->object, false, one->value); break;
    case await_kind::polled: return await_polled(one, object_of<const polled>(one), what);
    case await_kind::word_8: *what = await_word(one, one->object, true, one->value); break;
  }
  return status::ok;
}

status arm_alone(sched::awaiter* one, await_kind kind, bool* waits) {
  sched::begin_arming(one, sched::armed);
  sched::armed_as what{};
  const status result = arm(one->records, kind, &what);
  *waits = result == status::ok && what == sched::armed_as::waits;
  if (!*waits) sched::disarm(one);
  return result;
}

status end_arming(sched::awaiter* one, status problem, std::uint64_t deadline_ns, bool* waits) {
  *waits = false;
  const bool had_passed = deadline_ns != sched::forever && !one->has_alarm;  // when it began; a look at the clock is not cheap
  if (problem == status::ok && had_passed) problem = status::timeout;
  if (problem == status::ok) {
    *waits = sched::finish_arming(one);
    if (*waits) return status::ok;  // the awaiter may be gone
  } else if (sched::give_up_arming(one)) {
    return problem;
  }
  if (one->winner != nullptr) return status::ok;
  if (one->unmet != status::ended) return one->unmet;
  return one->was_dropped ? sched::because(status::ended, nullptr, sched::was_dropped_at_the_end) : sched::refuse_while_ending();
}

}  // namespace weft::sync
