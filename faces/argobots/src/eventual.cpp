// ABT_eventual_*: a value that is set once, and then perhaps reset.
//
// While no caller has had to wait for it, a word says it all. The first that waits changes the
// eventual for good: from then on it is ready when Weft's event in it is set. Becoming ready is the
// last access of its setter, as weft.h promises of events: a released waiter may free the
// eventual. Waits with a deadline have an event of their own each, in a list that the setter takes
// before: an eventual may be reset before they have gone on, which Weft's event does not allow
// while a caller waits for it with a deadline. See docs/protocols/Z.md.
#include <cstring>

#include "faces/common/object.hpp"
#include "handle.hpp"
#include "self.hpp"
#include "tool.hpp"
#include "waiting.hpp"

namespace {

using namespace weft::abt;

enum eventual_state : std::uint32_t {
  unset = 0,
  awaited = 1,      // a caller had to wait: the event is used, for ever
  listed = 2,       // with `awaited`: timed waits are listed
  taken = 4,        // a caller sets it; with `awaited`, or has set it
  ready = 8,        // it is set; never with `awaited`
  being_reset = 16  // with `awaited`
};

struct eventual {
  weft_event event;
  void* value;  // null: it has none
  private_waits timed;
  int bytes;
  atomic<std::uint32_t> state;
  late_leavers late;
};
static_assert(sizeof(eventual) <= sizeof(ABT_eventual_memory) && alignof(eventual) <= alignof(ABT_eventual_memory));

eventual* eventual_of(ABT_eventual handle) { return face::object_of<eventual>(handle); }

bool has_been_set(const eventual* one) {
  // [Z74] acquire: sees what was done before it was set; pairs with [Z63] [Z75]
  const std::uint32_t state = one->state.load(std::memory_order_acquire);
  return (state & awaited) != 0 ? weft_event_is_set(&one->event) : (state & ready) != 0;
}

// ---- setting ----

// False: it is set, or another is about to set it. *seen: the state before. Without a value nor
// waiters it is ready at once.
bool take(eventual* one, std::uint32_t* seen) {
  *seen = one->state.load(std::memory_order_relaxed);
  for (;;) {
    if ((*seen & (taken | ready | being_reset)) != 0) return false;
    const std::uint32_t next = *seen == unset && one->bytes == 0 ? ready : *seen | taken;
    // [Z63] acq_rel: the value that was read before a reset is not written over earlier; publishes
    // what was done; pairs with [Z64] [Z74] [Z76]
    if (one->state.compare_exchange_weak(*seen, next, std::memory_order_acq_rel, std::memory_order_relaxed)) return true;
  }
}

// Of one that was taken while no caller waited. False: one has come since.
bool publish_quietly(eventual* one) {
  std::uint32_t mine = taken;
  // [Z75] release: publishes the value; pairs with [Z74]
  return one->state.compare_exchange_strong(mine, ready, std::memory_order_release, std::memory_order_relaxed);
}

void publish(eventual* one, bool has_list) {
  private_wait* timed = nullptr;
  if (has_list) {
    const private_waits::access inside;
    timed = one->timed.take_all();
  }
  static_cast<void>(weft_event_set(&one->event));
  wake(timed);
}

// ---- waiting ----

// What to wait at from now on. False: it is ready, or, of a timed wait, about to be.
bool announce(eventual* one, std::uint32_t marks) {
  std::uint32_t seen = one->state.load(std::memory_order_relaxed);
  for (;;) {
    if ((seen & ready) != 0 || ((marks & listed) != 0 && (seen & taken) != 0)) return false;
    if ((seen & being_reset) != 0) {  // for a moment
      spin_hint();
      seen = one->state.load(std::memory_order_relaxed);
    } else if ((seen & marks) == marks ||
               one->state.compare_exchange_weak(seen, seen | marks, std::memory_order_relaxed, std::memory_order_relaxed)) {
      return true;
    }
  }
}

weft_status wait(eventual* one) {
  while (!has_been_set(one)) {
    if (announce(one, awaited)) return wait_anywhere([=] { return weft_event_wait(&one->event); });
  }
  return WEFT_OK;
}

// False: another is setting it.
bool enlist(eventual* one, private_wait* mine) {
  const private_waits::access inside;
  if (!announce(one, awaited | listed)) return false;
  one->timed.add(mine);
  return true;
}

weft_status wait_with_deadline(eventual* one, std::uint64_t deadline_ns) {
  if (has_been_set(one)) return WEFT_OK;
  private_wait mine{};
  private_wait* const its = &mine;
  while (!enlist(one, its)) {
    if (has_been_set(one)) return WEFT_OK;
    yield_somehow();
  }
  return wait_until(&one->timed, its, deadline_ns);
}

// ---- resetting ----

// One that was awaited. Others may do the same: one of them does. Where another is setting it,
// this reset came before.
void reset_event(eventual* one) {
  std::uint32_t state = one->state.load(std::memory_order_relaxed);
  if ((state & taken) == 0) return;
  if (!one->state.compare_exchange_strong(state, awaited | being_reset, std::memory_order_relaxed)) return;
  const bool is_set = weft_event_is_set(&one->event);
  if (is_set) static_cast<void>(weft_event_reset(&one->event));
  // [Z76] release: as [Z64]; pairs with [Z63]
  one->state.store(is_set ? std::uint32_t{awaited} : state, std::memory_order_release);
}

int answer(weft_status result) {
  if (result == WEFT_OK) [[likely]]
    return ABT_SUCCESS;
  return result == WEFT_TIMEOUT ? ABT_ERR_COND_TIMEDOUT : ABT_ERR_EVENTUAL;
}

int check_waiter(ABT_eventual handle, const weft_thread* self) {
  if (handle == ABT_EVENTUAL_NULL) return ABT_ERR_INV_EVENTUAL;
  return is_tasklet(self) ? ABT_ERR_EVENTUAL : ABT_SUCCESS;
}

}  // namespace

