// ABT_sched_*

#include <abt.h>

#include <algorithm>

#include "pool.hpp"
#include "runtime.hpp"
#include "scheduler.hpp"
#include "self.hpp"

using namespace weft::abt;

namespace {

// The sum over a scheduler's pools. ABT_ERR_POOL: one of them cannot tell.
int add_up(ABT_sched sched, size_t (*count)(pool*), size_t* out) {
  *out = 0;
  const scheduler* const one = scheduler_of(sched);
  if (one == nullptr) return ABT_ERR_INV_SCHED;
  size_t sum = 0;
  for (size_t index = 0; index < one->pool_count; ++index) {
    if (!has_size(one->pool_at(index))) return ABT_ERR_POOL;
    sum += count(one->pool_at(index));
  }
  *out = sum;
  return ABT_SUCCESS;
}

int ask(ABT_sched sched, std::uint32_t bits) {
  scheduler* const one = scheduler_of(sched);
  if (one == nullptr) return ABT_ERR_INV_SCHED;
  request(one, bits);
  return ABT_SUCCESS;
}

}  // namespace

extern "C" {

int ABT_sched_create(ABT_sched_def* def, int num_pools, ABT_pool* pools, ABT_sched_config config, ABT_sched* newsched) {
  if (newsched == nullptr) return ABT_ERR_SCHED;
  *newsched = ABT_SCHED_NULL;
  if (num_pools < 0) return ABT_ERR_INV_ARG;
  scheduler* made = nullptr;
  const int error = create_scheduler(def, scheduler_kind::user, num_pools, pools, config, false, &made);
  if (error == ABT_SUCCESS) *newsched = handle_of(made);
  return error;
}

int ABT_sched_create_basic(ABT_sched_predef predef, int num_pools, ABT_pool* pools, ABT_sched_config config,
                           ABT_sched* newsched) {
  if (newsched == nullptr) return ABT_ERR_SCHED;
  *newsched = ABT_SCHED_NULL;
  if (num_pools < 0) return ABT_ERR_INV_ARG;
  scheduler* made = nullptr;
  const int error = create_basic_scheduler(predef, num_pools, pools, config, &made);
  if (error == ABT_SUCCESS) *newsched = handle_of(made);
  return error;
}

int ABT_sched_free(ABT_sched* sched) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  scheduler* const one = scheduler_of(*sched);
  if (one == nullptr) return ABT_ERR_INV_SCHED;
  if (one->use != scheduler_use::none) return ABT_ERR_SCHED;
  free_scheduler(one, false);
  *sched = ABT_SCHED_NULL;
  return ABT_SUCCESS;
}

int ABT_sched_get_num_pools(ABT_sched sched, int* num_pools) {
  const scheduler* const one = scheduler_of(sched);
  if (one == nullptr) return ABT_ERR_INV_SCHED;
  *num_pools = static_cast<int>(one->pool_count);
  return ABT_SUCCESS;
}

int ABT_sched_get_pools(ABT_sched sched, int max_pools, int idx, ABT_pool* pools) {
  const scheduler* const one = scheduler_of(sched);
  if (one == nullptr) return ABT_ERR_INV_SCHED;
  if (max_pools < 0 || idx < 0) return ABT_ERR_INV_ARG;
  if (static_cast<size_t>(idx) + static_cast<size_t>(max_pools) > one->pool_count) return ABT_ERR_SCHED;
  std::copy_n(one->pools + idx, max_pools, pools);
  return ABT_SUCCESS;
}

int ABT_sched_set_data(ABT_sched sched, void* data) {
  scheduler* const one = scheduler_of(sched);
  if (one == nullptr) return ABT_ERR_INV_SCHED;
  one->data = data;
  return ABT_SUCCESS;
}

int ABT_sched_get_data(ABT_sched sched, void** data) {
  const scheduler* const one = scheduler_of(sched);
  if (one == nullptr) return ABT_ERR_INV_SCHED;
  *data = one->data;
  return ABT_SUCCESS;
}

int ABT_sched_get_size(ABT_sched sched, size_t* size) { return add_up(sched, weft::abt::size, size); }

int ABT_sched_get_total_size(ABT_sched sched, size_t* size) { return add_up(sched, total_size, size); }

int ABT_sched_finish(ABT_sched sched) { return ask(sched, stop_when_empty); }

int ABT_sched_exit(ABT_sched sched) { return ask(sched, stop_now); }

int ABT_sched_has_to_stop(ABT_sched sched, ABT_bool* stop) {
  *stop = ABT_FALSE;
  scheduler* const one = scheduler_of(sched);
  if (one == nullptr) return ABT_ERR_INV_SCHED;
  if (who_calls_maybe_early().is_outside()) return ABT_ERR_INV_XSTREAM;
  *stop = has_to_stop(one) ? ABT_TRUE : ABT_FALSE;
  return ABT_SUCCESS;
}

}  // extern "C"
