// Making and freeing pools.

#include "pool.hpp"

#include <sched.h>

#include <cinttypes>
#include <cstdlib>

#include "config_values.hpp"
#include "environment.hpp"
#include "faces/common/object.hpp"
#include "faces/common/spinlock.hpp"

namespace weft::abt {

namespace {

constinit atomic<std::uint64_t> next_id{0};
constinit atomic<std::size_t> pools_in_use{0};  // made and not freed

// Freed by the program, while units may remember them.
constinit face::spinlock kept_lock;
constinit pool* kept = nullptr;

pool* pool_in(void* state) { return static_cast<pool*>(state); }

// ---- the core's operations ----

ABT_pool_context context_for(weft_push_reason reason) {
  switch (reason) {
    case WEFT_PUSH_NEW: return ABT_POOL_CONTEXT_OP_THREAD_CREATE;
    case WEFT_PUSH_YIELDED: return ABT_POOL_CONTEXT_OP_THREAD_YIELD;
    case WEFT_PUSH_WOKEN: return ABT_POOL_CONTEXT_OP_THREAD_RESUME;
    case WEFT_PUSH_MIGRATED: return ABT_POOL_CONTEXT_OP_THREAD_MIGRATE;
  }
  return ABT_POOL_CONTEXT_OP_POOL_OTHER;
}

ABT_pool_context take_push_context(unit_fields* fields, weft_push_reason reason) {
  const ABT_pool_context named = fields->context;
  if (named == 0) return context_for(reason);
  fields->context = 0;
  return named & ~push_context_is_named;
}

void push_user(void* state, weft_thread* unit, weft_push_reason reason) {
  pool* const one = pool_in(state);
  unit_fields* const fields = fields_of(unit);
  const ABT_pool_context context = take_push_context(fields, reason);
  const visit here(one);
  one->user.push(handle_of(one), fields->unit, context);
}

weft_thread* pop_user(void* state) {
  pool* const one = pool_in(state);
  return thread_of(one->user.pop(handle_of(one), ABT_POOL_CONTEXT_OP_POOL_OTHER));
}

std::size_t count_user(void* state) {
  pool* const one = pool_in(state);
  if (one->user.get_size != nullptr) return one->user.get_size(handle_of(one));
  return one->user.is_empty(handle_of(one)) == ABT_TRUE ? 0 : 1;
}

// When nothing lies in it and no caller is inside push any more.
void destroy_user(void* state) {
  pool* const one = pool_in(state);
  if (one->user.free != nullptr) one->user.free(handle_of(one));
}

constexpr weft_pool_ops user_operations{sizeof(weft_pool_ops), push_user, pop_user, count_user, nullptr, destroy_user};

// ---- making ----

weft_status make_queue(pool* one) {
  switch (one->family) {
    case pool_family::fifo: return weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &one->queue);
    case pool_family::deque: return weft_pool_create(WEFT_POOL_DEQUE, WEFT_POOL_SHARED, &one->queue);
    case pool_family::user: return weft_ext_pool_create(&user_operations, one, WEFT_POOL_SHARED, &one->queue);
  }
  return WEFT_INVALID;
}

int make_fresh(pool_family family, pool** out) {
  pool* const one = face::make_object<pool>(0);
  if (one == nullptr) return ABT_ERR_MEM;
  one->family = family;
  if (const weft_status result = make_queue(one); result != WEFT_OK) {
    face::free_object(one);
    return result == WEFT_NOMEM ? ABT_ERR_MEM : ABT_ERR_POOL;
  }
  *out = one;
  return ABT_SUCCESS;
}

// ---- what is kept ----

void keep(pool* one) {
  const face::guard hold(kept_lock);
  one->next_kept = kept;
  kept = one;
}

// Null: there is no such one.
template <class Wanted>
pool* take_kept(Wanted is_wanted) {
  const face::guard hold(kept_lock);
  for (pool** link = &kept; *link != nullptr; link = &(*link)->next_kept) {
    pool* const one = *link;
    if (!is_wanted(one)) continue;
    *link = one->next_kept;
    return one;
  }
  return nullptr;
}

// One to which no unit comes back.
pool* take_kept_of(pool_family family) {
  if (family == pool_family::user) return nullptr;
  return take_kept([family](const pool* one) { return one->family == family && weft_pool_total_count(one->queue) == 0; });
}

int make_pool(pool_family family, ABT_pool_access access, bool is_automatic, pool** out) {
  pool* one = take_kept_of(family);
  if (one == nullptr) {
    if (const int error = make_fresh(family, &one); error != ABT_SUCCESS) return error;
  }
  one->access = access;
  one->is_automatic = is_automatic;
  one->data = nullptr;
  one->scheduler_count.store(0, std::memory_order_relaxed);
  one->id = next_id.fetch_add(1, std::memory_order_relaxed);
  pools_in_use.fetch_add(1, std::memory_order_relaxed);
  *out = one;
  return ABT_SUCCESS;
}

// ---- freeing ----

void push_nowhere(ABT_pool, ABT_unit unit, ABT_pool_context) {
  report("work unit %" PRIu64
         " became ready in a pool of the program's that was freed, and never runs: free pools after their units",
         weft_thread_id(thread_of_unit(unit)));
}

// From here on the pool makes do without the user's functions, which may use what the user frees
// now: it holds nothing. But units that have a name there give it back, perhaps just now:
// free_unit, and `old` behind it, stay as they are.
void forget_user(pool* one) {
  pool_callbacks& user = one->user;
  user.is_empty = [](ABT_pool) -> ABT_bool { return ABT_TRUE; };
  user.pop = [](ABT_pool, ABT_pool_context) -> ABT_thread { return ABT_THREAD_NULL; };
  user.push = push_nowhere;
  user.init = nullptr;
  user.free = nullptr;
  user.get_size = nullptr;
  user.pop_wait = nullptr;
  user.pop_many = nullptr;
  user.push_many = nullptr;
  user.print_all = nullptr;
}

// The user's init refused: the user has nothing to free or to count.
void discard_unused(pool* one) {
  forget_user(one);
  free_pool(one);
}

void wait_for_visitors(const pool* one) {
  // [Z3] acquire: they are done with the pool; pairs with [Z4]
  while (one->visitors.load(std::memory_order_acquire) != 0) sched_yield();
}

// False: units belong to it.
bool try_to_free(pool* one) {
  wait_for_visitors(one);
  if (weft_pool_destroy(one->queue) != WEFT_OK) return false;
  std::free(one);
  return true;
}

bool has_names(const pool* one) {
  // [Z80] acquire: the units that had one are done with the pool; pairs with [Z79]
  return one->names.load(std::memory_order_acquire) != 0;
}

// Of the user's pools those that no unit remembers any more.
void free_kept_user_pools() {
  while (pool* const one = take_kept([](const pool* any) { return any->family == pool_family::user && !has_names(any); })) {
    if (!try_to_free(one)) return keep(one);
  }
}

void free_user_pool(pool* one) {
  if (!has_names(one) && try_to_free(one)) return;
  wait_for_visitors(one);
  if (one->user.free != nullptr) one->user.free(handle_of(one));
  forget_user(one);
  free_kept_user_pools();
  keep(one);
}

}  // namespace

