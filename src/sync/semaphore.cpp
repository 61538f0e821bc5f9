// See semaphore.hpp.
#include "sync/semaphore.hpp"

#include "arch/cpu.hpp"
#include "arch/unlocked.hpp"
#include "os/alone.hpp"
#include "os/thread.hpp"
#include "place/source.hpp"
#include "worker/local.hpp"
#include "worker/worker.hpp"

namespace weft::sync {

namespace {

// Marks in the word, above the tokens.
constexpr std::uint64_t is_held = std::uint64_t{1} << 63;       // the lock of the queue
constexpr std::uint64_t has_waiters = std::uint64_t{1} << 62;   // free tokens are theirs
constexpr std::uint64_t for_handlers = std::uint64_t{1} << 61;  // signal handlers release it
constexpr std::uint64_t all_marks = is_held | has_waiters | for_handlers;

std::uint64_t tokens_in(std::uint64_t word) { return word & ~all_marks; }
bool has(std::uint64_t word, std::uint64_t mark) { return (word & mark) != 0; }

// Wake-ups that a signal handler has decided on. A ULT is made ready by a worker afterwards; an OS
// thread outside is woken at once, because its record may go as soon as it was claimed.
class wake_from_here {
 public:
  // Inside the lock. False: the waiter's deadline came first.
  bool add(sched::waiter* one) {
    if (sched::is_awaiters(one)) return add_awaiter(sched::record_of(one));
    if (one->deadline_ns != sched::forever) {
      if (one->who == nullptr) return sched::wake(one);
      if (sched::take_to_wake(one) == nullptr) return false;
    }
    chosen_.push_back(one);
    return true;
  }
  // Outside the lock.
  void now() {
    while (sched::waiter* one = chosen_.pop_front()) {
      one->next = nullptr;
      const bool is_outside = one->who == nullptr && !sched::is_awaiters(one);
      is_outside ? static_cast<void>(sched::wake(one)) : sched::wake_from_handler(one);
    }
  }

 private:
  // ready is called by a worker, too.
  bool add_awaiter(sched::await_record* one) {
    const sched::claimed_as result = sched::claim_awaiter(one);
    if (result != sched::claimed_as::delivers) return result != sched::claimed_as::lost;
    one->is_claimed = true;
    chosen_.push_back(one);
    return true;
  }

