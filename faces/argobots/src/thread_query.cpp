// ABT_thread_*: what is known of work units, ULTs and tasklets.

#include <abt.h>

#include "faces/common/object.hpp"
#include "handle.hpp"
#include "key.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "self.hpp"
#include "stream.hpp"
#include "thread_attr.hpp"
#include "unit.hpp"

using namespace weft::abt;

namespace {

// As many bytes as were asked for, up to where the stack begins, and none that it does not have.
placed_stack asked_stack_of(const weft_thread* thread) {
  const placed_stack now = stack_of(thread);
  const std::size_t asked = stack_bytes_of(thread);
  if (now.low != nullptr && now.bytes < asked) return now;
  return {now.low != nullptr ? static_cast<char*>(now.low) - (asked - now.bytes) : nullptr, asked};
}

}  // namespace

int ABT_thread_self(ABT_thread* thread) {
  *thread = ABT_THREAD_NULL;
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  const caller me = who_calls();
  if (const int error = need_ult(me); error != ABT_SUCCESS) return error;
  *thread = handle_of(me.thread);
  return ABT_SUCCESS;
}

int ABT_thread_self_id(ABT_unit_id* id) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  const caller me = who_calls();
  if (const int error = need_ult(me); error != ABT_SUCCESS) return error;
  *id = weft_thread_id(me.thread);
  return ABT_SUCCESS;
}

int ABT_thread_get_last_xstream(ABT_thread thread, ABT_xstream* xstream) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  *xstream = handle_of(fields_of(thread_of(thread))->last_stream.load(std::memory_order_relaxed));
  return ABT_SUCCESS;
}

int ABT_thread_get_state(ABT_thread thread, ABT_thread_state* state) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  *state = state_of(thread_of(thread));
  return ABT_SUCCESS;
}

int ABT_thread_get_last_pool(ABT_thread thread, ABT_pool* pool) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  *pool = handle_of(fields_of(thread_of(thread))->home);
  return ABT_SUCCESS;
}

int ABT_thread_get_last_pool_id(ABT_thread thread, int* id) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  const pool* const home = fields_of(thread_of(thread))->home;
  *id = home != nullptr ? static_cast<int>(home->id) : -1;
  return ABT_SUCCESS;
}

int ABT_thread_get_unit(ABT_thread thread, ABT_unit* unit) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  *unit = fields_of(thread_of(thread))->unit;
  return ABT_SUCCESS;
}

int ABT_thread_set_associated_pool(ABT_thread thread, ABT_pool pool) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  if (pool == ABT_POOL_NULL) return ABT_ERR_INV_POOL;
  return associate(thread_of(thread), pool_of(pool));
}

int ABT_thread_is_primary(ABT_thread thread, ABT_bool* out) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  *out = truth(fields_of(thread_of(thread))->is(is_primary));
  return ABT_SUCCESS;
}

int ABT_thread_is_unnamed(ABT_thread thread, ABT_bool* out) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  *out = truth(!fields_of(thread_of(thread))->is(is_named));
  return ABT_SUCCESS;
}

int ABT_thread_equal(ABT_thread thread1, ABT_thread thread2, ABT_bool* result) {
  *result = truth(thread1 == thread2);
  return ABT_SUCCESS;
}

int ABT_thread_get_id(ABT_thread thread, ABT_unit_id* thread_id) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  *thread_id = weft_thread_id(thread_of(thread));
  return ABT_SUCCESS;
}

int ABT_thread_set_arg(ABT_thread thread, void* arg) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  fields_of(thread_of(thread))->argument = arg;
  return ABT_SUCCESS;
}

int ABT_thread_get_arg(ABT_thread thread, void** arg) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  *arg = fields_of(thread_of(thread))->argument;
  return ABT_SUCCESS;
}

int ABT_thread_get_thread_func(ABT_thread thread, void (**thread_func)(void*)) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  *thread_func = fields_of(thread_of(thread))->function;
  return ABT_SUCCESS;
}

// ---- stacks -------------------------------------------------------------------------------------

int ABT_thread_get_stacksize(ABT_thread thread, size_t* bytes) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  *bytes = stack_bytes_of(thread_of(thread));
  return ABT_SUCCESS;
}

int ABT_thread_get_stack(ABT_thread thread, void** stack, size_t* bytes) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  const placed_stack now = asked_stack_of(thread_of(thread));
  if (stack != nullptr) *stack = now.low;
  if (bytes != nullptr) *bytes = now.bytes;
  return ABT_SUCCESS;
}

int ABT_thread_get_attr(ABT_thread thread, ABT_thread_attr* attr) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  const unit_fields* const what = fields_of(thread_of(thread));
  if (!what->is(is_yieldable)) return ABT_ERR_INV_THREAD;
  const placed_stack now = asked_stack_of(thread_of(thread));
  auto* const made = face::make_object<thread_attr>(0, now.low, now.bytes, what->is(is_migratable), nullptr, nullptr);
  if (made == nullptr) return ABT_ERR_MEM;
  // [Z31] acquire: as [Z11]; pairs with [Z12]
  if (const migration* const record = what->moving.load(std::memory_order_acquire); record != nullptr) {
    made->callback = record->callback;
    made->callback_argument = record->argument;
  }
  *attr = handle_of(made);
  return ABT_SUCCESS;
}

// ---- values by key ------------------------------------------------------------------------------

int ABT_thread_set_specific(ABT_thread thread, ABT_key key, void* value) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  if (key == ABT_KEY_NULL) return ABT_ERR_INV_KEY;
  return set_value(fields_of(thread_of(thread)), key_of(key), value);
}

int ABT_thread_get_specific(ABT_thread thread, ABT_key key, void** value) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  if (key == ABT_KEY_NULL) return ABT_ERR_INV_KEY;
  *value = value_of(fields_of(thread_of(thread)), key_of(key));
  return ABT_SUCCESS;
}
