// See rwlock.hpp.
#include "sync/rwlock.hpp"

#include <new>

#include "base/config.hpp"
#include "sync/caller.hpp"
#include "worker/failure.hpp"

namespace weft::sync {

namespace {

// What a waiter asks for; the payload of its record.
struct request {
  rwlock::access how;
  std::uintptr_t who;
};

const request* request_of(const sched::waiter* one) { return static_cast<const request*>(one->payload); }

const sched::call_errors& locking(rwlock::access how) { return how == rwlock::access::reading ? rwlock_reading : rwlock_writing; }

std::uintptr_t checked_caller() { return config::checked ? caller_id() : 0; }

}  // namespace

// ---- inside lock_ ----

void rwlock::hold(access how, std::uintptr_t by) {
  if (how == access::reading) {
    ++readers_;
  } else {
    has_writer_ = true;
    writer_ = by;
  }
}

bool rwlock::take(access how) {
  if (has_writer_ || !queue_.is_empty() || (how == access::writing && readers_ != 0)) return false;
  hold(how, checked_caller());
  return true;
}

// In checked builds; elsewhere it is not known.
bool rwlock::is_written_by(std::uintptr_t who) const { return config::checked && has_writer_ && writer_ == who; }

// Hands the lock over to those at the front of the queue that can have it together.
void rwlock::grant(wake_later* chosen) {
  while (!has_writer_ && !queue_.is_empty()) {
    const request wanted = *request_of(queue_.front());  // the record may be gone once it is woken
    if (wanted.how == access::writing && readers_ != 0) return;
    if (chosen->add(queue_.pop_front())) hold(wanted.how, wanted.who);
  }
}

// ---- the calls ----

status rwlock::try_lock(access how) {
  const queue::guard inside(lock_);
  return take(how) ? status::ok : status::busy;
}

status rwlock::lock(access how, std::uint64_t deadline_ns) {
  if (try_lock(how) == status::ok) return status::ok;
  if (const status problem = may_wait(deadline_ns); problem != status::ok) return sched::tell(problem, locking(how), this);
  return wait(how, deadline_ns);
}

status rwlock::wait(access how, std::uint64_t deadline_ns) {
  request mine{how, checked_caller()};
  sched::waiter me{how == access::reading ? "rwlock, to read" : "rwlock, to write", this};
  me.payload = &mine;
  me.deadline_ns = deadline_ns;
  lock_.lock();
  if (take(how)) {
    lock_.unlock();
    return status::ok;
  }
  if (is_written_by(mine.who) && !caller_may_be_several()) {  // it keeps forks of one forker apart
    lock_.unlock();
    return sched::tell(status::deadlock, locking(how), this);
  }
  queue_.push_back(&me);
  bool holds_lock;
  const status result = wait_in(&me, &queue_, &lock_, &holds_lock);
  if (!holds_lock) return sched::tell(result, locking(how), this);
  wake_later chosen;
  if (result == status::timeout) grant(&chosen);  // readers may have stood behind this writer
  lock_.unlock();
  chosen.now();
  return sched::tell(result, locking(how), this);
}

void rwlock::leave(sched::await_record* one) {
  auto* const mine = static_cast<rwlock*>(const_cast<void*>(one->object));
  wake_later chosen;
  {
    const queue::guard inside(mine->lock_);
    if (!one->is_linked()) return;
    mine->queue_.remove(one);
    mine->grant(&chosen);  // readers may have stood behind this writer
  }
  chosen.now();
}

sched::armed_as rwlock::await(access how, sched::await_record* one) {
  const queue::guard inside(lock_);
  if (has_writer_ || !queue_.is_empty() || (how == access::writing && readers_ != 0)) {
    static_assert(sizeof(request) <= sizeof one->of_object);
    one->payload = new (one->of_object) request{how, no_thread};
    enter_queue(one, &queue_, leave);
    return sched::armed_as::waits;
  }
  const sched::armed_as result = over_or_lost(one);
  if (result == sched::armed_as::over) hold(how, no_thread);
  return result;
}

status rwlock::unlock() {
  wake_later chosen;
  {
    const queue::guard inside(lock_);
    if (has_writer_) {
      if (config::checked && !is_written_by(no_thread) && !is_written_by(caller_id()))
        return sched::tell(sched::because(status::not_owner, "lock", "another caller holds it to write"), rwlock_unlocking, this);
      has_writer_ = false;
    } else if (readers_ != 0) {
      --readers_;
    } else {
      return sched::tell(sched::because(status::not_owner, "lock", "no caller holds it"), rwlock_unlocking, this);
    }
    grant(&chosen);
  }
  chosen.now();
  return status::ok;
}

}  // namespace weft::sync
