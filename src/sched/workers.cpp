#include "sched/workers.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "os/clock.hpp"
#include "os/fence.hpp"
#include "os/vm.hpp"
#include "sched/dispatch.hpp"
#include "sched/idle.hpp"
#include "sched/local.hpp"
#include "sched/overflow.hpp"
#include "sched/pool.hpp"
#include "sched/ready.hpp"
#include "sched/runtime.hpp"
#include "sched/waiter.hpp"
#include "sched/worker.hpp"

namespace weft::sched {

namespace {

constexpr std::size_t os_stack_bytes = 256 * 1024;  // a worker's OS stack only starts and ends it

worker* make_worker(runtime* rt, unsigned index) {
  void* memory = os::reserve(sizeof(worker), os::page_bytes());
  if (memory == nullptr) return nullptr;
  auto* w = new (memory) worker;
  w->rt = rt;
  w->index = index;
  w->ready.start(static_cast<std::uint16_t>(index + 1));
  w->random = base::rng(index + 1);
  w->cpu = rt->cpus[index % rt->cpu_count];
  w->is_special = rt->is_special;
  w->is_watched = rt->sink != nullptr || rt->inspects_stacks;
  if (rt->is_special) w->detours.store(1, base::relaxed);  // no short cuts; the event sink sees every turn
  w->units.start(&rt->unit_depot);
  w->stacks.start(&rt->stack_depot);
  if (w->stacks.ensure_one()) return w;
  os::release(memory, sizeof(worker));
  return nullptr;
}

void empty_caches(worker* w) {
  w->units.stop();
  w->stacks.stop();
}

void free_worker(worker* w) {
  std::free(w->custom.load(base::relaxed));
  std::free(w->victims);
  os::release(w, sizeof(worker));
}

void publish(runtime* rt, worker* w) {
  // A slot is never emptied before the runtime ends: others may be looking at the worker.
  if (w->index >= rt->worker_slots.load(base::relaxed)) rt->worker_slots.store(w->index + 1, base::relaxed);
  rt->worker_count.fetch_add(1, base::relaxed);
  w->is_serving.store(true, base::relaxed);
  // [A4] release: publishes the worker's fields; pairs with [A7] [A8] [A10] [A25] [A28] [A29] [A36] [A40] [A41] [A42] [A43]
  rt->workers[w->index].store(w, base::release);
}

// On the worker's own OS thread.
void settle(worker* w) {
  local::set_worker(w);
  w->os_thread_id.store(os::thread_id(), base::relaxed);
  w->coarse_ns = os::coarse_ns();
  if (w->rt->carried_address != nullptr) w->carried = w->rt->carried_address();
  start_fault_stack(w);
  // A CPU that left the mask meanwhile: running unbound beats not running.
  if (w->rt->settings.bind) static_cast<void>(os::bind_thread(w->cpu));
}

// Gives what this worker still holds to others. Nobody chooses it any more.
void hand_over(worker* w) {
  // [A33] heavy fence: is_serving before the last look into the mail; pairs with [A32]
  os::heavy_fence();
  forward_mail(w);
  for (;;) {
    enter(w);
    unit* one = choose(w);
    w->lock.leave();
    if (one == nullptr) break;
    make_ready(nullptr, one, push_reason::moved);
  }
  empty_caches(w);
  w->rt->worker_count.fetch_sub(1, base::relaxed);
}

void* worker_main(void* argument) {
  auto* w = static_cast<worker*>(argument);
  settle(w);
  void* low = nullptr;
  std::size_t bytes = 0;
  os::stack_bounds(&low, &bytes);
  w->origin_side = fiber::sanitizer::of_os_thread(low, bytes);
  mem::stack* stack = w->stacks.take();
  const fiber::context carrier = fiber::make(stack, carrier_entry, stack);
  w->standing = stack;
  enter(w);
  fiber::switch_to(&w->origin.sp, carrier, fiber::sanitizer::of(stack), w);
  w->lock.leave();
  stop_fault_stack(w);
  local::set_worker(nullptr);
  if (w->rt->is_stopping.load(base::relaxed)) return nullptr;
  hand_over(w);
  // [A34] acquire: sees the remover's record; pairs with [A35]
  if (waiter* remover = w->remover.exchange(nullptr, base::acquire); remover != nullptr) wake(remover);
  return nullptr;
}

void write_name(char* out, unsigned index) {
  std::strcpy(out, "weft-");
  unsigned digits = 5;
  for (unsigned divisor = 1000; divisor != 0; divisor /= 10) {
    if (index >= divisor || divisor == 1) out[digits++] = static_cast<char>('0' + index / divisor % 10);
  }
  out[digits] = '\0';
}

// The record for a slot: a new one, or that of a worker that ended there.
worker* record_for(runtime* rt, unsigned index) {
  worker* w = rt->workers[index].load(base::relaxed);
  if (w == nullptr) return make_worker(rt, index);
  w->must_end.store(false, base::relaxed);
  return w->stacks.ensure_one() ? w : nullptr;
}

status start_one(runtime* rt, unsigned index) {
  worker* w = record_for(rt, index);
  if (w == nullptr) return status::nomem;
  char name[16];
  write_name(name, index);
  publish(rt, w);
  const status result = os::start_thread(&w->os_thread, worker_main, w, os_stack_bytes, name);
  if (result == status::ok) return result;
  w->is_serving.store(false, base::relaxed);
  hand_over(w);
  return result;
}

status adopt_caller(runtime* rt) {
  worker* w = make_worker(rt, 0);
  if (w == nullptr) return status::nomem;
  os::stack_bounds(&rt->main_low, &rt->main_bytes);
  rt->main_side = fiber::sanitizer::of_os_thread(rt->main_low, rt->main_bytes);
  unit* main = &rt->main_unit;
  main->set(is_main);
  main->set(stays_put);
  main->home_worker = 0;
  main->id.store(1, base::relaxed);
  main->state.store(unit_state::running, base::relaxed);
  w->current = main;
  settle(w);
  publish(rt, w);
  return status::ok;
}

void end_one(runtime* rt, unsigned index) {
  worker* w = rt->workers[index].load(base::relaxed);
  if (w == nullptr || !w->is_serving.load(base::relaxed)) return;
  const bool is_caller = index == 0 && rt->has_adopted_caller;
  if (is_caller) {
    stop_fault_stack(w);
    local::set_worker(nullptr);
  } else {
    wake(w);
    os::join_thread(w->os_thread);
  }
  empty_caches(w);
}

// A domain is a last-level cache under which workers run; each gets a pool that its workers serve.
status start_domains(runtime* rt) {
  if (rt->settings.locality != WEFT_LOCALITY_DOMAIN) return status::ok;
  std::uint16_t caches[most_domains];
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    worker* w = rt->workers[index].load(base::relaxed);
    const std::uint16_t cache = rt->machine->group(cpu_of(rt, index), os::level::cache);
    unsigned domain = 0;
    while (domain < rt->domain_count.load(base::relaxed) && caches[domain] != cache) ++domain;
    if (domain == rt->domain_count.load(base::relaxed)) {
      if (domain == most_domains) return status::unsupported;
      if (const status made = create_pool(WEFT_POOL_LIFO, WEFT_POOL_SHARED, &rt->domain_pools[domain]); made != status::ok)
        return made;
      caches[domain] = cache;
      // [A65] release: publishes the pool; pairs with [A62] [A63] [A64]
      rt->domain_count.store(domain + 1, base::release);
    }
    w->domain.store(static_cast<std::uint16_t>(domain), base::relaxed);
    if (const status result = attach_pool(rt, rt->domain_pools[domain], index); result != status::ok) return result;
  }
  return status::ok;
}

bool publish_remover(void* argument) {
  auto* me = static_cast<waiter*>(argument);
  auto* w = static_cast<worker*>(me->payload);
  // [A35] release: publishes the record; pairs with [A34]
  w->remover.store(me, base::release);
  w->must_end.store(true, base::relaxed);
  wake(w);
  return true;
}

}  // namespace

