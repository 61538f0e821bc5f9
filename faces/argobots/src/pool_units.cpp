// ABT_pool_*: units that go into pools and come out. ABT_unit_*.

#include <abt.h>

#include <cstdint>

#include "pool.hpp"

using namespace weft::abt;

namespace {

ABT_unit name_of(weft_thread* thread) { return thread != nullptr ? fields_of(thread)->unit : ABT_UNIT_NULL; }

int pop_into(ABT_pool from, ABT_thread* out, ABT_pool_context context) {
  pool* const one = pool_of(from);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  *out = handle_of(pop(one, context));
  return ABT_SUCCESS;
}

bool has_pop_many(const pool* one) { return one->is_built_in() || one->old.p_pop != nullptr || one->user.pop_many != nullptr; }
bool has_push_many(const pool* one) { return one->is_built_in() || one->old.p_push != nullptr || one->user.push_many != nullptr; }

int pop_many_into(ABT_pool from, ABT_thread* out, size_t most, size_t* count, ABT_pool_context context) {
  pool* const one = pool_of(from);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  if (!has_pop_many(one)) return ABT_ERR_POOL;
  if (most != 0) *count = pop_many(one, reinterpret_cast<weft_thread**>(out), most, context);
  return ABT_SUCCESS;
}

int push_one(ABT_pool into, weft_thread* thread, ABT_pool_context context) {
  pool* const one = pool_of(into);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  if (thread == nullptr) return ABT_SUCCESS;
  if (const int error = rebind(thread, one); error != ABT_SUCCESS) return error;
  push(one, thread, context);
  return ABT_SUCCESS;
}

// Null ones are left out. None is pushed if one cannot be associated.
int push_all(ABT_pool into, const ABT_thread* threads, size_t count, ABT_pool_context context) {
  pool* const one = pool_of(into);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  if (!has_push_many(one)) return ABT_ERR_POOL;
  for (size_t index = 0; index < count; ++index) {
    if (threads[index] == ABT_THREAD_NULL) continue;
    if (const int error = rebind(thread_of(threads[index]), one); error != ABT_SUCCESS) return error;
  }
  return push_many(one, threads, count, context);
}

// ---- waiting ----

// From seconds; negative and tiny ones: now.
std::uint64_t deadline_after(double seconds) {
  constexpr double most_seconds = 1e9;
  if (!(seconds > 0)) return 0;
  return weft_deadline_in(static_cast<std::uint64_t>((seconds < most_seconds ? seconds : most_seconds) * 1e9));
}

weft_thread* pop_waiting(pool* one, double seconds, ABT_pool_context context) {
  if (one->is_built_in()) return pop_until(one, deadline_after(seconds), context);
  return thread_of(one->user.pop_wait(handle_of(one), seconds, context));
}

bool can_wait(const pool* one) { return one->is_built_in() || one->user.pop_wait != nullptr; }

int pop_waiting_into(ABT_pool from, ABT_thread* out, double seconds, ABT_pool_context context) {
  pool* const one = pool_of(from);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  if (!can_wait(one)) return ABT_ERR_POOL;
  *out = handle_of(pop_waiting(one, seconds, context));
  return ABT_SUCCESS;
}

// ---- printing ----

struct thread_printing {
  void* argument;
  void (*print)(void* argument, ABT_thread thread);
};

void print_thread(void* state, weft_thread* thread) {
  const auto* const mine = static_cast<thread_printing*>(state);
  mine->print(mine->argument, handle_of(thread));
}

struct unit_printing {
  void* argument;
  void (*print)(void* argument, ABT_unit unit);
};

void print_unit(void* state, ABT_thread thread) {
  const auto* const mine = static_cast<unit_printing*>(state);
  mine->print(mine->argument, name_of(thread_of(thread)));
}

int print_all(ABT_pool from, void* argument, void (*print)(void*, ABT_thread)) {
  pool* const one = pool_of(from);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  if (!can_walk(one)) return ABT_ERR_POOL;
  if (!one->is_built_in()) {
    one->user.print_all(from, argument, print);
    return ABT_SUCCESS;
  }
  thread_printing mine{argument, print};
  walk(one, print_thread, &mine);
  return ABT_SUCCESS;
}

}  // namespace

