// A wait without a thread: protocol P, docs/protocols/P.md.
//
// An awaiter has a record in each queue in which it waits. To the objects its records are those of
// an OS thread outside with a deadline: a waker claims one inside the lock of its queue, and calls
// `deliver` after it has left the lock. So neither the records of threads nor the ways on which
// threads are woken know of awaiters: the kind of a record lies in its word.
//
//      unarmed -> arming -> armed -> taken -> calling       by a waker, or by the clock
//                                  -> withdrawn             by a canceller
//                 arming -> taken -> unarmed                the armer finds that the wait is over
//
// The thread that moves it out of `armed` takes all records off their queues, and calls ready if it
// was no canceller. `arming` keeps wakers from that while records are still being put into queues;
// a wait for one object alone begins `armed`, inside the lock of its queue.
//
// ready runs without identity on the OS thread of the waker. Inside another ready on that OS thread
// it is put off until that one has returned: so no ready interrupts another, and a chain of
// awaiters needs no stack. It is the last access to the awaiter.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/config.hpp"
#include "base/status.hpp"
#include "unit/waiter.hpp"

namespace weft::sched {

struct awaiter;

// The state of an awaiter, in the lowest bits of its word; above them is the record by which it was
// taken, or 0: by the clock, by_end: by the end of the runtime, by_drop: by that of a thread.
enum await_state : std::uintptr_t { unarmed, arming, armed, taken, calling, withdrawn };
inline constexpr std::uintptr_t await_state_bits = 7;
inline constexpr std::uintptr_t by_end = await_state_bits + 1;
inline constexpr std::uintptr_t by_drop = 2 * by_end;
inline await_state state_in(std::uintptr_t word) { return static_cast<await_state>(word & await_state_bits); }

struct await_record : waiter {
  await_record(awaiter* whose, const void* on) : waiter("awaiter", on), of(whose) {
    deadline_ns = never_but_claimed;
    word.store(awaits, base::relaxed);
  }

  awaiter* of;
  await_record* following = nullptr;  // of the same awaiter
  // Takes it off its queue, whatever became of it, and returns after its waker has left the object;
  // null: it was never there.
  void (*leave)(await_record* one) = nullptr;
  std::uint64_t value = 0;                      // what is written, or was read
  alignas(8) unsigned char of_object[16] = {};  // the object's own
  unsigned number = 0;                          // among those of its awaiter
  bool is_claimed = false;                      // by a signal handler; a worker delivers it
  bool delivers_all = false;                    // the waker's: of those that it claimed, the one by which it delivers them
};

struct awaiter {
  base::atomic<std::uintptr_t> state{unarmed};
  bool has_alarm = false;
  bool was_dropped = false;         // where unmet is ended: the thread for which it waited
  std::uintptr_t seal = 0;          // in checked builds, while it is armed
  await_record* records = nullptr;  // the alarm is the first one's
  await_record* winner = nullptr;   // of the one that has taken it; null: see unmet
  status unmet = status::timeout;   // set where there is no winner; ended: with the runtime
  awaiter* next = nullptr;          // of those that an OS thread has claimed, and will call
  void (*call)(awaiter* one, status result) = nullptr;
};

inline std::uintptr_t seal_of(const awaiter* one) { return reinterpret_cast<std::uintptr_t>(one) ^ std::uintptr_t{0x5ea1ed}; }

// What comes of an attempt to arm a record.
enum class armed_as { waits, over, lost };

// ---- by the one that arms ----

// Pre: unarmed, or its ready was called. as: armed, or arming if others may claim it before all is
// armed.
inline void begin_arming(awaiter* one, await_state as) {
  if constexpr (config::checked) one->seal = seal_of(one);
  one->winner = nullptr;
  one->has_alarm = false;
  // No other thread knows it yet, but for a canceller of an earlier wait.
  one->state.store(as, base::relaxed);
}
// As arming, and the clock may claim it. Errors: not_initialized (the runtime is ending); it is
// then unarmed.
status begin_arming_early(awaiter* one, std::uint64_t deadline_ns);
// What the record waits for is there: takes the awaiter. False: something else came first, and what
// is there is not to be taken.
bool take_at_once(await_record* one);
// True: ready will come, or has. False: the wait is over, by the winner.
bool finish_arming(awaiter* one);
// Notes why an awaiter is refused while the runtime ends; returns not_initialized.
status refuse_while_ending();
// Withdraws what was armed so far. False: the wait is over, by the winner.
bool give_up_arming(awaiter* one);
// By the only one that knows of it, when it waits for nothing.
void disarm(awaiter* one);
// To the end of a thread, by an awaiter that is armed early. Errors: invalid, busy, ended (it was
// dropped).
status arm_join(await_record* one, unit* target, armed_as* what);

// ---- by a waker, inside the lock of the queue off which it took the record ----

enum class claimed_as { lost, delivers, armer_delivers };
claimed_as claim_awaiter(await_record* one);
// True: it is the waker's, which then delivers, by this record if *wants_delivery, what it claimed
// inside the lock. All that one OS thread has claimed is known to it before the first ready runs,
// which may cancel the others.
bool claim_to_deliver(await_record* one, bool* wants_delivery);
// By the clock, inside the lock of the timers. False: something came first, or the armer delivers.
bool expire_awaiter(await_record* one);
// As expire_awaiter, by the end of the runtime, and by that of a thread that is dropped.
bool end_awaiter(await_record* one);
bool end_dropped_awaiter(await_record* one);

// ---- outside all locks ----

// Of a record that was claimed so that its claimer delivers, or of the first one of an awaiter that
// the clock, or the end, has taken.
void deliver(await_record* one);
// Of the first records of all awaiters but the last that the clock, or the end, has taken, before
// the last one's are delivered: a ready may cancel the others.
void note_expired(await_record* one);

// True: ready will not come. False: it was called, or is called before this returns.
bool cancel(awaiter* one);
inline bool is_armed(const awaiter* one) {
  const await_state now = state_in(one->state.load(base::relaxed));
  return now == armed || now == arming;
}

// In checked builds: a call that waits was refused; names the ready of an awaiter, if that made it.
void tell_ready_that_waits();

// ---- how the other files of this layer meet records ----

inline bool is_awaiters(const waiter* one) {
  return one->who == nullptr && one->deadline_ns == never_but_claimed && one->word.load(base::relaxed) >= awaits;
}
inline await_record* record_of(waiter* one) { return static_cast<await_record*>(one); }

}  // namespace weft::sched
