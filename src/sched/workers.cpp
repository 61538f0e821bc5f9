#include "sched/workers.hpp"

#include <cstdlib>
#include <new>

#include "os/clock.hpp"
#include "os/vm.hpp"
#include "sched/dispatch.hpp"
#include "sched/idle.hpp"
#include "sched/local.hpp"
#include "sched/runtime.hpp"
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
  w->units.start(&rt->unit_depot);
  w->stacks.start(&rt->stack_depot);
  if (w->stacks.ensure_one()) return w;
  os::release(memory, sizeof(worker));
  return nullptr;
}

void free_worker(worker* w) {
  w->units.stop();
  w->stacks.stop();
  std::free(w->victims);
  os::release(w, sizeof(worker));
}

void publish(runtime* rt, worker* w) {
  if (w->index >= rt->worker_slots.load(base::relaxed)) rt->worker_slots.store(w->index + 1, base::relaxed);
  rt->worker_count.fetch_add(1, base::relaxed);
  w->is_serving.store(true, base::relaxed);
  // [A4] release: publishes the worker's fields; pairs with [A3] [A5] [A6] [A7] [A8] [A9] [A10] [A11] [A25] [A28] [A29]
  rt->workers[w->index].store(w, base::release);
}

// On the worker's own OS thread.
void settle(worker* w) {
  local::set_worker(w);
  w->os_thread_id.store(os::thread_id(), base::relaxed);
  w->coarse_ns = os::coarse_ns();
  if (w->rt->carried_address != nullptr) w->carried = w->rt->carried_address();
  // A CPU that left the mask meanwhile: running unbound beats not running.
  if (w->rt->settings.bind) static_cast<void>(os::bind_thread(w->cpu));
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
  local::set_worker(nullptr);
  return nullptr;
}

status start_one(runtime* rt, unsigned index) {
  worker* w = make_worker(rt, index);
  if (w == nullptr) return status::nomem;
  char name[16] = "weft-";
  unsigned digits = 5;
  for (unsigned divisor = 1000; divisor != 0; divisor /= 10) {
    if (index >= divisor || divisor == 1) name[digits++] = static_cast<char>('0' + index / divisor % 10);
  }
  name[digits] = '\0';
  publish(rt, w);
  const status result = os::start_thread(&w->os_thread, worker_main, w, os_stack_bytes, name);
  if (result == status::ok) return result;
  rt->workers[index].store(nullptr, base::relaxed);
  rt->worker_count.fetch_sub(1, base::relaxed);
  free_worker(w);
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
  if (w == nullptr) return;
  const bool is_caller = index == 0 && rt->has_adopted_caller;
  if (is_caller) {
    local::set_worker(nullptr);
  } else {
    wake(w);
    os::join_thread(w->os_thread);
  }
}

}  // namespace

status start_workers(runtime* rt) {
  local::set_runtime(rt);
  status result = status::ok;
  unsigned index = 0;
  if (rt->has_adopted_caller) {
    result = adopt_caller(rt);
    ++index;
  }
  for (; index < rt->settings.workers && result == status::ok; ++index) result = start_one(rt, index);
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