extern "C" {

int ABT_pool_pop_thread(ABT_pool pool, ABT_thread* thread) { return pop_into(pool, thread, ABT_POOL_CONTEXT_OP_POOL_OTHER); }

int ABT_pool_pop_thread_ex(ABT_pool pool, ABT_thread* thread, ABT_pool_context pool_ctx) {
  return pop_into(pool, thread, pool_ctx);
}

int ABT_pool_pop_threads(ABT_pool pool, ABT_thread* threads, size_t len, size_t* num) {
  return pop_many_into(pool, threads, len, num, ABT_POOL_CONTEXT_OP_POOL_OTHER);
}

int ABT_pool_pop_threads_ex(ABT_pool pool, ABT_thread* threads, size_t len, size_t* num, ABT_pool_context pool_ctx) {
  return pop_many_into(pool, threads, len, num, pool_ctx);
}

int ABT_pool_pop(ABT_pool pool, ABT_unit* unit) {
  weft::abt::pool* const one = pool_of(pool);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  *unit = name_of(pop(one, ABT_POOL_CONTEXT_OP_POOL_OTHER));
  return ABT_SUCCESS;
}

int ABT_pool_push_thread(ABT_pool pool, ABT_thread thread) {
  return push_one(pool, thread_of(thread), ABT_POOL_CONTEXT_OP_POOL_OTHER);
}

int ABT_pool_push_thread_ex(ABT_pool pool, ABT_thread thread, ABT_pool_context pool_ctx) {
  return push_one(pool, thread_of(thread), pool_ctx);
}

int ABT_pool_push_threads(ABT_pool pool, const ABT_thread* threads, size_t num) {
  return push_all(pool, threads, num, ABT_POOL_CONTEXT_OP_POOL_OTHER);
}

int ABT_pool_push_threads_ex(ABT_pool pool, const ABT_thread* threads, size_t num, ABT_pool_context pool_ctx) {
  return push_all(pool, threads, num, pool_ctx);
}

int ABT_pool_push(ABT_pool pool, ABT_unit unit) {
  if (pool_of(pool) == nullptr) return ABT_ERR_INV_POOL;
  if (unit == ABT_UNIT_NULL) return ABT_ERR_INV_UNIT;
  weft_thread* const thread = thread_of_unit(unit);
  return thread != nullptr ? push_one(pool, thread, ABT_POOL_CONTEXT_OP_POOL_OTHER) : ABT_ERR_INV_UNIT;
}

int ABT_pool_pop_wait_thread(ABT_pool pool, ABT_thread* thread, double time_secs) {
  return pop_waiting_into(pool, thread, time_secs, ABT_POOL_CONTEXT_OP_POOL_OTHER);
}

int ABT_pool_pop_wait_thread_ex(ABT_pool pool, ABT_thread* thread, double time_secs, ABT_pool_context pool_ctx) {
  return pop_waiting_into(pool, thread, time_secs, pool_ctx);
}

int ABT_pool_pop_wait(ABT_pool pool, ABT_unit* unit, double time_secs) {
  ABT_thread thread = ABT_THREAD_NULL;
  const int error = pop_waiting_into(pool, &thread, time_secs, ABT_POOL_CONTEXT_OP_POOL_OTHER);
  if (error == ABT_SUCCESS) *unit = name_of(thread_of(thread));
  return error;
}

int ABT_pool_pop_timedwait(ABT_pool pool, ABT_unit* unit, double abstime_secs) {
  weft::abt::pool* const one = pool_of(pool);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  if (one->is_built_in()) {
    const std::uint64_t deadline_ns = deadline_after(abstime_secs - ABT_get_wtime());
    *unit = name_of(pop_until(one, deadline_ns, ABT_POOL_CONTEXT_OP_POOL_OTHER));
    return ABT_SUCCESS;
  }
  if (one->old.p_pop_timedwait == nullptr) return ABT_ERR_POOL;
  *unit = one->old.p_pop_timedwait(pool, abstime_secs);
  return ABT_SUCCESS;
}

int ABT_pool_remove(ABT_pool pool, ABT_unit unit) {
  weft::abt::pool* const one = pool_of(pool);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  if (one->is_built_in()) {
    weft_thread* const thread = unit != ABT_UNIT_NULL ? thread_of_unit(unit) : nullptr;
    if (thread == nullptr) return ABT_ERR_INV_UNIT;
    return weft_ext_pool_remove(one->queue, thread) ? ABT_SUCCESS : ABT_ERR_POOL;
  }
  return one->old.p_remove != nullptr ? one->old.p_remove(pool, unit) : ABT_ERR_POOL;
}

int ABT_pool_print_all_threads(ABT_pool pool, void* arg, void (*print_fn)(void*, ABT_thread)) {
  return print_all(pool, arg, print_fn);
}

int ABT_pool_print_all(ABT_pool pool, void* arg, void (*print_fn)(void*, ABT_unit)) {
  unit_printing mine{arg, print_fn};
  return print_all(pool, &mine, print_unit);
}

int ABT_unit_get_thread(ABT_unit unit, ABT_thread* thread) {
  weft_thread* const found = unit != ABT_UNIT_NULL ? thread_of_unit(unit) : nullptr;
  if (found == nullptr) return ABT_ERR_INV_UNIT;
  *thread = handle_of(found);
  return ABT_SUCCESS;
}

// Argobots' schedulers said so before they ran a unit: today pushing and running say it.
int ABT_unit_set_associated_pool(ABT_unit unit, ABT_pool pool) {
  if (pool == ABT_POOL_NULL) return ABT_ERR_INV_POOL;
  return unit != ABT_UNIT_NULL ? ABT_SUCCESS : ABT_ERR_INV_UNIT;
}

}  // extern "C"