int create_basic_pool(ABT_pool_kind kind, ABT_pool_access access, bool is_automatic, pool** out) {
  if (access < ABT_POOL_ACCESS_PRIV || access > ABT_POOL_ACCESS_MPMC) return ABT_ERR_INV_POOL_ACCESS;
  switch (kind) {
    case ABT_POOL_FIFO:
    case ABT_POOL_FIFO_WAIT: return make_pool(pool_family::fifo, access, is_automatic, out);
    case ABT_POOL_RANDWS: return make_pool(pool_family::deque, access, is_automatic, out);
    default: return ABT_ERR_INV_POOL_KIND;
  }
}

int create_user_pool(const pool_callbacks& callbacks, const ABT_pool_def* old, ABT_pool_access access, ABT_pool_config config,
                     pool** out) {
  int is_automatic = 0;
  read_config(config, ABT_pool_config_automatic.key, &is_automatic);
  pool* made = nullptr;
  if (const int error = make_pool(pool_family::user, access, is_automatic != 0, &made); error != ABT_SUCCESS) return error;
  made->user = callbacks;
  if (old != nullptr) made->old = *old;
  if (callbacks.init != nullptr) {
    if (const int refusal = callbacks.init(handle_of(made), config); refusal != ABT_SUCCESS) {
      discard_unused(made);
      return refusal;
    }
  }
  *out = made;
  return ABT_SUCCESS;
}

void free_pool(pool* one) {
  pools_in_use.fetch_sub(1, std::memory_order_relaxed);
  one->is_built_in() ? keep(one) : free_user_pool(one);
}

void free_kept_pools() {
  while (pool* const one = kept) {
    kept = one->next_kept;
    static_cast<void>(try_to_free(one));
  }
}

void release_pool(pool* one, bool must_go) {
  // [Z5] acq_rel: what the other schedulers did with it, before it goes; pairs with [Z5]
  const bool was_last = one->scheduler_count.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (must_go || (was_last && one->is_automatic)) free_pool(one);  // where others are left they may have freed it
}

void reset_pool_ids() {
  if (pools_in_use.load(std::memory_order_relaxed) == 0) next_id.store(0, std::memory_order_relaxed);
}

}  // namespace weft::abt
