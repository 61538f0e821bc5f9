// ABT_thread_join, free, exit, cancel and their kin.

#include <abt.h>

#include "handle.hpp"
#include "run_unit.hpp"
#include "runtime.hpp"
#include "scheduler.hpp"
#include "self.hpp"
#include "tool.hpp"
#include "unit.hpp"
#include "unit_end.hpp"

using namespace weft::abt;

namespace {

int need_joinable(const weft_thread* self, weft_thread* thread) {
  if (thread == nullptr || thread == self) return ABT_ERR_INV_THREAD;
  return fields_of(thread)->is_exactly(is_named, is_named | is_primary | is_main_scheduler) ? ABT_SUCCESS : ABT_ERR_INV_THREAD;
}

// A unit that lies in a pool of the caller's own stream need not wait for its turn, nor the caller
// for the scheduler: it runs at once. The pools of its main scheduler cannot go while a unit of the
// stream looks at them.
[[gnu::always_inline]] inline void run_if_it_lies_here(weft_thread* self, stream* here, weft_thread* thread) {
  const scheduler* const main = here->main_scheduler.load(std::memory_order_relaxed);
  if (weft_ext_pool_remove_from(main->queues, main->pool_count, thread)) run_unit_by(self, here, thread);
}

[[gnu::always_inline]] inline int join(weft_thread* thread) {
  const caller me = who_calls();
  const wait_name as_a_join{ABT_SYNC_EVENT_TYPE_THREAD_JOIN, thread};
  if (const int error = need_joinable(me.thread, thread); error != ABT_SUCCESS) return error;
  if (me.is_ult()) {
    if (!weft_hot_has_ended(thread)) run_if_it_lies_here(me.thread, me.where, thread);
    wait_for_unit(thread, as_a_join);
    end_if_cancelled(me.fields);
  } else {
    wait_for_unit(thread, as_a_join);
  }
  return ABT_SUCCESS;
}

[[gnu::always_inline]] inline int join_and_free(weft_thread* thread) {
  const int error = join(thread);
  if (error == ABT_SUCCESS) free_unit(thread);
  return error;
}

}  // namespace

int ABT_thread_free(ABT_thread* thread) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  const int error = join_and_free(thread_of(*thread));
  if (error == ABT_SUCCESS) *thread = ABT_THREAD_NULL;
  return error;
}

int ABT_thread_free_many(int num_threads, ABT_thread* thread_list) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  for (int index = 0; index < num_threads; ++index) {
    weft_thread* const one = thread_of(thread_list[index]);
    thread_list[index] = ABT_THREAD_NULL;
    static_cast<void>(join_and_free(one));
  }
  return ABT_SUCCESS;
}

int ABT_thread_join(ABT_thread thread) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  return join(thread_of(thread));
}

int ABT_thread_join_many(int num_threads, ABT_thread* thread_list) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  for (int index = 0; index < num_threads; ++index) static_cast<void>(join(thread_of(thread_list[index])));
  return ABT_SUCCESS;
}

int ABT_thread_exit() {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  const caller me = who_calls();
  if (const int error = need_end(me); error != ABT_SUCCESS) return error;
  exit_unit(me.fields);
}

int ABT_thread_cancel(ABT_thread thread) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (thread == ABT_THREAD_NULL || fields_of(thread_of(thread))->is(is_primary)) return ABT_ERR_INV_THREAD;
  unit_fields* const its = fields_of(thread_of(thread));
  request(its, wants_cancel);
  if (its->is(is_main_scheduler)) wake_main_scheduler(its->last_stream.load(std::memory_order_relaxed));
  return ABT_SUCCESS;
}
