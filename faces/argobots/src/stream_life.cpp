// The life of execution streams: made, run, joined, revived, freed, and given other main
// schedulers.

#include "stream.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include "affinity.hpp"
#include "environment.hpp"
#include "faces/common/object.hpp"
#include "handle.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "scheduler.hpp"
#include "self.hpp"
#include "tool.hpp"
#include "unit.hpp"
#include "unit_create.hpp"
#include "unit_end.hpp"
#include "waiting.hpp"

namespace weft::abt {

pool* main_pool(stream* one) {
  return with_main_scheduler(one, [](const scheduler* main) { return main->pool_count != 0 ? main->pool_at(0) : nullptr; });
}

void wake_main_scheduler(stream* one) {
  with_main_scheduler(one, wake_scheduler);
  weft_ext_pool_notify(one->root_pool->queue);
}

namespace {

// The one before may go then.
void set_main_scheduler(stream* one, scheduler* to) {
  const face::guard hold(one->changing);
  one->main_scheduler.store(to, std::memory_order_relaxed);
}

}  // namespace

// ---- what a main scheduler's ULT does -----------------------------------------------------------

namespace {

// The next scheduler takes the ULT over, and the asker goes on.
scheduler* let_replacement_in(stream* here, scheduler* old) {
  scheduler* const next = old->replacement;
  weft_thread* const waiter = old->replacement_waiter;
  next->use = scheduler_use::main;
  next->thread = old->thread;
  fields_of(next->thread)->runs = next;
  set_main_scheduler(here, next);
  old->thread = nullptr;
  old->replacement = nullptr;
  old->replacement_waiter = nullptr;
  retire_scheduler(old, false);
  static_cast<void>(resume_unit(waiter));
  return next;
}

bool is_over(const stream* here, scheduler* main) {
  if (is_requested(fields_of(here->scheduler_thread), wants_cancel)) return true;
  return (main->requests.load(std::memory_order_relaxed) & stop_when_empty) != 0 && !has_units(main);
}

bool is_wanted(void* argument) {
  const auto* const here = static_cast<stream*>(argument);
  return has_events(here, here->main_scheduler.load(std::memory_order_relaxed));
}

// A scheduler without pools has nothing to wait for, and returns at once.
void rest(stream* here, scheduler* main) {
  constexpr std::uint64_t longest_ns = 10'000'000;
  weft_pool* const pools[] = {here->root_pool->queue};
  static_cast<void>(weft_ext_wait_for_work(pools, 1, weft_deadline_in(longest_ns), is_wanted, here));
  check_events(here, main);
}

void settle(stream* here) {
  here->os_thread = static_cast<int>(syscall(SYS_gettid));
  bind_by_rank(here);
  enter_stream_for_tools(here);
  static_cast<void>(weft_event_set(&here->started));
}

void run_main_scheduler(void*) {
  stream* const here = who_calls().where;
  settle(here);
  scheduler* main;
  do {
    main = here->main_scheduler.load(std::memory_order_relaxed);
    main->run(handle_of(main));
    if ((main->requests.load(std::memory_order_relaxed) & make_way) != 0) main = let_replacement_in(here, main);
    if (main->pool_count == 0) rest(here, main);
  } while (!is_over(here, main));
}

}  // namespace

// [Z34] release: the stream is laid out, for callers that found it in the list; pairs with [Z35]
void end_main_scheduler(stream* one) { one->is_over.store(true, std::memory_order_release); }

ABT_xstream_state state_of(const stream* one) {
  // [Z35] acquire: scheduler_thread is there; pairs with [Z34]
  if (!one->is_over.load(std::memory_order_acquire)) return ABT_XSTREAM_STATE_RUNNING;
  const bool has_ended = state_of(one->scheduler_thread) == ABT_THREAD_STATE_TERMINATED;
  return has_ended ? ABT_XSTREAM_STATE_TERMINATED : ABT_XSTREAM_STATE_RUNNING;
}

// ---- making -------------------------------------------------------------------------------------

namespace {

int make_worker(stream* one) {
  if (one->is_primary) {
    one->worker = static_cast<unsigned>(weft_worker_self());  // of ABT_init's caller
    return ABT_SUCCESS;
  }
  const weft_status result = weft_worker_add(&one->worker);
  if (result == WEFT_OK) return ABT_SUCCESS;
  return result == WEFT_NOMEM ? ABT_ERR_MEM : ABT_ERR_SYS;
}

void free_worker(const stream* one) {
  if (one->is_primary) return;
  static_cast<void>(wait_anywhere([one] { return weft_worker_remove(one->worker); }));
}

int make_root_pool(stream* one) {
  if (const int error = create_basic_pool(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPSC, false, &one->root_pool); error != ABT_SUCCESS) {
    return error;
  }
  if (weft_pool_attach(one->root_pool->queue, one->worker) == WEFT_OK) return ABT_SUCCESS;
  free_pool(one->root_pool);
  return ABT_ERR_SYS;
}

void free_root_pool(const stream* one) {
  static_cast<void>(weft_pool_detach(one->root_pool->queue, one->worker));
  free_pool(one->root_pool);
}

int make_scheduler_thread(stream* one, scheduler* main) {
  unit_plan plan{run_main_scheduler, nullptr, one->root_pool, is_yieldable | is_named | is_main_scheduler};
  plan.stack_bytes = current_settings().scheduler_stack_bytes;
  plan.runs = main;
  if (const int error = make_unit(plan, &one->scheduler_thread); error != ABT_SUCCESS) return error;
  fields_of(one->scheduler_thread)->last_stream.store(one, std::memory_order_relaxed);
  main->thread = one->scheduler_thread;
  main->use = scheduler_use::main;
  set_main_scheduler(one, main);
  return ABT_SUCCESS;
}

// From its worker on.
int make_insides(stream* one, scheduler* main) {
  if (const int error = make_worker(one); error != ABT_SUCCESS) return error;
  int error = make_root_pool(one);
  if (error == ABT_SUCCESS) {
    error = make_scheduler_thread(one, main);
    if (error != ABT_SUCCESS) free_root_pool(one);
  }
  if (error != ABT_SUCCESS) free_worker(one);
  return error;
}

}  // namespace

int create_stream(scheduler* main, int rank, bool is_primary, stream** out) {
  auto* const one = face::make_object<stream>(0);
  if (one == nullptr) return ABT_ERR_MEM;
  one->is_primary = is_primary;
  if (!take_rank(one, rank)) {
    face::free_object(one);
    return ABT_ERR_INV_XSTREAM_RANK;
  }
  if (const int error = make_insides(one, main); error != ABT_SUCCESS) {
    return_rank(one);
    face::free_object(one);
    return error;
  }
  push(one->root_pool, one->scheduler_thread, ABT_POOL_CONTEXT_OP_THREAD_CREATE);
  *out = one;
  return ABT_SUCCESS;
}

// ---- ending -------------------------------------------------------------------------------------

int join_stream(stream* one) {
  if (one->is_primary || one->scheduler_thread == weft_self()) return ABT_ERR_INV_XSTREAM;
  request(fields_of(one->scheduler_thread), wants_join);  // for main schedulers to come: see check_events
  with_main_scheduler(one, [](scheduler* main) { request(main, stop_when_empty); });
  wake_main_scheduler(one);
  wait_for_unit(one->scheduler_thread, {ABT_SYNC_EVENT_TYPE_XSTREAM_JOIN, one});
  return ABT_SUCCESS;
}

int revive_stream(stream* one) {
  weft_thread* const thread = one->scheduler_thread;
  if (state_of(thread) != ABT_THREAD_STATE_TERMINATED) return ABT_ERR_INV_XSTREAM;
  one->main_scheduler.load(std::memory_order_relaxed)->requests.store(0, std::memory_order_relaxed);
  if (const int error = revive_unit(thread, one->root_pool, run_main_scheduler, nullptr); error != ABT_SUCCESS) return error;
  fields_of(thread)->last_stream.store(one, std::memory_order_relaxed);
  one->is_over.store(false, std::memory_order_relaxed);
  push(one->root_pool, thread, ABT_POOL_CONTEXT_OP_THREAD_REVIVE);
  return ABT_SUCCESS;
}

void free_stream(stream* one) {
  return_rank(one);
  scheduler* const main = one->main_scheduler.load(std::memory_order_relaxed);
  main->thread = nullptr;
  free_unit(one->scheduler_thread);
  retire_scheduler(main, one->is_primary);
  free_root_pool(one);
  free_worker(one);
  face::free_object(one);
}

// ---- other main schedulers ----------------------------------------------------------------------

namespace {

void replace_while_joined(stream* one, scheduler* old, scheduler* by) {
  by->use = scheduler_use::main;
  by->thread = old->thread;
  fields_of(by->thread)->runs = by;
  old->thread = nullptr;
  set_main_scheduler(one, by);
  retire_scheduler(old, false);
}

// Another's wish that came before, and was not met yet: its caller goes on as if it had been,
// and had been replaced since.
void forget_earlier(scheduler* old) {
  if (old->replacement == nullptr) return;
  retire_scheduler(old->replacement, false);
  static_cast<void>(resume_unit(old->replacement_waiter));
}

}  // namespace

int replace_main_scheduler(stream* one, scheduler* by) {
  scheduler* const old = one->main_scheduler.load(std::memory_order_relaxed);
  const caller me = who_calls();
  if (me.where != one) {
    replace_while_joined(one, old, by);
    return ABT_SUCCESS;
  }
  // The caller's pool may have no other scheduler than the one that goes.
  if (by->pool_count != 0 && old->serves(me.fields->home)) {
    if (const int error = associate(me.thread, by->pool_at(0)); error != ABT_SUCCESS) return error;
  }
  forget_earlier(old);
  old->replacement = by;
  old->replacement_waiter = me.thread;
  request(old, make_way);
  suspend_self(me, nullptr, ABT_SYNC_EVENT_TYPE_OTHER);
  return ABT_SUCCESS;
}

}  // namespace weft::abt
