// Schedulers: made, asked and freed.

#include "scheduler.hpp"

#include <cstdlib>

#include "config_values.hpp"
#include "faces/common/object.hpp"
#include "pool.hpp"

namespace weft::abt {

namespace {

bool allocate_lists(scheduler* one, std::size_t count) {
  one->pools = static_cast<ABT_pool*>(std::calloc(count + 1, sizeof(ABT_pool)));
  one->queues = static_cast<weft_pool**>(std::calloc(count + 1, sizeof(weft_pool*)));
  one->served = static_cast<pool**>(std::calloc(count + 1, sizeof(pool*)));
  return one->pools != nullptr && one->queues != nullptr && one->served != nullptr;
}

void free_memory(scheduler* one) {
  std::free(one->pools);
  std::free(one->queues);
  std::free(one->served);
  face::free_object(one);
}

// Null ones are made, and go with the scheduler.
int take_pool(scheduler* one, ABT_pool given, ABT_pool_access access) {
  pool* taken = pool_of(given);
  if (taken == nullptr) {
    if (const int error = create_basic_pool(ABT_POOL_FIFO, access, true, &taken); error != ABT_SUCCESS) return error;
  }
  retain_pool(taken);
  one->pools[one->pool_count] = handle_of(taken);
  one->queues[one->pool_count] = taken->queue;
  one->served[one->pool_count] = taken;
  ++one->pool_count;
  return ABT_SUCCESS;
}

// Of one that was not finished: pools that the caller gave stay, whatever they are.
void discard(scheduler* one, const ABT_pool* given) {
  for (std::size_t index = 0; index < one->pool_count; ++index) {
    if (given[index] == ABT_POOL_NULL) {
      release_pool(one->pool_at(index), true);
    } else {
      one->pool_at(index)->scheduler_count.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  free_memory(one);
}

scheduler* allocate_scheduler(const ABT_sched_def* def, scheduler_kind kind, ABT_sched_config config, bool is_automatic) {
  scheduler* const one = face::make_object<scheduler>(0);
  if (one == nullptr) return nullptr;
  int automatic = is_automatic ? 1 : 0;
  read_config(config, ABT_sched_config_automatic.idx, &automatic);
  one->kind = kind;
  one->is_automatic = automatic != 0;
  one->type = def->type;
  one->init = def->init;
  one->run = def->run;
  one->free = def->free;
  one->get_migr_pool = def->get_migr_pool;
  return one;
}

int take_pools(scheduler* one, int count, const ABT_pool* given, ABT_pool_access access) {
  if (!allocate_lists(one, static_cast<std::size_t>(count))) return ABT_ERR_MEM;
  for (int index = 0; index < count; ++index) {
    if (const int error = take_pool(one, given[index], access); error != ABT_SUCCESS) return error;
  }
  return ABT_SUCCESS;
}

}  // namespace

int create_scheduler(const ABT_sched_def* def, scheduler_kind kind, int pool_count, const ABT_pool* pools,
                     ABT_sched_config config, bool is_automatic, scheduler** out) {
  scheduler* const made = allocate_scheduler(def, kind, config, is_automatic);
  if (made == nullptr) return ABT_ERR_MEM;
  const ABT_pool_access access = kind == scheduler_kind::user ? ABT_POOL_ACCESS_MPSC : ABT_POOL_ACCESS_MPMC;
  int error = take_pools(made, pool_count, pools, access);
  if (error == ABT_SUCCESS && made->init != nullptr) error = made->init(handle_of(made), config);
  if (error != ABT_SUCCESS) {
    discard(made, pools);
    return error;
  }
  *out = made;
  return ABT_SUCCESS;
}

void free_scheduler(scheduler* one, bool pools_go) {
  if (one->free != nullptr) static_cast<void>(one->free(handle_of(one)));
  for (std::size_t index = 0; index < one->pool_count; ++index) {
    if (pool* const its = one->pool_at(index); its != nullptr) release_pool(its, pools_go);  // null: it gave that one up
  }
  free_memory(one);
}

void retire_scheduler(scheduler* one, bool must_go) {
  one->use = scheduler_use::none;
  one->thread = nullptr;
  one->requests.store(0, std::memory_order_relaxed);  // of this use
  if (one->is_automatic || must_go) free_scheduler(one, must_go);
}

void wake_scheduler(scheduler* one) {
  for (std::size_t index = 0; index < one->pool_count; ++index) weft_ext_pool_notify(one->queues[index]);
}

void request(scheduler* one, std::uint32_t bits) {
  // [Z6] release: what was done before the request; pairs with [Z7]
  one->requests.fetch_or(bits, std::memory_order_release);
  wake_scheduler(one);
}

bool has_units(scheduler* one) {
  for (std::size_t index = 0; index < one->pool_count; ++index) {
    pool* const looked_at = one->pool_at(index);
    if (!is_empty(looked_at)) return true;
    const bool is_ours =
        looked_at->access == ABT_POOL_ACCESS_PRIV || looked_at->scheduler_count.load(std::memory_order_relaxed) == 1;
    if (is_ours && weft_pool_total_count(looked_at->queue) != 0) return true;
  }
  return false;
}

bool has_to_stop(scheduler* one) {
  // [Z7] acquire: sees what was done before the request; pairs with [Z6]
  const std::uint32_t requests = one->requests.load(std::memory_order_acquire);
  if ((requests & stop_now) != 0) return true;
  const bool stops_when_empty = (requests & (stop_when_empty | make_way)) != 0 || one->use == scheduler_use::in_pool;
  return stops_when_empty && !has_units(one);
}

}  // namespace weft::abt
