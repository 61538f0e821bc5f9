// How the face's objects wait: by Weft's calls, which work on any OS thread and before ABT_init.
// Weft refuses to let a tasklet wait, the interface does not always: there the OS thread waits, and
// its execution stream with it. That must not be for a unit that needs this very stream: so
// mutexes are unfair, since a caller that is handed one may be a ULT of this stream, and a
// caller that holds up a stream tries to get them again and again.
#pragma once

#include <abt.h>

#include <cstdint>
#include <ctime>

#include <weft/ext.h>
#include <weft/hot.h>
#include <weft_abt/atomic.hpp>

namespace weft::abt {

// self: what weft_self() answers.
inline bool is_tasklet(const weft_thread* self) { return self != nullptr && weft_thread_is_tasklet(self); }

// Whether the caller was cancelled while it waited: then it lets go of what it got, and ends.
bool was_cancelled(weft_thread* self);
void end_if_cancelled(weft_thread* self);

// wait(): a call of Weft.
template <class Wait>
weft_status wait_outside(Wait wait) {
  struct call {
    Wait* wait;
    weft_status result;
  } mine{&wait, WEFT_INVALID};
  const weft_status refused = weft_ext_call_outside(
      [](void* argument) {
        auto* const it = static_cast<call*>(argument);
        it->result = (*it->wait)();
      },
      &mine);
  return refused == WEFT_OK ? mine.result : refused;
}

template <class Wait>
weft_status wait_anywhere(Wait wait) {
  const weft_status result = wait();
  if (result != WEFT_CANNOT_BLOCK) [[likely]]
    return result;
  return wait_outside(wait);
}

// The mutex must be an unfair one. Errors: those of weft_mutex_lock but WEFT_CANNOT_BLOCK.
weft_status lock_by_trying(weft_mutex* lock);
inline weft_status lock_anywhere(weft_mutex* lock) {
  const weft_status result = weft_mutex_lock(lock);
  return result != WEFT_CANNOT_BLOCK ? result : lock_by_trying(lock);
}
// WEFT_BUSY: not for a while.
weft_status try_for_a_while(weft_mutex* lock);

// A time of CLOCK_REALTIME as it stands now, for Weft's waits, which steps of that clock do not
// move any more.
std::uint64_t deadline_at(const timespec& realtime);

// A wait at an event of the caller's own, listed with the object that it waits for.
struct private_wait {
  weft_event event;
  private_wait* next;
  bool is_listed;
};

// Zero is empty. Guarded by one lock for all objects.
class private_waits {
 public:
  class access {
   public:
    access();
    ~access();
    access(const access&) = delete;
    access& operator=(const access&) = delete;
  };

  // Outside of an access: sees those whose coming happened before.
  bool seems_empty() const { return first_.load(std::memory_order_relaxed) == nullptr; }

  // Inside an access.
  void add(private_wait* one);
  bool remove(private_wait* one);  // false: it was taken
  private_wait* take_first();
  private_wait* take_all();

 private:
  atomic<private_wait*> first_{nullptr};
};

// Those that were taken, after the access.
void wake(private_wait* taken);

// Waits at mine, which is listed in `list`. May be called as by wait_outside. Errors: WEFT_TIMEOUT,
// when it was not taken.
weft_status wait_until(private_waits* list, private_wait* mine, std::uint64_t deadline_ns);

// Calls with a deadline still touch their object after they were woken, when its owner may think
// that it is not in use: its memory goes with the last of them.
class late_leavers {
 public:
  void enter() { word_.fetch_add(1, std::memory_order_relaxed); }
  // True: the caller frees the object.
  bool leave() {
    // [Z61] acq_rel: no use comes after the freeing; pairs with [Z61] [Z62]
    return word_.fetch_sub(1, std::memory_order_acq_rel) == (is_given_up | 1);
  }
  // The owner's; true: the caller frees the object.
  bool give_up() {
    // [Z62] acq_rel: as [Z61]; pairs with [Z61]
    return word_.fetch_or(is_given_up, std::memory_order_acq_rel) == 0;
  }

 private:
  static constexpr std::uint32_t is_given_up = std::uint32_t{1} << 31;
  atomic<std::uint32_t> word_{0};
};

}  // namespace weft::abt
