// Schedulers in pools.

#include "environment.hpp"
#include "pool.hpp"
#include "scheduler.hpp"
#include "unit.hpp"

namespace weft::abt {

namespace {

void run_stacked(void* argument) {
  auto* const one = static_cast<scheduler*>(argument);
  one->thread = weft_self();
  one->run(handle_of(one));
}

}  // namespace

int add_scheduler(pool* one, scheduler* added) {
  if (added->use != scheduler_use::none) return ABT_ERR_INV_SCHED;
  added->use = scheduler_use::in_pool;
  unit_plan plan{run_stacked, added, one, is_yieldable | is_pool_scheduler};
  plan.stack_bytes = current_settings().scheduler_stack_bytes;
  plan.runs = added;
  weft_thread* made = nullptr;
  const int error = create_unit(plan, &made);
  if (error != ABT_SUCCESS) added->use = scheduler_use::none;
  return error;
}

}  // namespace weft::abt