worker* serving_worker(runtime* rt, unsigned index) {
  if (index >= most_workers) return nullptr;
  // [A29] acquire: sees the worker's fields; pairs with [A4]
  worker* w = rt->workers[index].load(base::acquire);
  return w != nullptr && w->is_serving.load(base::relaxed) ? w : nullptr;
}

bool pin_to(runtime* rt, unsigned index) {
  const queue::guard hold(rt->workers_lock);
  worker* w = serving_worker(rt, index);
  if (w == nullptr) return false;
  w->pinned_units.fetch_add(1, base::relaxed);
  return true;
}

void unpin_from(runtime* rt, unsigned index) { rt->workers[index].load(base::relaxed)->pinned_units.fetch_sub(1, base::relaxed); }

status add_worker(runtime* rt, unsigned* index) {
  const queue::guard hold(rt->workers_lock);
  for (unsigned slot = 0; slot < most_workers; ++slot) {
    const worker* w = rt->workers[slot].load(base::relaxed);
    if (w != nullptr && (w->is_serving.load(base::relaxed) || w->os_thread.handle != 0)) continue;
    const status result = start_one(rt, slot);
    if (result == status::ok) *index = slot;
    return result;
  }
  return status::again;
}

status remove_worker(runtime* rt, unsigned index) {
  if (!may_block()) return status::cannot_block;
  worker* w = nullptr;
  {
    const queue::guard hold(rt->workers_lock);
    w = serving_worker(rt, index);
    if (w == nullptr) return status::invalid;
    const bool is_needed = w->pinned_units.load(base::relaxed) != 0 || w->pool_count.load(base::relaxed) != 0;
    if (index == 0 || is_needed) return status::busy;
    w->is_serving.store(false, base::relaxed);
  }
  waiter me("weft_worker_remove", w);
  me.payload = w;
  static_cast<void>(wait_published(&me, publish_remover, &me));
  os::join_thread(w->os_thread);
  const queue::guard hold(rt->workers_lock);
  w->os_thread.handle = 0;
  return status::ok;
}

unsigned cpu_of(const runtime* rt, unsigned index) {
  if (rt->machine->source == os::topology_source::synthetic) return index % rt->machine->cpu_count;
  return rt->cpus[index % rt->cpu_count];
}

status start_workers(runtime* rt) {
  local::set_runtime(rt);
  status result = status::ok;
  unsigned index = 0;
  if (rt->has_adopted_caller) {
    result = adopt_caller(rt);
    ++index;
  }
  for (; index < rt->settings.workers && result == status::ok; ++index) result = start_one(rt, index);
  if (result == status::ok) result = start_domains(rt);
  if (result == status::ok) return result;
  rt->is_stopping.store(true, base::relaxed);
  stop_workers(rt);
  local::set_runtime(nullptr);
  return result;
}

void stop_workers(runtime* rt) {
  wake_all(rt);
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned index = slots; index-- > 0;) end_one(rt, index);
  // Only now: an ending worker may still look at the others.
  for (unsigned index = 0; index < slots; ++index) {
    worker* w = rt->workers[index].load(base::relaxed);
    if (w == nullptr) continue;
    rt->workers[index].store(nullptr, base::relaxed);
    free_worker(w);
  }
}

}  // namespace weft::sched
