// See event.hpp and docs/protocols/E.md.
#include "sync/event.hpp"

#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "os/alone.hpp"
#include "os/thread.hpp"

namespace weft::sync {

namespace {

constexpr int setter_patience = 100;

}  // namespace

// ---- waiting ----

// Inside lock_: sets the marks in the word, so that the setter of the event comes to the queue.
// False: it is set.
bool event::announce(std::uint64_t mark) {
  // [E5] acquire: as [E1]; pairs with [E3] [E4]
  std::uint64_t word = word_.load(base::acquire);
  if (os::is_alone() && (word & set_bit) == 0) {
    word_.store(word | mark, base::relaxed);
    return true;
  }
  do {
    if ((word & set_bit) != 0) return false;
    // [E2] acquire: as [E1] when it fails; the mark itself is read inside lock_ only; pairs with
    // [E3] [E4]
  } while (!word_.compare_exchange_weak(word, word | mark, base::acquire, base::acquire));
  return true;
}

// A waiter with a deadline is woken before the event is set, by a caller that is about to.
void event::await_setter() const {
  for (int round = 0; !is_set(); ++round) {
    if (round < setter_patience) {
      arch::pause();
    } else {
      os::yield_cpu();
    }
  }
}

status event::wait_slow(const char* what, std::uint64_t deadline_ns) {
  if (const status problem = may_wait(deadline_ns); problem != status::ok) return problem;
  sched::waiter me{what, this};
  me.deadline_ns = deadline_ns;
  lock_.lock();
  if (!announce(deadline_ns == sched::forever ? waiters : waiters | timed)) {
    lock_.unlock();
    return status::ok;
  }
  queue_.push_back(&me);
  const status result = wait_and_leave(&me, &queue_, &lock_);
  if (result == status::ok && deadline_ns != sched::forever) await_setter();
  return result;
}

void event::leave(sched::await_record* one) {
  auto* const mine = static_cast<event*>(const_cast<void*>(one->object));
  leave_queue(one, &mine->queue_, &mine->lock_);
  if (one->of->winner == one) mine->await_setter();
}

sched::armed_as event::await(sched::await_record* one) {
  if (is_set()) return over_or_lost(one);
  lock_.lock();
  const bool waits = announce(waiters | timed);
  if (waits) enter_queue(one, &queue_, leave);
  lock_.unlock();
  return waits ? sched::armed_as::waits : over_or_lost(one);
}

// ---- setting ----

void event::take_queue(wake_later* chosen) {
  const queue::guard inside(lock_);
  choose_all(word_.fetch_and(~(waiters | timed), base::relaxed), chosen);
}

void event::choose_all(std::uint64_t marks, wake_later* chosen) {
  if ((marks & timed) != 0) return chosen->add_all(&queue_);
  chosen->take_all_plain(&queue_);
}

// In a process with one OS thread: between two of its instructions no other caller comes to the
// event.
void event::set_alone() {
  const std::uint64_t word = word_.load(base::relaxed);
  if ((word & set_bit) != 0) return;
  wake_later chosen;
  choose_all(word, &chosen);
  word_.store(set_bit, base::relaxed);
  chosen.now();
}

void event::set() {
  if (os::is_alone()) return set_alone();
  wake_later chosen;
  std::uint64_t word = word_.load(base::relaxed);
  while ((word & set_bit) == 0) {
    if ((word & waiters) != 0) {
      take_queue(&chosen);
      word = word_.load(base::relaxed);
      // [E3] release: publishes what was done before; the last access; pairs with [E1] [E2] [E5]
    } else if (word_.compare_exchange_weak(word, set_bit, base::release, base::relaxed)) {
      break;
    }
  }
  chosen.now();
}

status event::count_down(std::uint32_t count) {
  if (count == 0) return status::ok;
  std::uint64_t word = word_.load(base::relaxed);
  std::uint64_t next;
  do {
    if (word >> count_shift < count) return status::invalid;
    next = word - (std::uint64_t{count} << count_shift);
    if (next == 0) next = set_bit;
    // [E4] acq_rel: publishes what this caller did, and carries what earlier ones did on; pairs
    // with [E1] [E2] [E5]
  } while (!word_.compare_exchange_weak(word, next, base::acq_rel, base::relaxed));
  if (next >> count_shift == 0 && next != set_bit) set();
  return status::ok;
}

void event::reset() {
  if constexpr (config::checked) {
    const queue::guard inside(lock_);
    if (!queue_.is_empty()) base::panic("reset of event %p while somebody waits for it", static_cast<const void*>(this));
  }
  word_.store(0, base::relaxed);
}

bool event::claim() {
  std::uint64_t word = word_.load(base::relaxed);
  do {
    if ((word & (claimed | set_bit)) != 0) return false;
  } while (!word_.compare_exchange_weak(word, word | claimed, base::relaxed, base::relaxed));
  return true;
}

}  // namespace weft::sync
