// See mutex.hpp and docs/protocols/L.md.
#include "sync/mutex.hpp"

#include <new>

#include "base/assert.hpp"
#include "os/fence.hpp"
#include "sync/caller.hpp"

namespace weft::sync {

namespace {

// How a waiter stands with the lock; guarded by the mutex's spinlock until its wake-up.
// An awaiter does not try again: it is handed the lock at once.
enum class turn { first_come, lost_once, handed_over, awaits };

constexpr int spin_rounds = 20;

turn* turn_of(sched::waiter* one) { return static_cast<turn*>(one->payload); }

// Forks and their forker are one caller, and may count at the same time.
class among_siblings {
 public:
  among_siblings(queue::spinlock& lock, caller who) : lock_(who.may_be_several ? &lock : nullptr) {
    if (lock_ != nullptr) lock_->lock();
  }
  ~among_siblings() {
    if (lock_ != nullptr) lock_->unlock();
  }
  among_siblings(const among_siblings&) = delete;
  among_siblings& operator=(const among_siblings&) = delete;

 private:
  queue::spinlock* const lock_;
};

}  // namespace

void mutex::prepare() {
  if (os::register_asymmetric_fence()) static_cast<void>(os::enable_restartable_stores(arch::has_restartable_store));
}

// ---- taking ----

// Takes the lock if it is free; `mine` are the bits of the word that the caller may clear with
// that.
bool mutex::take_free(std::uint32_t mine) {
  std::uint32_t word = word_.load(base::relaxed);
  while ((word & held) == 0) {
    // [L3] acquire: as [L1]; pairs with [L2] [L5]
    if (word_.compare_exchange_weak(word, (word | held) & ~mine, base::acquire, base::relaxed)) return true;
  }
  return false;
}

// A short critical section on another worker is over sooner than a switch is done. No caller
// spins past the waiters.
bool mutex::spin_for_it() {
  if (take_free(0)) return true;
  if (!others_may_run()) return false;
  for (int round = 0; round < spin_rounds; ++round) {
    if ((word_.load(base::relaxed) & waiters) != 0) return false;
    arch::pause();
    if (take_free(0)) return true;
  }
  return false;
}

// Inside lock_. Either takes the lock (true), or marks it so that its holder's unlock comes to the
// queue.
bool mutex::take_or_announce(std::uint32_t mine) {
  for (;;) {
    std::uint32_t word = word_.load(base::relaxed);
    const bool is_free = (word & held) == 0;
    const std::uint32_t next = (word | (is_free ? held : waiters | contended)) & ~mine;
    // [L4] acquire: as [L1]; pairs with [L2] [L5]
    if (!word_.compare_exchange_weak(word, next, base::acquire, base::relaxed)) continue;
    if (is_free) return true;
    if ((word & contended) != 0 || mark_stands()) return false;
  }
}

// The holder of a mutex that was never contended may be in the middle of a restartable store that
// wipes the mark out.
bool mutex::mark_stands() {
  if (os::is_alone() || !os::needs_restart_fence()) return true;
  os::restart_fence();
  return (word_.load(base::relaxed) & contended) != 0;
}

status mutex::note_taken() {
  if (!knows_owner()) note_address();
  return status::ok;
}

status mutex::wait_for_it(std::uint64_t deadline_ns) {
  if (spin_for_it()) return note_taken();
  if (const status problem = may_wait(deadline_ns); problem != status::ok) return sched::tell(problem, mutex_locking, this);
  turn mine = turn::first_come;
  sched::waiter me{"mutex", this};
  me.payload = &mine;
  me.holder = &owner_;
  me.is_holder_address = knows_owner() ? 0 : 1;
  me.deadline_ns = deadline_ns;
  lock_.lock();
  if (take_or_announce(0)) {
    lock_.unlock();
    return note_taken();
  }
  queue_.push_back(&me);
  for (;;) {
    bool holds_lock;
    const status result = wait_in(&me, &queue_, &lock_, &holds_lock);
    if (result != status::ok) return leave_queue();
    if (holds_lock) lock_.unlock();
    if (mine == turn::handed_over || take_free(waking)) return note_taken();
    lock_.lock();
    if (take_or_announce(waking)) {
      lock_.unlock();
      return note_taken();
    }
    mine = turn::lost_once;
    me.word.store(sched::waiting, base::relaxed);
    queue_.push_front(&me);
  }
}

// Inside lock_, which it releases: after a timeout.
status mutex::leave_queue() {
  if (queue_.is_empty()) word_.fetch_and(~waiters, base::relaxed);
  lock_.unlock();
  return sched::tell(status::timeout, mutex_locking, this);
}

// ---- awaiters ----

void mutex::leave_queue_of(sched::await_record* one) {
  auto* const mine = static_cast<mutex*>(const_cast<void*>(one->object));
  const queue::guard inside(mine->lock_);
  if (one->is_linked()) mine->queue_.remove(one);
  if (mine->queue_.is_empty()) mine->word_.fetch_and(~waiters, base::relaxed);
}

status mutex::await(sched::await_record* one, sched::armed_as* what) {
  if (is_recursive()) return sched::because(status::invalid, "object", "it is a recursive mutex, which a thread owns");
  static_assert(sizeof(turn) <= sizeof one->of_object);
  one->payload = new (one->of_object) turn(turn::awaits);
  lock_.lock();
  if (!take_or_announce(0)) {
    enter_queue(one, &queue_, leave_queue_of);
    lock_.unlock();
    *what = sched::armed_as::waits;
    return status::ok;
  }
  if (knows_owner()) own(no_thread);
  lock_.unlock();
  *what = over_or_lost(one);
  return *what == sched::armed_as::over ? note_taken() : unlock();
}

// ---- giving back ----

// Frees the lock, as the last access to the mutex. False: a waiter must be chosen first.
bool mutex::give_free() {
  std::uint32_t word = word_.load(base::relaxed);
  do {
    if ((word & (waiters | waking)) == waiters) return false;
    // [L5] release: as [L2]; pairs with [L1] [L3] [L4]
  } while (!word_.compare_exchange_weak(word, word & ~held, base::release, base::relaxed));
  return true;
}

// The caller holds the mutex, and no woken waiter is on its way. True: the mutex now belongs to the
// waiter that was chosen.
bool mutex::choose_next(wake_later* chosen) {
  const queue::guard inside(lock_);
  bool is_given = false;
  bool is_awaiters = false;
  bool is_woken = false;
  while (!is_woken && !queue_.is_empty()) {
    sched::waiter* first = queue_.pop_front();
    is_awaiters = *turn_of(first) == turn::awaits;
    is_given = is_awaiters || (is_unfair_ == 0 && *turn_of(first) == turn::lost_once);
    if (is_given && !is_awaiters) *turn_of(first) = turn::handed_over;
    is_woken = chosen->add(first);
  }
  // While the mutex is held and no caller on the way, others change the word only inside lock_.
  const std::uint32_t kind = word_.load(base::relaxed) & (recursive | contended);
  is_given = is_given && is_woken;
  if (is_given && is_awaiters && knows_owner()) own(no_thread);
  word_.store(kind | held | (queue_.is_empty() ? 0 : waiters) | (is_woken && !is_given ? waking : 0), base::relaxed);
  return is_given;
}

void mutex::pass_on() {
  wake_later chosen;
  // While the mutex is free, a waiter would take the old value for a holder.
  if (!knows_owner()) owner_.store(0, base::relaxed);
  while (!give_free()) {
    if (choose_next(&chosen)) break;
  }
  chosen.now();
}

// ---- owners: recursive mutexes, and checks ----

// Of a mutex that is held, inside lock_ or by its holder.
void mutex::own(std::uintptr_t owner) {
  owner_.store(owner, base::relaxed);
  times_held_ = 1;
}

[[gnu::always_inline]] inline void mutex::note_owner(caller who) {
  const among_siblings hold(lock_, who);
  own(who.id);
}

// A recursive one that the caller holds: once more. False: the caller does not hold it.
[[gnu::always_inline]] inline bool mutex::enter_again(caller who, status* result) {
  if (owner_.load(base::relaxed) != who.id) return false;
  const among_siblings hold(lock_, who);
  if (owner_.load(base::relaxed) != who.id) return false;
  *result = times_held_ == UINT32_MAX ? sched::tell(status::again, mutex_locking, this) : status::ok;
  if (*result == status::ok) ++times_held_;
  return true;
}

// Or by no thread, and so by any.
inline bool mutex::is_owned_by(std::uintptr_t caller) const {
  const std::uintptr_t owner = owner_.load(base::relaxed);
  return owner == caller || owner == no_thread;
}

// The caller leaves it once, or however often it holds it. times: how often it held it. False: the
// caller does not hold it.
[[gnu::always_inline]] inline bool mutex::leave(caller who, bool wholly, std::uint32_t* times) {
  const among_siblings hold(lock_, who);
  if (!is_owned_by(who.id)) return false;
  *times = times_held_;
  times_held_ = wholly ? 0 : times_held_ - 1;
  if (times_held_ == 0) owner_.store(0, base::relaxed);
  return true;
}

status mutex::lock_recursive(std::uint64_t deadline_ns) {
  const caller who = who_calls();
  status result{};
  if (enter_again(who, &result)) return result;
  if (take_quietly<recursive>()) [[likely]] {
    note_owner(who);
    return status::ok;
  }
  result = wait_for_it(deadline_ns);
  if (result == status::ok) note_owner(who_calls());  // forks that were taken may run by now
  return result;
}

// Tail calls, so that this needs no frame.
status mutex::lock_slow(std::uint64_t deadline_ns) {
  return is_recursive() ? lock_recursive(deadline_ns) : lock_plain(deadline_ns);
}

[[gnu::noinline]] status mutex::lock_plain(std::uint64_t deadline_ns) {
  if (!knows_owner()) return wait_for_it(deadline_ns);
  const caller who = who_calls();
  if (owner_.load(base::relaxed) == who.id && !who.may_be_several) {  // it keeps forks of one forker apart
    return sched::tell(status::deadlock, mutex_locking, this);
  }
  const status result = take_quietly() ? status::ok : wait_for_it(deadline_ns);
  if (result == status::ok) note_owner(who_calls());
  return result;
}

status mutex::try_lock_slow() {
  if (!knows_owner()) return take_free(0) ? note_taken() : sched::tell(status::busy, mutex_trying, this);
  const caller who = who_calls();
  status result{};
  if (is_recursive() && enter_again(who, &result)) return result == status::ok ? status::ok : sched::rename(result, mutex_trying);
  if (!take_free(0)) return sched::tell(status::busy, mutex_trying, this);
  note_owner(who);
  return status::ok;
}

status mutex::refuse_to_give() const {
  const bool is_free = (word_.load(base::relaxed) & held) == 0;
  return sched::because(status::not_owner, "mutex",
                        is_free ? "no caller holds it" : "another caller holds it, and only that one may unlock it");
}

status mutex::refuse_to_unlock() const { return sched::tell(refuse_to_give(), mutex_unlocking, this); }

bool mutex::may_give(std::uintptr_t caller) const {
  if ((word_.load(base::relaxed) & held) == 0) return false;
  return !knows_owner() || is_owned_by(caller);
}

status mutex::unlock_recursive() {
  const caller who = who_calls();
  std::uint32_t times = 0;
  if ((word_.load(base::relaxed) & held) == 0 || !leave(who, false, &times)) return refuse_to_unlock();
  if (times == 1 && !give_quietly<recursive>()) pass_on();
  return status::ok;
}

status mutex::unlock_slow() { return is_recursive() ? unlock_recursive() : unlock_plain(); }

[[gnu::noinline]] status mutex::unlock_plain() {
  const bool has_owner = knows_owner();
  const caller who = has_owner ? who_calls() : caller{};
  if (!may_give(who.id)) {
    if (config::checked && (word_.load(base::relaxed) & held) != 0) {
      base::panic("unlock of mutex %p by a caller that does not hold it", static_cast<const void*>(this));
    }
    return refuse_to_unlock();
  }
  if (has_owner) {
    std::uint32_t times = 0;
    if (!leave(who, false, &times)) return refuse_to_unlock();
    if (give_quietly()) return status::ok;
  }
  pass_on();
  return status::ok;
}

status mutex::give_up_slow(std::uint32_t* times_held) {
  const bool has_owner = knows_owner();
  const caller who = has_owner ? who_calls() : caller{};
  if (!may_give(who.id)) return refuse_to_give();
  if (has_owner) {
    if (!leave(who, true, times_held)) return refuse_to_give();
    if (is_recursive() ? give_quietly<recursive>() : give_quietly()) return status::ok;
  }
  pass_on();
  return status::ok;
}

void mutex::take_back_slow(std::uint32_t times_held) {
  // A thread that was blocked in the wait may block again.
  WEFT_ALWAYS(lock_slow(sched::forever) == status::ok, "a condition's waiter takes its mutex again");
  if (!knows_owner()) return;
  const among_siblings hold(lock_, who_calls());
  times_held_ += times_held - 1;
}

}  // namespace weft::sync
