// Making predefined schedulers.

#include "config_values.hpp"
#include "environment.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "sched_predefined.hpp"

namespace weft::abt {

namespace {

constexpr int pools_of_prio = 3;

int default_pool_count(ABT_sched_predef which) { return which == ABT_SCHED_PRIO ? pools_of_prio : 1; }

int rank_of(ABT_pool_access access) {
  switch (access) {
    case ABT_POOL_ACCESS_PRIV: return 0;
    case ABT_POOL_ACCESS_SPSC:
    case ABT_POOL_ACCESS_MPSC: return 1;
    default: return 2;
  }
}

// Those that fewer streams use come first; a stable insertion sort.
void sort_by_access(scheduler* one) {
  for (std::size_t sorted = 1; sorted < one->pool_count; ++sorted) {
    pool* const moved = one->served[sorted];
    std::size_t place = sorted;
    for (; place != 0 && rank_of(one->served[place - 1]->access) > rank_of(moved->access); --place) {
      one->served[place] = one->served[place - 1];
    }
    one->served[place] = moved;
  }
}

unsigned event_frequency(ABT_sched_config config) {
  const settings& wanted = current_runtime() != nullptr ? current_settings() : read_settings();
  int frequency = static_cast<int>(wanted.event_frequency);
  read_config(config, ABT_sched_basic_freq.idx, &frequency);
  return frequency > 0 ? static_cast<unsigned>(frequency) : 1;
}

}  // namespace

int create_basic_scheduler(ABT_sched_predef which, int pool_count, const ABT_pool* pools, ABT_sched_config config,
                           scheduler** out) {
  const ABT_sched_def* const def = predefined(which);
  if (def == nullptr) return ABT_ERR_INV_SCHED_PREDEF;
  constexpr ABT_pool made_pools[pools_of_prio] = {ABT_POOL_NULL, ABT_POOL_NULL, ABT_POOL_NULL};
  if (pools == nullptr) {
    pools = made_pools;
    pool_count = default_pool_count(which);
  }
  scheduler* made = nullptr;
  const int error = create_scheduler(def, kind_of(which), pool_count, pools, config, true, &made);
  if (error != ABT_SUCCESS) return error;
  made->event_frequency = event_frequency(config);
  if (made->kind == scheduler_kind::basic || made->kind == scheduler_kind::basic_wait) sort_by_access(made);
  *out = made;
  return ABT_SUCCESS;
}

}  // namespace weft::abt
