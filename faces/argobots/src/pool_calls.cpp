// ABT_pool_*: pools as objects. What goes into them and comes out: pool_units.cpp.

#include <abt.h>

#include "pool.hpp"
#include "pool_user_def.hpp"
#include "runtime.hpp"
#include "scheduler.hpp"

using namespace weft::abt;

extern "C" {

int ABT_pool_create(ABT_pool_user_def def, ABT_pool_config config, ABT_pool* newpool) {
  *newpool = ABT_POOL_NULL;
  if (def == ABT_POOL_USER_DEF_NULL) return ABT_ERR_INV_POOL_USER_DEF;
  pool* made = nullptr;
  const int error = is_old(def) ? create_user_pool(callbacks_of_old(*def), def, def->access, config, &made)
                                : create_user_pool(user_def_of(def)->callbacks, nullptr, ABT_POOL_ACCESS_MPMC, config, &made);
  if (error == ABT_SUCCESS) *newpool = handle_of(made);
  return error;
}

int ABT_pool_create_basic(ABT_pool_kind kind, ABT_pool_access access, ABT_bool automatic, ABT_pool* newpool) {
  *newpool = ABT_POOL_NULL;
  pool* made = nullptr;
  const int error = create_basic_pool(kind, access, automatic == ABT_TRUE, &made);
  if (error == ABT_SUCCESS) *newpool = handle_of(made);
  return error;
}

int ABT_pool_free(ABT_pool* pool) {
  weft::abt::pool* const one = pool_of(*pool);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  free_pool(one);
  *pool = ABT_POOL_NULL;
  return ABT_SUCCESS;
}

int ABT_pool_get_access(ABT_pool pool, ABT_pool_access* access) {
  const weft::abt::pool* const one = pool_of(pool);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  *access = one->access;
  return ABT_SUCCESS;
}

int ABT_pool_is_empty(ABT_pool pool, ABT_bool* empty) {
  weft::abt::pool* const one = pool_of(pool);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  *empty = is_empty(one) ? ABT_TRUE : ABT_FALSE;
  return ABT_SUCCESS;
}

int ABT_pool_get_size(ABT_pool pool, size_t* out) {
  weft::abt::pool* const one = pool_of(pool);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  if (!has_size(one)) return ABT_ERR_POOL;
  *out = size(one);
  return ABT_SUCCESS;
}

int ABT_pool_get_total_size(ABT_pool pool, size_t* out) {
  weft::abt::pool* const one = pool_of(pool);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  if (!has_size(one)) return ABT_ERR_POOL;
  *out = total_size(one);
  return ABT_SUCCESS;
}

int ABT_pool_set_data(ABT_pool pool, void* data) {
  weft::abt::pool* const one = pool_of(pool);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  one->data = data;
  return ABT_SUCCESS;
}

int ABT_pool_get_data(ABT_pool pool, void** data) {
  const weft::abt::pool* const one = pool_of(pool);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  *data = one->data;
  return ABT_SUCCESS;
}

int ABT_pool_get_id(ABT_pool pool, int* id) {
  const weft::abt::pool* const one = pool_of(pool);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  *id = static_cast<int>(one->id);
  return ABT_SUCCESS;
}

int ABT_pool_add_sched(ABT_pool pool, ABT_sched sched) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  weft::abt::pool* const one = pool_of(pool);
  if (one == nullptr) return ABT_ERR_INV_POOL;
  scheduler* const added = scheduler_of(sched);
  return added != nullptr ? add_scheduler(one, added) : ABT_ERR_INV_SCHED;
}

}  // extern "C"
