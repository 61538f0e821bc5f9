// ABT_thread_create*, ABT_thread_revive*.

#include <abt.h>

#include "handle.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "self.hpp"
#include "stream.hpp"
#include "thread_attr.hpp"
#include "unit.hpp"
#include "unit_create.hpp"
#include "yield_to.hpp"

using namespace weft::abt;

namespace {

int make_callback(weft_thread* made, const thread_attr* attr) {
  migration* const record = migration_of(fields_of(made));
  if (record == nullptr) return ABT_ERR_MEM;
  record->callback = attr->callback;
  record->argument = attr->callback_argument;
  return ABT_SUCCESS;
}

std::uint32_t kind_of_plain(bool named) { return is_yieldable | is_migratable | (named ? is_named : 0u); }

[[gnu::noinline]] int make_elaborately(pool* home, unit_function function, void* argument, const thread_attr* attr, bool named,
                                       weft_thread** out) {
  if (attr == nullptr) return make_plain_unit(home, function, argument, kind_of_plain(named), out);
  unit_plan plan{function, argument, home, kind_of_plain(named)};
  if (!attr->is_migratable) plan.kind &= ~std::uint32_t{is_migratable};
  plan.stack = attr->stack;
  plan.stack_bytes = attr->stack_bytes;
  const int error = make_unit(plan, out);
  if (error != ABT_SUCCESS || attr->callback == nullptr) return error;
  if (make_callback(*out, attr) == ABT_SUCCESS) return ABT_SUCCESS;
  discard_unit(*out);
  return ABT_ERR_MEM;
}

[[gnu::always_inline]] inline int make_ult(pool* home, unit_function function, void* argument, const thread_attr* attr,
                                           bool named, weft_thread** out) {
  if (attr != nullptr || !named) [[unlikely]]
    return make_elaborately(home, function, argument, attr, named, out);
  return make_plain_unit(home, function, argument, kind_of_plain(true), out);
}

[[gnu::noinline]] int create_with_attributes(pool* home, unit_function function, void* argument, ABT_thread_attr attr,
                                             ABT_thread* out) {
  weft_thread* made = nullptr;
  const int error = make_elaborately(home, function, argument, attr_of(attr), out != nullptr, &made);
  if (error != ABT_SUCCESS) return error;
  if (out != nullptr) *out = handle_of(made);  // first: it may end before push returns
  push(home, made, ABT_POOL_CONTEXT_OP_THREAD_CREATE);
  return ABT_SUCCESS;
}

[[gnu::always_inline]] inline int create_ult(pool* home, unit_function function, void* argument, ABT_thread_attr attr,
                                             ABT_thread* out) {
  if (home == nullptr) return ABT_ERR_INV_POOL;
  if (attr != ABT_THREAD_ATTR_NULL) return create_with_attributes(home, function, argument, attr, out);
  if (out == nullptr) return create_otherwise(home, function, argument, kind_of_plain(false), out);
  return create_named_unit(home, function, argument, kind_of_plain(true), out);
}

// What *_to calls want of their caller.
int need_replaceable_ult(const caller& me) {
  if (const int error = need_ult(me); error != ABT_SUCCESS) return error;
  return me.fields->is(is_main_scheduler) ? ABT_ERR_INV_THREAD : ABT_SUCCESS;
}

bool has_ended(ABT_thread thread) { return weft_hot_has_ended(thread_of(thread)); }

}  // namespace

int ABT_thread_create(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread_attr attr, ABT_thread* newthread) {
  if (newthread != nullptr) *newthread = ABT_THREAD_NULL;
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  return create_ult(pool_of(pool), thread_func, arg, attr, newthread);
}

int ABT_thread_create_on_xstream(ABT_xstream xstream, void (*thread_func)(void*), void* arg, ABT_thread_attr attr,
                                 ABT_thread* newthread) {
  if (newthread != nullptr) *newthread = ABT_THREAD_NULL;
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (xstream == ABT_XSTREAM_NULL) return ABT_ERR_INV_XSTREAM;
  return create_ult(main_pool(stream_of(xstream)), thread_func, arg, attr, newthread);
}

int ABT_thread_create_to(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread_attr attr, ABT_thread* newthread) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  const caller me = who_calls();
  if (const int error = need_replaceable_ult(me); error != ABT_SUCCESS) return error;
  if (pool == ABT_POOL_NULL) return ABT_ERR_INV_POOL;
  weft_thread* made = nullptr;
  const int error = make_ult(pool_of(pool), thread_func, arg, attr_of(attr), newthread != nullptr, &made);
  if (error != ABT_SUCCESS) return error;
  if (newthread != nullptr) *newthread = handle_of(made);
  yield_self_to(me, made, ABT_POOL_CONTEXT_OP_THREAD_CREATE_TO);
  return ABT_SUCCESS;
}

int ABT_thread_create_many(int num_threads, ABT_pool* pool_list, void (**thread_func_list)(void*), void** arg_list,
                           ABT_thread_attr attr, ABT_thread* newthread_list) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (attr != ABT_THREAD_ATTR_NULL && attr_of(attr)->stack != nullptr) return ABT_ERR_INV_THREAD_ATTR;
  for (int index = 0; index < num_threads; ++index) {
    void* const argument = arg_list != nullptr ? arg_list[index] : nullptr;
    ABT_thread* const out = newthread_list != nullptr ? &newthread_list[index] : nullptr;
    if (pool_list[index] == ABT_POOL_NULL) return ABT_ERR_INV_POOL;
    if (out != nullptr) *out = ABT_THREAD_NULL;
    const int error = create_ult(pool_of(pool_list[index]), thread_func_list[index], argument, attr, out);
    if (error != ABT_SUCCESS) return error;
  }
  return ABT_SUCCESS;
}

int ABT_thread_revive(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread* thread) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (*thread == ABT_THREAD_NULL || !has_ended(*thread)) return ABT_ERR_INV_THREAD;
  if (pool == ABT_POOL_NULL) return ABT_ERR_INV_POOL;
  weft_thread* const one = thread_of(*thread);
  if (const int error = revive_unit(one, pool_of(pool), thread_func, arg); error != ABT_SUCCESS) return error;
  push(pool_of(pool), one, ABT_POOL_CONTEXT_OP_THREAD_REVIVE);
  return ABT_SUCCESS;
}

int ABT_thread_revive_to(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread* thread) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  const caller me = who_calls();
  if (const int error = need_replaceable_ult(me); error != ABT_SUCCESS) return error;
  if (*thread == ABT_THREAD_NULL || !has_ended(*thread)) return ABT_ERR_INV_THREAD;
  weft_thread* const one = thread_of(*thread);
  if (!fields_of(one)->is(is_yieldable)) return ABT_ERR_INV_THREAD;
  if (pool == ABT_POOL_NULL) return ABT_ERR_INV_POOL;
  if (const int error = revive_unit(one, pool_of(pool), thread_func, arg); error != ABT_SUCCESS) return error;
  yield_self_to(me, one, ABT_POOL_CONTEXT_OP_THREAD_REVIVE_TO);
  return ABT_SUCCESS;
}
