// Pools of the face, and which pool a unit belongs to.
//
// FIFO and FIFO_WAIT are the core's FIFO pools, RANDWS is its deque: the owner takes from where new
// units go, thieves (ABT_POOL_CONTEXT_OWNER_SECONDARY) from the other end, where those go that
// yielded or woke. The user's pools are behind the core's table of pool operations: the core pushes
// through it (a unit that yields or wakes goes home), the face pops without the core, so that pop
// is called by the callers that call it in Argobots, with the pool context as given.
//
// A unit is associated with one pool, its home in the core. ABT_unit of a built-in pool is the
// unit's address with its lowest bit set; of a user's pool it is what create_unit gave, found by
// unit_map.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/ext.h>
#include <weft_abt/atomic.hpp>

#include <abt.h>

#include "handle.hpp"
#include "unit.hpp"

namespace weft::abt {

// In unit_fields::context: the next push has been told its context, even if that is 0.
inline constexpr ABT_pool_context push_context_is_named = ABT_pool_context{1} << 63;

// What a user's pool can do. Pools by ABT_pool_def have the same table, in terms of `old`.
struct pool_callbacks {
  ABT_pool_user_create_unit_fn create_unit;
  ABT_pool_user_free_unit_fn free_unit;
  ABT_pool_user_is_empty_fn is_empty;
  ABT_pool_user_pop_fn pop;
  ABT_pool_user_push_fn push;
  ABT_pool_user_init_fn init;  // from here on: null where the user has none
  ABT_pool_user_free_fn free;
  ABT_pool_user_get_size_fn get_size;
  ABT_pool_user_pop_wait_fn pop_wait;
  ABT_pool_user_pop_many_fn pop_many;
  ABT_pool_user_push_many_fn push_many;
  ABT_pool_user_print_all_fn print_all;
};

enum class pool_family : std::uint8_t { fifo, deque, user };

struct pool {
  weft_pool* queue;  // the core's
  pool_family family;
  bool is_automatic;  // goes with its last scheduler
  ABT_pool_access access;
  atomic<int> scheduler_count;
  atomic<int> visitors;       // callers that push: see visit
  atomic<std::size_t> names;  // of user's pools: units that have an ABT_unit of it
  void* data;
  std::uint64_t id;
  pool_callbacks user;  // of user's pools
  ABT_pool_def old;     // of those by ABT_pool_def
  pool* next_kept;      // see free_pool

  bool is_built_in() const { return family != pool_family::user; }
};

// ---- making and freeing (pool.cpp): ABT_ codes --------------------------------------------------

int create_basic_pool(ABT_pool_kind kind, ABT_pool_access access, bool is_automatic, pool** out);
int create_user_pool(const pool_callbacks& callbacks, const ABT_pool_def* old, ABT_pool_access access, ABT_pool_config config,
                     pool** out);
// Units may still point to it, and to the core's queue: what they find stays good, until no unit is
// left or, of a built-in pool, as another pool of its family. So while a unit remembers a pool no
// pool of another family, nor another user's pool, has its address.
void free_pool(pool* one);
void free_kept_pools();  // when no unit is left
void reset_pool_ids();   // at ABT_init; they count on where there are pools of before

// For the caller of a user's push: the pool must not go meanwhile, though its units may run and
// end.
class visit {
 public:
  explicit visit(pool* where) : where_(where) { where_->visitors.fetch_add(1, std::memory_order_relaxed); }
  // [Z4] release: done with the pool; pairs with [Z3]
  ~visit() { where_->visitors.fetch_sub(1, std::memory_order_release); }
  visit(const visit&) = delete;
  visit& operator=(const visit&) = delete;