  base::linked_queue<sched::waiter, base::list_link> chosen_;
};

}  // namespace

// As a compare-exchange, in a process with one OS thread: only signal handlers come in between.
// False: nothing was done.
bool semaphore::replace_alone(std::uint64_t seen, std::uint64_t wanted) {
  return os::is_alone() && arch::replace_unlocked(reinterpret_cast<std::uintptr_t*>(&word_), &seen, wanted);
}

// A free token that is no waiter's.
bool semaphore::take() {
  std::uint64_t seen = word_.load(base::relaxed);
  while (tokens_in(seen) != 0 && !has(seen, has_waiters)) {
    // [C1] acquire: sees what was done before the release; pairs with [C2]
    if (replace_alone(seen, seen - 1) || word_.compare_exchange_weak(seen, seen - 1, base::acquire, base::relaxed)) return true;
  }
  return false;
}

void semaphore::lock(std::uint64_t marks) {
  constexpr int patience = 100;
  std::uint64_t seen = word_.load(base::relaxed);
  for (int round = 0;;) {
    if (has(seen, is_held)) {
      round++ < patience ? arch::pause() : os::yield_cpu();
      seen = word_.load(base::relaxed);
      continue;
    }
    if (replace_alone(seen, seen | is_held | marks)) return;
    // [C3] acquire: sees the queue as the last holder left it; pairs with [C5]
    if (word_.compare_exchange_weak(seen, seen | is_held | marks, base::acquire, base::relaxed)) return;
  }
}

// Inside the lock: gives tokens to waiters, first come first served. Returns the word as last seen:
// then either no token was free, or no caller waits.
template <class Wakes>
std::uint64_t semaphore::hand_out(Wakes* chosen) {
  std::uint64_t seen = word_.load(base::relaxed);
  while (tokens_in(seen) != 0 && !queue_.is_empty()) {
    if (!chosen->add(queue_.pop_front())) continue;
    if (replace_alone(seen, seen - 1)) {
      --seen;
      continue;
    }
    // [C4] acquire: the woken sees what was done before the release; pairs with [C2]
    seen = word_.fetch_sub(1, base::acquire) - 1;
  }
  return seen;
}

// Tokens that come before the lock is free are handed out here; the word is not touched afterwards.
template <class Wakes>
void semaphore::unlock(Wakes* chosen) {
  for (;;) {
    std::uint64_t seen = hand_out(chosen);
    const std::uint64_t marks = queue_.is_empty() ? is_held | has_waiters : is_held;
    if (replace_alone(seen, seen & ~marks)) return;
    // [C5] release: publishes the queue; pairs with [C2] [C3]
    if (word_.compare_exchange_weak(seen, seen & ~marks, base::release, base::relaxed)) return;
  }
}

bool semaphore::take_slowly() {
  if (tokens_in(word_.load(base::relaxed)) == 0) return false;
  // The holder of the lock has not handed them out yet, and may have more than there are waiters.
  pass_lock(nullptr);
  return take();
}

[[gnu::noinline]] status semaphore::try_slowly() {
  return take_slowly() ? status::ok : sched::tell(status::busy, semaphore_trying, this);
}

status semaphore::try_acquire() { return take() ? status::ok : try_slowly(); }

// Waits until the last holder has done its work. Takes *leaver off the queue, if that is not null.
void semaphore::pass_lock(sched::waiter* leaver) {
  wake_later chosen;
  lock(0);
  if (leaver != nullptr && leaver->is_linked()) queue_.remove(leaver);
  unlock(&chosen);
  chosen.now();
}

// Once the context of the caller that waits is saved. It may be the one that is woken.
void semaphore::let_go(sched::worker* w, void* held) {
  wake_later chosen;
  static_cast<semaphore*>(held)->unlock(&chosen);
  if (chosen.is_empty()) [[likely]]
    return;
  if (w == nullptr) return chosen.now();
  const sched::without_identity nobody_wakes_it(w);  // not the unit that runs here now
  chosen.now();
}

status semaphore::acquire(std::uint64_t deadline_ns) {
  if (take() || take_slowly()) return status::ok;
  if (const status problem = may_wait(deadline_ns); problem != status::ok) return sched::tell(problem, semaphore_acquiring, this);
  sched::waiter me{"semaphore", this};
  me.deadline_ns = deadline_ns;
  const sched::expected_from_outside signal(has(word_.load(base::relaxed), for_handlers));
  lock(has_waiters);
  queue_.push_back(&me);
  const sched::wait_result result = sched::wait_held(&me, let_go, this);
  if (deadline_ns == sched::forever) return status::ok;
  pass_lock(&me);  // the waker of a record with a deadline may still be inside
  return result == sched::wait_result::woken ? status::ok : sched::tell(status::timeout, semaphore_acquiring, this);
}

void semaphore::leave(sched::await_record* one) { static_cast<semaphore*>(const_cast<void*>(one->object))->pass_lock(one); }

// A token that came meanwhile may be handed to the record before this returns.
sched::armed_as semaphore::await(sched::await_record* one) {
  if (take() || take_slowly()) {
    const sched::armed_as result = over_or_lost(one);
    if (result == sched::armed_as::lost) static_cast<void>(release(1));
    return result;
  }
  wake_later chosen;
  lock(has_waiters);
  enter_queue(one, &queue_, leave);
  unlock(&chosen);
  chosen.now();
  return sched::armed_as::waits;
}

// A signal handler's call tells it itself.
static status refuse(const semaphore* one, std::uint32_t count, std::uint64_t marks) {
  return marks == 0 ? sched::tell(status::invalid, semaphore_releasing, one, count) : status::invalid;
}

template <class Wakes>
status semaphore::release_and_wake(std::uint32_t count, std::uint64_t marks) {
  std::uint64_t seen = word_.load(base::relaxed);
  std::uint64_t next;
  bool is_mine;
  do {
    if (tokens_in(seen) + count > UINT32_MAX) return refuse(this, count, marks);
    is_mine = has(seen, has_waiters) && !has(seen, is_held);
    next = (seen + count) | marks | (is_mine ? is_held : 0);
    if (replace_alone(seen, next)) break;
    // [C2] acq_rel: publishes what was done before; sees the queue; pairs with [C1] [C4] [C5]
  } while (!word_.compare_exchange_weak(seen, next, base::acq_rel, base::relaxed));
  if (!is_mine) return status::ok;  // the semaphore may be gone
  Wakes chosen;
  unlock(&chosen);
  chosen.now();
  return status::ok;
}

status semaphore::release(std::uint32_t count) { return release_and_wake<wake_later>(count, 0); }

status semaphore::release_from_handler(std::uint32_t count) { return release_and_wake<wake_from_here>(count, for_handlers); }

}  // namespace weft::sync
