// ABT_eventual_*: an event with a value, set once and then perhaps reset.
//
// Setting the event is the last access of whoever sets it, as weft.h promises: who is released may free the eventual. Waits with a deadline
// have an event of their own each, in a list that the setter takes before: an eventual may be reset before they have gone on, which
// Weft's event does not allow while somebody waits for it with a deadline.
#include <cstring>

#include "object.hpp"
#include "tool.hpp"
#include "waiting.hpp"

namespace {

using namespace weft::abt;

enum eventual_state : std::uint32_t {
  unset,
  unset_with_list,  // timed waits are listed
  taken,            // somebody sets it, or has
  being_reset
};

struct eventual {
  weft_event ready;
  void* value;  // null: it has none
  private_waits timed;
  int bytes;
  std::atomic<std::uint32_t> state;
  late_leavers late;
};
static_assert(sizeof(eventual) <= sizeof(ABT_eventual_memory) && alignof(eventual) <= alignof(ABT_eventual_memory));

eventual* eventual_of(ABT_eventual handle) { return reinterpret_cast<eventual*>(handle); }

// ---- setting ----

// False: it is set, or somebody is about to. *has_list: timed waits are listed.
bool take(eventual* one, bool* has_list) {
  std::uint32_t state = one->state.load(std::memory_order_relaxed);
  do {
    if (state != unset && state != unset_with_list) return false;
    // [Z63] acquire: the value that was read before a reset is not written over earlier; pairs with [Z64]
  } while (!one->state.compare_exchange_weak(state, taken, std::memory_order_acquire, std::memory_order_relaxed));
  *has_list = state == unset_with_list;
  return true;
}

private_wait* take_timed(eventual* one) {
  const private_waits::access inside;
  return one->timed.take_all();
}

// ---- waiting with a deadline ----

// False: it is set, or about to be.
bool enlist(eventual* one, private_wait* mine) {
  const private_waits::access inside;
  std::uint32_t state = one->state.load(std::memory_order_relaxed);
  while (state == unset &&
         !one->state.compare_exchange_weak(state, unset_with_list, std::memory_order_relaxed, std::memory_order_relaxed)) {
  }
  if (state != unset && state != unset_with_list) return false;
  one->timed.add(mine);
  return true;
}

weft_status wait_with_deadline(eventual* one, std::uint64_t deadline_ns) {
  if (weft_event_is_set(&one->ready)) return WEFT_OK;
  private_wait mine{};
  private_wait* const listed = &mine;
  if (!enlist(one, listed)) return wait_anywhere([=] { return weft_event_wait(&one->ready); });
  return wait_until(&one->timed, listed, deadline_ns);
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
  eventual* const made = make_object<eventual>(static_cast<std::size_t>(nbytes));
  if (made == nullptr) return ABT_ERR_MEM;
  made->value = nbytes != 0 ? made + 1 : nullptr;
  made->bytes = nbytes;
  *neweventual = reinterpret_cast<ABT_eventual>(made);
  return ABT_SUCCESS;
}

int ABT_eventual_free(ABT_eventual* handle) {
  if (handle == nullptr || *handle == ABT_EVENTUAL_NULL) return ABT_ERR_INV_EVENTUAL;
  eventual* const one = eventual_of(*handle);
  if (one->late.give_up()) free_object(one);
  *handle = ABT_EVENTUAL_NULL;
  return ABT_SUCCESS;
}

int ABT_eventual_wait(ABT_eventual handle, void** value) {
  weft_thread* const self = weft_self();
  if (const int problem = check_waiter(handle, self); problem != ABT_SUCCESS) return problem;
  eventual* const one = eventual_of(handle);
  void* const its_value = one->value;  // the eventual may be gone after the wait
  if (!weft_event_is_set(&one->ready)) {
    tell_wait(ABT_SYNC_EVENT_TYPE_EVENTUAL, handle);
    const weft_status result = wait_anywhere([=] { return weft_event_wait(&one->ready); });
    end_if_cancelled(self);
    if (result != WEFT_OK) return answer(result);
  }
  if (value != nullptr) *value = its_value;
  return ABT_SUCCESS;
}

int ABT_eventual_timedwait(ABT_eventual handle, void** value, const struct timespec* abstime) {
  weft_thread* const self = weft_self();
  if (const int problem = check_waiter(handle, self); problem != ABT_SUCCESS) return problem;
  if (abstime == nullptr) return ABT_ERR_INV_ARG;
  eventual* const one = eventual_of(handle);
  void* const its_value = one->value;
  tell_wait(ABT_SYNC_EVENT_TYPE_EVENTUAL, handle);
  one->late.enter();
  const weft_status result = wait_with_deadline(one, deadline_at(*abstime));
  if (one->late.leave()) free_object(one);
  end_if_cancelled(self);
  if (result == WEFT_OK && value != nullptr) *value = its_value;
  return answer(result);
}

int ABT_eventual_test(ABT_eventual handle, void** value, ABT_bool* is_ready) {
  if (handle == ABT_EVENTUAL_NULL) return ABT_ERR_INV_EVENTUAL;
  if (is_ready == nullptr) return ABT_ERR_INV_ARG;
  const eventual* const one = eventual_of(handle);
  const bool is_set = weft_event_is_set(&one->ready);
  if (is_set && value != nullptr) *value = one->value;
  *is_ready = is_set ? ABT_TRUE : ABT_FALSE;
  return ABT_SUCCESS;
}

int ABT_eventual_set(ABT_eventual handle, void* value, int nbytes) {
  if (handle == ABT_EVENTUAL_NULL) return ABT_ERR_INV_EVENTUAL;
  eventual* const one = eventual_of(handle);
  if (nbytes < 0 || (nbytes > 0 && value == nullptr)) return ABT_ERR_INV_ARG;
  if (nbytes > one->bytes) return ABT_ERR_INV_EVENTUAL;
  bool has_list;
  if (!take(one, &has_list)) return ABT_ERR_EVENTUAL;
  if (nbytes != 0) std::memcpy(one->value, value, static_cast<std::size_t>(nbytes));
  private_wait* const timed = has_list ? take_timed(one) : nullptr;
  static_cast<void>(weft_event_set(&one->ready));
  wake(timed);
  return ABT_SUCCESS;
}

int ABT_eventual_reset(ABT_eventual handle) {
  if (handle == ABT_EVENTUAL_NULL) return ABT_ERR_INV_EVENTUAL;
  eventual* const one = eventual_of(handle);
  // Where somebody is setting it, this reset came before.
  if (!weft_event_is_set(&one->ready)) return ABT_SUCCESS;
  std::uint32_t state = taken;
  if (!one->state.compare_exchange_strong(state, being_reset, std::memory_order_relaxed)) return ABT_SUCCESS;
  static_cast<void>(weft_event_reset(&one->ready));
  // [Z64] release: what was done before the reset comes before the next value; pairs with [Z63]
  one->state.store(unset, std::memory_order_release);
  return ABT_SUCCESS;
}