 private:
  pool* where_;
};

inline void retain_pool(pool* one) { one->scheduler_count.fetch_add(1, std::memory_order_relaxed); }
// A scheduler that had it is gone: frees it if it is automatic and has no other, or if must_go.
void release_pool(pool* one, bool must_go);

// ---- units and their pools (unit_pool.cpp): ABT_ codes; only the unit's owner may call, or the unit itself

inline ABT_unit built_in_unit(weft_thread* thread) {
  return reinterpret_cast<ABT_unit>(reinterpret_cast<std::uintptr_t>(thread) | 1);
}
inline bool is_built_in_unit(ABT_unit unit) { return (reinterpret_cast<std::uintptr_t>(unit) & 1) != 0; }
weft_thread* thread_of_user_unit(ABT_unit unit);
// Of any ABT_unit but the null one.
inline weft_thread* thread_of_unit(ABT_unit unit) {
  if (!is_built_in_unit(unit)) return thread_of_user_unit(unit);
  return reinterpret_cast<weft_thread*>(reinterpret_cast<std::uintptr_t>(unit) & ~std::uintptr_t{1});
}

// A new unit's first pool: makes the ABT_unit of a user's pool. The unit was made with attr.pool =
// one->queue, and has no home in its fields yet. ABT_ERR_OTHER: create_unit gave none; ABT_ERR_MEM.
int associate_new_with_user_pool(weft_thread* thread, pool* one);
inline int associate_new(weft_thread* thread, pool* one) {
  unit_fields* const fields = fields_of(thread);
  fields->home = nullptr;
  if (!one->is_built_in()) return associate_new_with_user_pool(thread, one);
  fields->unit = built_in_unit(thread);
  fields->home = one;
  return ABT_SUCCESS;
}

// Another pool for an owned unit, or the running one: the new ABT_unit is made before the old one
// is freed; on failure, as above, the unit stays where it was. rebind leaves the core's home to the
// push that follows.
int rebind_elsewhere(weft_thread* thread, pool* one);
inline int rebind(weft_thread* thread, pool* one) {
  return fields_of(thread)->home == one ? ABT_SUCCESS : rebind_elsewhere(thread, one);
}
int associate(weft_thread* thread, pool* one);
// Before a unit is freed.
void dissociate(weft_thread* thread);

// ---- what a pool does (pool_ops.cpp) ------------------------------------------------------------

// Whether RANDWS pools take such units as new, as they take those that leave for their own child.
inline bool comes_as_new(ABT_pool_context context) {
  return (context & (ABT_POOL_CONTEXT_OP_THREAD_CREATE | ABT_POOL_CONTEXT_OP_THREAD_CREATE_TO |
                     ABT_POOL_CONTEXT_OP_THREAD_REVIVE | ABT_POOL_CONTEXT_OP_THREAD_REVIVE_TO)) != 0;
}

void push_to_user(pool* one, weft_thread* thread, ABT_pool_context context);
// An owned unit that is associated with this pool.
inline void push(pool* one, weft_thread* thread, ABT_pool_context context) {
  if (!one->is_built_in()) return push_to_user(one, thread, context);
  static_cast<void>(weft_ext_pool_push(one->queue, thread, comes_as_new(context) ? WEFT_PUSH_NEW : WEFT_PUSH_MIGRATED));
}

weft_thread* pop_elsewhere(pool* one, ABT_pool_context context);
inline bool is_by_thief(ABT_pool_context context) { return (context & ABT_POOL_CONTEXT_OWNER_SECONDARY) != 0; }
// Null: none is there.
inline weft_thread* pop(pool* one, ABT_pool_context context) {
  return one->is_built_in() && !is_by_thief(context) ? weft_ext_pool_pop(one->queue) : pop_elsewhere(one, context);
}
// Waits until the pool has a unit or deadline_ns passed.
weft_thread* pop_until(pool* one, std::uint64_t deadline_ns, ABT_pool_context context);

std::size_t pop_many(pool* one, weft_thread** out, std::size_t most, ABT_pool_context context);
// Those that are associated with it; null ones are left out. ABT_ERR_MEM: none was pushed.
int push_many(pool* one, const ABT_thread* threads, std::size_t count, ABT_pool_context context);
// Out of the middle, if it is there. Only where can_take(). What the user's p_remove answers.
int take(pool* one, weft_thread* thread, bool* is_taken);
bool can_take(const pool* one);

// Calls each(state, thread) for the ready units; it must be short. Only where can_walk().
void walk(pool* one, void (*each)(void* state, weft_thread* thread), void* state);
bool can_walk(const pool* one);

bool is_empty(pool* one);
bool has_size(const pool* one);     // those without get_size have none
std::size_t size(pool* one);        // ready units
std::size_t total_size(pool* one);  // and blocked ones, which will come back

}  // namespace weft::abt