int ABT_eventual_create(int nbytes, ABT_eventual* neweventual) {
  if (nbytes < 0 || neweventual == nullptr) return ABT_ERR_INV_ARG;
  static_assert(sizeof(eventual) % alignof(std::max_align_t) == 0, "the value lies behind it");
  eventual* const made = face::make_object<eventual>(static_cast<std::size_t>(nbytes));
  if (made == nullptr) return ABT_ERR_MEM;
  made->value = nbytes != 0 ? made + 1 : nullptr;
  made->bytes = nbytes;
  *neweventual = reinterpret_cast<ABT_eventual>(made);
  return ABT_SUCCESS;
}

int ABT_eventual_free(ABT_eventual* handle) {
  if (handle == nullptr || *handle == ABT_EVENTUAL_NULL) return ABT_ERR_INV_EVENTUAL;
  eventual* const one = eventual_of(*handle);
  if (one->late.give_up()) face::free_object(one);
  *handle = ABT_EVENTUAL_NULL;
  return ABT_SUCCESS;
}

int ABT_eventual_wait(ABT_eventual handle, void** value) {
  weft_thread* const self = weft_hot_self();
  if (const int problem = check_waiter(handle, self); problem != ABT_SUCCESS) return problem;
  eventual* const one = eventual_of(handle);
  void* const its_value = one->value;  // the eventual may be gone after the wait
  if (!has_been_set(one)) {
    const named_wait as(ABT_SYNC_EVENT_TYPE_EVENTUAL, handle);
    const weft_status result = wait(one);
    end_if_cancelled(self);
    if (result != WEFT_OK) return answer(result);
  }
  if (value != nullptr) *value = its_value;
  return ABT_SUCCESS;
}

int ABT_eventual_timedwait(ABT_eventual handle, void** value, const struct timespec* abstime) {
  weft_thread* const self = weft_hot_self();
  if (const int problem = check_waiter(handle, self); problem != ABT_SUCCESS) return problem;
  if (abstime == nullptr) return ABT_ERR_INV_ARG;
  eventual* const one = eventual_of(handle);
  void* const its_value = one->value;
  const named_wait as(ABT_SYNC_EVENT_TYPE_EVENTUAL, handle);
  one->late.enter();
  const weft_status result = wait_with_deadline(one, deadline_at(*abstime));
  if (one->late.leave()) face::free_object(one);
  end_if_cancelled(self);
  if (result == WEFT_OK && value != nullptr) *value = its_value;
  return answer(result);
}

int ABT_eventual_test(ABT_eventual handle, void** value, ABT_bool* is_ready) {
  if (handle == ABT_EVENTUAL_NULL) return ABT_ERR_INV_EVENTUAL;
  if (is_ready == nullptr) return ABT_ERR_INV_ARG;
  const eventual* const one = eventual_of(handle);
  const bool is_set = has_been_set(one);
  if (is_set && value != nullptr) *value = one->value;
  *is_ready = is_set ? ABT_TRUE : ABT_FALSE;
  return ABT_SUCCESS;
}

int ABT_eventual_set(ABT_eventual handle, void* value, int nbytes) {
  if (handle == ABT_EVENTUAL_NULL) return ABT_ERR_INV_EVENTUAL;
  eventual* const one = eventual_of(handle);
  if (nbytes > one->bytes) return ABT_ERR_INV_EVENTUAL;
  if (nbytes < 0 || (nbytes > 0 && value == nullptr)) return ABT_ERR_INV_ARG;
  std::uint32_t seen;
  if (!take(one, &seen)) return ABT_ERR_EVENTUAL;
  if (seen == unset && one->bytes == 0) return ABT_SUCCESS;
  if (nbytes != 0) std::memcpy(one->value, value, static_cast<std::size_t>(nbytes));
  if (seen != unset || !publish_quietly(one)) publish(one, (seen & listed) != 0);
  return ABT_SUCCESS;
}

int ABT_eventual_reset(ABT_eventual handle) {
  if (handle == ABT_EVENTUAL_NULL) return ABT_ERR_INV_EVENTUAL;
  eventual* const one = eventual_of(handle);
  std::uint32_t state = ready;
  // [Z64] release: what was done before the reset comes before the next value; pairs with [Z63]
  if (one->state.compare_exchange_strong(state, unset, std::memory_order_release, std::memory_order_relaxed)) return ABT_SUCCESS;
  if ((state & awaited) != 0) reset_event(one);
  return ABT_SUCCESS;
}
