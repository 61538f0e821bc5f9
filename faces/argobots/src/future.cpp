// ABT_future_*: ready when all its compartments are set.
//
// The setter of a compartment holds the guard, also during the program's callback and until the
// event is set. Freeing passes through the guard, since a waiter may get there while the last
// setter is still inside.
#include "faces/common/object.hpp"
#include "handle.hpp"
#include "tool.hpp"
#include "waiting.hpp"

namespace {

using namespace weft::abt;

struct future {
  weft_mutex guard = WEFT_MUTEX_UNFAIR_INIT;
  weft_event ready;
  void (*callback)(void** values);  // null: none
  std::uint32_t compartments;
  std::uint32_t filled;  // inside guard

  void** values() { return reinterpret_cast<void**>(this + 1); }
};

future* future_of(ABT_future handle) { return face::object_of<future>(handle); }

weft_status enter(future* one) {
  const named_wait as(ABT_SYNC_EVENT_TYPE_FUTURE, one);
  return lock_anywhere(&one->guard);
}
void leave(future* one) { static_cast<void>(weft_mutex_unlock(&one->guard)); }

// Inside guard.
void fill_next(future* one, void* value) {
  one->values()[one->filled++] = value;
  if (one->filled != one->compartments) return;
  if (one->callback != nullptr) one->callback(one->values());
  static_cast<void>(weft_event_set(&one->ready));
}

}  // namespace

int ABT_future_create(uint32_t num_compartments, void (*cb_func)(void** arg), ABT_future* newfuture) {
  if (newfuture == nullptr) return ABT_ERR_INV_ARG;
  future* const made = face::make_object<future>(num_compartments * sizeof(void*));
  if (made == nullptr) return ABT_ERR_MEM;
  made->callback = cb_func;
  made->compartments = num_compartments;
  if (num_compartments == 0) static_cast<void>(weft_event_set(&made->ready));
  *newfuture = reinterpret_cast<ABT_future>(made);
  return ABT_SUCCESS;
}

int ABT_future_free(ABT_future* handle) {
  if (handle == nullptr || *handle == ABT_FUTURE_NULL) return ABT_ERR_INV_FUTURE;
  future* const one = future_of(*handle);
  if (enter(one) != WEFT_OK) return ABT_ERR_FUTURE;
  leave(one);
  face::free_object(one);
  *handle = ABT_FUTURE_NULL;
  return ABT_SUCCESS;
}

int ABT_future_wait(ABT_future handle) {
  if (handle == ABT_FUTURE_NULL) return ABT_ERR_INV_FUTURE;
  weft_thread* const self = weft_hot_self();
  if (is_tasklet(self)) return ABT_ERR_FUTURE;
  weft_event* const ready = &future_of(handle)->ready;
  if (weft_event_is_set(ready)) return ABT_SUCCESS;
  const named_wait as(ABT_SYNC_EVENT_TYPE_FUTURE, handle);
  const weft_status result = wait_anywhere([=] { return weft_event_wait(ready); });
  end_if_cancelled(self);
  return result == WEFT_OK ? ABT_SUCCESS : ABT_ERR_FUTURE;
}

int ABT_future_test(ABT_future handle, ABT_bool* is_ready) {
  if (handle == ABT_FUTURE_NULL) return ABT_ERR_INV_FUTURE;
  if (is_ready == nullptr) return ABT_ERR_INV_ARG;
  *is_ready = weft_event_is_set(&future_of(handle)->ready) ? ABT_TRUE : ABT_FALSE;
  return ABT_SUCCESS;
}

int ABT_future_set(ABT_future handle, void* value) {
  if (handle == ABT_FUTURE_NULL) return ABT_ERR_INV_FUTURE;
  future* const one = future_of(handle);
  if (enter(one) != WEFT_OK) return ABT_ERR_FUTURE;
  const bool is_full = one->filled == one->compartments;
  if (!is_full) fill_next(one, value);
  leave(one);
  return is_full ? ABT_ERR_FUTURE : ABT_SUCCESS;
}

int ABT_future_reset(ABT_future handle) {
  if (handle == ABT_FUTURE_NULL) return ABT_ERR_INV_FUTURE;
  future* const one = future_of(handle);
  if (one->compartments == 0) return ABT_SUCCESS;
  if (enter(one) != WEFT_OK) return ABT_ERR_FUTURE;
  one->filled = 0;
  static_cast<void>(weft_event_reset(&one->ready));
  leave(one);
  return ABT_SUCCESS;
}
