// ABT_self_*: what the caller is.

#include <abt.h>

#include "handle.hpp"
#include "key.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "self.hpp"
#include "unit.hpp"

using namespace weft::abt;

namespace {

// The caller, if it is a unit; otherwise its fields are null.
struct calling_unit : caller {
  calling_unit() : caller(is_initialized() ? who_calls() : caller{nullptr, nullptr, nullptr, 0}) {}

  int error() const {
    if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
    return is_outside() ? ABT_ERR_INV_XSTREAM : ABT_SUCCESS;
  }
};

int find_stream(stream** here) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  *here = calling_stream();
  return *here != nullptr ? ABT_SUCCESS : ABT_ERR_INV_XSTREAM;
}

}  // namespace

int ABT_self_get_xstream(ABT_xstream* xstream) {
  stream* here = nullptr;
  if (const int error = find_stream(&here); error != ABT_SUCCESS) return error;
  *xstream = handle_of(here);
  return ABT_SUCCESS;
}

int ABT_self_get_xstream_rank(int* rank) {
  stream* here = nullptr;
  if (const int error = find_stream(&here); error != ABT_SUCCESS) return error;
  *rank = here->rank.load(std::memory_order_relaxed);
  return ABT_SUCCESS;
}

int ABT_self_get_thread(ABT_thread* thread) {
  const calling_unit me;
  if (me.is_outside()) return me.error();
  *thread = handle_of(me.thread);
  return ABT_SUCCESS;
}

int ABT_self_get_thread_id(ABT_unit_id* id) {
  const calling_unit me;
  if (me.is_outside()) return me.error();
  *id = weft_thread_id(me.thread);
  return ABT_SUCCESS;
}

int ABT_self_set_specific(ABT_key key, void* value) {
  if (key == ABT_KEY_NULL) return ABT_ERR_INV_KEY;
  const calling_unit me;
  return me.is_outside() ? me.error() : set_value(me.fields, key_of(key), value);
}

int ABT_self_get_specific(ABT_key key, void** value) {
  if (key == ABT_KEY_NULL) return ABT_ERR_INV_KEY;
  const calling_unit me;
  if (me.is_outside()) return me.error();
  *value = value_of(me.fields, key_of(key));
  return ABT_SUCCESS;
}

int ABT_self_get_type(ABT_unit_type* type) {
  *type = ABT_UNIT_TYPE_EXT;
  const calling_unit me;
  if (me.is_outside()) return me.error();
  *type = me.is_ult() ? ABT_UNIT_TYPE_THREAD : ABT_UNIT_TYPE_TASK;
  return ABT_SUCCESS;
}

int ABT_self_is_primary(ABT_bool* out) {
  *out = ABT_FALSE;
  const calling_unit me;
  if (me.is_outside()) return me.error();
  if (!me.is_ult()) return ABT_ERR_INV_THREAD;
  *out = truth(me.fields->is(is_primary));
  return ABT_SUCCESS;
}

int ABT_self_on_primary_xstream(ABT_bool* on_primary) {
  *on_primary = ABT_FALSE;
  stream* here = nullptr;
  if (const int error = find_stream(&here); error != ABT_SUCCESS) return error;
  *on_primary = truth(here->is_primary);
  return ABT_SUCCESS;
}

int ABT_self_is_unnamed(ABT_bool* out) {
  const calling_unit me;
  if (me.is_outside()) return me.error();
  *out = truth(!me.fields->is(is_named));
  return ABT_SUCCESS;
}

int ABT_self_get_last_pool(ABT_pool* pool) {
  const calling_unit me;
  if (me.is_outside()) return me.error();
  *pool = handle_of(me.fields->home);
  return ABT_SUCCESS;
}

int ABT_self_get_last_pool_id(int* pool_id) {
  *pool_id = -1;
  const calling_unit me;
  if (me.is_outside()) return me.error();
  *pool_id = static_cast<int>(me.fields->home->id);
  return ABT_SUCCESS;
}

int ABT_self_set_associated_pool(ABT_pool pool) {
  const calling_unit me;
  if (me.is_outside()) return me.error();
  return pool != ABT_POOL_NULL ? associate(me.thread, pool_of(pool)) : ABT_ERR_INV_POOL;
}

int ABT_self_get_unit(ABT_unit* unit) {
  const calling_unit me;
  if (me.is_outside()) return me.error();
  *unit = me.fields->unit;
  return ABT_SUCCESS;
}

int ABT_self_set_arg(void* arg) {
  const calling_unit me;
  if (me.is_outside()) return me.error();
  me.fields->argument = arg;
  return ABT_SUCCESS;
}

int ABT_self_get_arg(void** arg) {
  *arg = nullptr;
  const calling_unit me;
  if (me.is_outside()) return me.error();
  *arg = me.fields->argument;
  return ABT_SUCCESS;
}

int ABT_self_get_thread_func(void (**thread_func)(void*)) {
  const calling_unit me;
  if (me.is_outside()) return me.error();
  *thread_func = me.fields->function;
  return ABT_SUCCESS;
}
