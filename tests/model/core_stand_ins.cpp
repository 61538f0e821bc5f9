// What a model over files of the scheduler does not include itself, in the fewest words that keep
// the promise. All of it is weak: a model that includes the real file, or defines something of its
// own, replaces it.
#include "base/failure.hpp"
#include "core_world.hpp"
#include "explorer/execution.hpp"
#include "life/adopted.hpp"
#include "life/blocking.hpp"
#include "life/hosts.hpp"
#include "os/clock.hpp"
#include "os/fault.hpp"
#include "os/futex.hpp"
#include "os/heap.hpp"
#include "os/place.hpp"
#include "os/vm.hpp"
#include "os_threads.hpp"
#include "place/domains.hpp"
#include "place/pool.hpp"
#include "place/serving.hpp"
#include "place/source.hpp"
#include "run/carrier.hpp"
#include "run/choose.hpp"
#include "run/dispatch.hpp"
#include "run/end.hpp"
#include "run/enter.hpp"
#include "run/fork.hpp"
#include "run/hosting.hpp"
#include "run/idle.hpp"
#include "run/left_behind.hpp"
#include "run/next.hpp"
#include "run/park.hpp"
#include "run/ready.hpp"
#include "run/resume.hpp"
#include "run/stack_class.hpp"
#include "run/steal.hpp"
#include "run/wait.hpp"
#include "run/wake.hpp"
#include "run/yield.hpp"
#include "see/blame.hpp"
#include "see/deadlock.hpp"
#include "see/dump_signal.hpp"
#include "see/leaving.hpp"
#include "see/lookout.hpp"
#include "see/observers.hpp"
#include "see/outlived.hpp"
#include "see/overflow.hpp"
#include "see/report.hpp"
#include "see/running_frames.hpp"
#include "see/trace_dump.hpp"
#include "see/tracing.hpp"
#include "see/watchdog.hpp"
#include "see/watermark.hpp"
#include "seeded/turns.hpp"
#include "thread/key.hpp"
#include "thread/thread.hpp"
#include "unit/pool_record.hpp"
#include "worker/arrivals.hpp"
#include "worker/clock.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/outlived.hpp"
#include "worker/runtime.hpp"

#define STAND_IN [[gnu::weak]]

extern "C" STAND_IN void weft_context_entry() {}

namespace weft::sched {

// ---- ready.cpp, choose.cpp, park.cpp ------------------------------------------------------------

STAND_IN void take_in(worker* w, unit* chain) {
  enter(w);
  while (chain != nullptr) {
    unit* one = chain;
    chain = static_cast<unit*>(one->next);
    w->ready.push_recent(one);
  }
  w->lock.leave();
}

STAND_IN bool has_stood_back(worker*) { return true; }
STAND_IN void begin_to_search(worker*) {}
STAND_IN bool sees_public_forks(const worker*) { return false; }

STAND_IN unit* find_own(worker* w) {
  if (!w->pinned_mail.is_empty()) take_in(w, w->pinned_mail.take_all());
  if (!w->mail.is_empty()) take_in(w, w->mail.take_all());
  enter(w);
  unit* one = w->ready.pop();
  w->lock.leave();
  return one;
}

STAND_IN void look_around(worker*) {}
STAND_IN worker* park(worker*, unit*, after_switch) { explorer::fail("assertion", "the model has no ULTs that park"); }
STAND_IN worker* yield(worker* w, unit*) { return w; }
STAND_IN worker* leave_for(worker* w, unit*, unit*) { return w; }
STAND_IN worker* yield_away(worker* w, unit*, bool) { return w; }

// ---- dispatch.cpp: no schedulers that are ULTs --------------------------------------------------

STAND_IN status dispatch(unit*) { return status::unsupported; }
STAND_IN bool begins_to_start(worker*, const unit*) { return false; }
STAND_IN void start(worker*, unit*, unit*) { explorer::fail("assertion", "the model dispatches nothing"); }
STAND_IN bool can_follow(worker*, unit*) { return true; }
STAND_IN void unbind_stack(worker*, unit*) {}
STAND_IN void send_home(worker*, unit*) { explorer::fail("assertion", "the model dispatches nothing"); }
STAND_IN unit* ask_scheduler(worker*) { return nullptr; }

// ---- trace_dump.cpp: no trace is kept ------------------------------------------------------------

STAND_IN void write_kept_trace(const char*) {}
STAND_IN void write_kept_trace_of(runtime*, const char*) {}

// ---- carrier.cpp: units that return -------------------------------------------------------------

STAND_IN void carrier_entry(void* transfer, void*) {
  auto* w = static_cast<worker*>(transfer);
  arrive(w);
  for (;;) {
    unit* one = find_own(w);
    if (one == nullptr) one = idle(w);
    if (one == nullptr) break;
    one->function(one->argument);
  }
  enter(w);
}

// ---- turns.cpp: no schedule ---------------------------------------------------------------------

STAND_IN bool pass_point() { return true; }
STAND_IN void refuse_if_left_behind(const char*) {}
STAND_IN bool is_left_behind() { return false; }
STAND_IN void pass_turn(worker*) {}
STAND_IN void sleep_in_turn(worker*) {}
STAND_IN void ring_bell(turn_taking*) {}
STAND_IN void host_turns(worker*) {}
STAND_IN void leave_turns(worker*) {}
STAND_IN bool lets_others_run(worker*) { return false; }
STAND_IN bool needs_os_thread(const worker*) { return true; }
STAND_IN status start_virtual(worker*, void* (*)(void*)) { return status::unsupported; }
STAND_IN void join_virtual(worker*) {}
STAND_IN bool awaits_turn(const worker*) { return false; }
STAND_IN unit* choose_unit(worker*) { return nullptr; }
STAND_IN std::uint32_t choose_victim(worker*, std::uint32_t) { return 0; }
STAND_IN constinit base::atomic<std::uintptr_t> call_limit{0};
STAND_IN void pass_yield_point() {}
STAND_IN void pass_point_between(worker*) {}
STAND_IN std::uint64_t turns_now_ns(const runtime*) { return os::now_ns(); }
STAND_IN std::uint64_t now_ns() { return os::now_ns(); }
STAND_IN std::uint64_t now_ns(const worker*) { return os::now_ns(); }

// ---- hosts.cpp, blocking.cpp: no blocking regions -----------------------------------------------

STAND_IN blocking_call* this_blocking_call() {
  static blocking_call none;
  return &none;
}
STAND_IN hosts* hosts_if_made(const runtime*) { return nullptr; }
STAND_IN assignment wait_as_spare(hosts*, os::os_thread, bool) { return {}; }
STAND_IN void grant_next(hosts*, worker*) {}
STAND_IN unit* take_over(worker*, blocking_call*) { return nullptr; }
STAND_IN void settle_unit_that_left() {}
STAND_IN void await_os_thread(int) {}
STAND_IN status await_other_host(unsigned) { return status::ok; }
STAND_IN void refuse_end_in_region() {}
STAND_IN void step_aside(worker*, mem::stack*) {}

// ---- adopted.cpp --------------------------------------------------------------------------------

STAND_IN void end_adopted(worker*) {}

// ---- steal.cpp ----------------------------------------------------------------------------------

STAND_IN unit* steal(worker*) { return nullptr; }
STAND_IN bool sees_prey(worker*) { return false; }
STAND_IN void answer(worker*, worker*) {}

// ---- kept_units.cpp: no WEFT_MIGRATE --------------------------------------------------------------

STAND_IN worker* look_for_kept_units(worker*) { return nullptr; }

// ---- tracing.cpp: no traces ---------------------------------------------------------------------

STAND_IN void trace_event(const runtime*, worker*, weft_event_kind, unit*) {}
STAND_IN void trace_fork(const worker*, weft_forked*) {}
STAND_IN void trace_fork_as_unit(const runtime*, unit*, const weft_forked*, const worker*) {}
STAND_IN void trace_resumed(worker*, unit*) {}
STAND_IN void run_traced(const runtime*, void (*)(void*), weft_forked*) {}

// ---- fork.cpp: no forks -------------------------------------------------------------------------

STAND_IN void detach_forks(worker*) {}
STAND_IN void free_fork_segments(worker*) {}
STAND_IN bool has_forks_to_take(const worker*) { return false; }
STAND_IN bool forks_stand_still(const worker*) { return false; }
STAND_IN bool has_public_forks(const worker*) { return false; }
STAND_IN unit* take_public_forks(worker*, worker*, std::size_t) { return nullptr; }
STAND_IN fork_theft steal_forks(worker*, worker*, std::size_t) { return {nullptr, false}; }
STAND_IN void want_to_hear_of_forks(const runtime*) {}
STAND_IN void check_forks_joined() {}
STAND_IN void check_ended_well() {}
STAND_IN unsigned class_of_forks(const runtime*, const unit*) { return mem::default_class; }
STAND_IN status find_class(runtime*, worker*, std::size_t, unsigned*) { return status::unsupported; }
STAND_IN bool ensure_stack_for(worker*, const unit*, unsigned*) { return false; }
STAND_IN void trim_stacks(worker*) {}
STAND_IN void empty_stack_caches(worker* w) { w->stacks.stop(); }
STAND_IN unit* make_fork_unit(worker*, unit::function_type, void*, unit*) { return nullptr; }

// ---- copied.cpp: threads have no bytes of their own ---------------------------------------------

constinit const unit::function_type copied_starts[copied_classes] = {};
STAND_IN copied* take_copied(runtime*, worker*, unsigned) { return nullptr; }
STAND_IN void give_copied(runtime*, worker*, copied*, unsigned) {}
STAND_IN void give_copied_of(const unit*) {}
STAND_IN void stop_copied(worker*) {}

// ---- pools and sources: none --------------------------------------------------------------------

STAND_IN bool serves(const worker*, const pool*) { return true; }
STAND_IN bool pools_have_work(worker*) { return false; }
STAND_IN void wake_fellow_servers(worker*) {}
STAND_IN bool has_new_scheduler(const worker*) { return false; }
STAND_IN void free_scheduler(worker*) {}
STAND_IN unit* pop_from_pools(worker*) { return nullptr; }
STAND_IN bool take_next_from_pools(worker*, const pool*, unit*) { return false; }
STAND_IN unit* pop_from_pool(pool*) { return nullptr; }
STAND_IN std::size_t ready_units(const pool*) { return 0; }
STAND_IN void push_to_pool(pool*, unit*, push_reason) { explorer::fail("assertion", "the model has no pools"); }
STAND_IN void push_yielded_to_pool(pool*, unit*) { explorer::fail("assertion", "the model has no pools"); }
STAND_IN void return_to_pool(pool*, unit*) { explorer::fail("assertion", "the model has no pools"); }
STAND_IN unit* next_in_turn(worker*, unit* scheduler, unit*) { return scheduler; }
STAND_IN bool take_from_pool(worker*, pool*, unit*) { return false; }
STAND_IN void push_to_domain(runtime*, const worker*, unit*, push_reason) {
  explorer::fail("assertion", "the model has no domains");
}
STAND_IN unit* steal_from_domains(const worker*) { return nullptr; }
STAND_IN bool sees_prey_in_domains(const worker*) { return false; }
STAND_IN status enter_domain(runtime*, worker*) { return status::ok; }
STAND_IN void leave_domain(runtime*, worker*) {}
STAND_IN void forward_domain(const worker*) {}
STAND_IN bool serves_its_domain_only(const worker* w) { return w->pool_count.load(base::relaxed) == 0; }
STAND_IN void retire_scheduler(runtime*, worker*) {}
STAND_IN bool sources_want_poll(const worker*) { return false; }
STAND_IN void poll_sources(worker*) {}
STAND_IN void try_to_keep_source(worker*) {}
STAND_IN bool has_source_to_keep(const runtime*) { return false; }
STAND_IN void sleep_in_source(worker*, std::uint64_t) {}
STAND_IN bool give_source_back(worker*) { return false; }
STAND_IN void wake_in_source(const worker*) {}
STAND_IN void expected_from_outside::count(int) {}

// ---- idle.cpp, wake.cpp, ready.cpp --------------------------------------------------------------

STAND_IN unit* idle(worker*) { return nullptr; }
STAND_IN void begin_call(runtime*) {}
STAND_IN void end_call(runtime*) {}
STAND_IN bool wake(worker*) { return false; }
STAND_IN bool take_out_of_sleep(worker*) { return false; }
STAND_IN void stop_searching(runtime*) {}
STAND_IN void wake_all(runtime*) {}
STAND_IN void wake_clock_keeper(runtime*) {}
STAND_IN void make_ready(worker*, unit*, push_reason) { explorer::fail("assertion", "the model makes nothing ready"); }
STAND_IN bool offer(worker*, unit*) { return false; }
STAND_IN void send_where_pinned(runtime*, unit*) { explorer::fail("assertion", "the model pins nothing"); }

STAND_IN void panic_about(unit*, const char*, std::uint64_t, const char*, const char*) { explorer::fail("assertion", "panic"); }

// ---- the rest -----------------------------------------------------------------------------------

STAND_IN bool pin_to(runtime*, unsigned) { return true; }
STAND_IN void unpin_from(runtime*, unsigned) {}
STAND_IN void expire_timers(worker*) {}
STAND_IN void start_fault_stack(signal_stack*) {}
STAND_IN void stop_fault_stack(signal_stack*) {}
STAND_IN void order_victims(worker* w) {
  w->victim_count = 0;
  for (unsigned i = 0; i < w->rt->worker_slots.load(base::relaxed); ++i) {
    if (i != w->index) w->victims[w->victim_count++] = static_cast<std::uint16_t>(i);
  }
  for (std::uint16_t& end : w->victim_ends) end = static_cast<std::uint16_t>(w->victim_count);
}
STAND_IN bool gives_idle_memory_back(const worker*, std::uint64_t) { return false; }
STAND_IN std::uint64_t time_for_idle_memory(const worker*) { return UINT64_MAX; }
STAND_IN void tell_watchers(runtime*, const pool*) {}
STAND_IN void check_drained(runtime*) {}
STAND_IN void yield() {}
STAND_IN void tell_ready_that_waits() {}
STAND_IN void blame_errors(const worker*, unit*) {}
STAND_IN void panic_in_unit(const worker*, const char* did, const char*) { explorer::fail("assertion", did); }
STAND_IN void tell_observers(const runtime*, weft_event_kind, unit*) {}
STAND_IN void wake_any(runtime*) {}
STAND_IN worker* serving_worker(runtime* rt, unsigned index) {
  worker* w = worker_in_slot(rt, index);
  return w != nullptr && w->is_serving.load(base::relaxed) ? w : nullptr;
}
STAND_IN void resume_lookout(runtime*) {}
STAND_IN void end_lookout(runtime*) {}
STAND_IN void start_watchdog(runtime*) {}
STAND_IN void end_doze(runtime*) {}
STAND_IN void prepare_stack(worker*, mem::stack*) {}
STAND_IN void inspect_stack(worker*, const unit*, const mem::stack*) {}
STAND_IN void name_in_race_reports(const worker*, const unit*) {}
STAND_IN void abandon_dump_signal() {}
STAND_IN void abandon_question() {}
STAND_IN void look_at_still_turns(runtime*, base::atomic<std::uint32_t>*, std::uint32_t) {}
STAND_IN void all_workers_idle(worker*, std::uint64_t) {}
STAND_IN void sleep_and_look(base::atomic<std::uint32_t>* word, std::uint32_t value) { os::futex_wait(word, value); }
STAND_IN void run_key_destructors(key_value**, std::uint32_t*) {}
STAND_IN void run_key_destructors(unit*) {}
STAND_IN void free_details(unit*) {}
STAND_IN constinit details details_of_outlived{};
STAND_IN constinit details details_of_dropped{};
STAND_IN void let_outlived_go(unit*) {}
STAND_IN void tell_outlived(const unit*) {}
STAND_IN void tell_leaving(worker*, unit*, bool) {}
STAND_IN void forget_arrival(worker*, const unit*) {}
STAND_IN attempts_look look_between_attempts(std::uint64_t, bool (*)(void*), void*) { return {}; }

// ---- failure.cpp: no model asks what was wrong --------------------------------------------------

STAND_IN status tell(status result, const call_errors&, const void*, std::uint64_t) { return result; }
STAND_IN status rename(status result, const call_errors&) { return result; }
STAND_IN status because(status result, const char*, const char*, std::uint64_t) { return result; }

}  // namespace weft::sched

STAND_IN weft_status weft::fail(weft_status result, const char*, const char*, const char*, const void*, std::uint64_t) {
  return result;
}

namespace weft::sched::local {

STAND_IN unit* current_unit() {
  const worker* w = current_worker();
  return w != nullptr ? w->current : nullptr;
}
STAND_IN runtime* current_runtime() { return core_world::the.rt; }
STAND_IN void hold(runtime** rt) { *rt = core_world::the.rt; }
STAND_IN void let_go() {}
STAND_IN steady_runtime::steady_runtime() : rt_(core_world::the.rt), is_held_(false) {}
STAND_IN steady_runtime::~steady_runtime() {}
STAND_IN outside* this_outside() { return nullptr; }
STAND_IN delivery* delivery_outside() { return &core_world::the.deliveries[explorer::current_thread()]; }
STAND_IN void set_hot(worker*) {}
STAND_IN void set_runtime(runtime*) {}

}  // namespace weft::sched::local

namespace weft::mem {

STAND_IN bool slab_cache::refill() { return false; }
STAND_IN void slab_cache::spill() {}
STAND_IN void slab_cache::stop() { count_ = 0; }
STAND_IN std::size_t slab_depot::stop_without(bool (*)(void*, left_chunk*)) { return 0; }
STAND_IN void slab_depot::let_go(left_chunk*) {}

// One stack each, on which nothing runs: fiber/fiber.hpp.
template <unsigned most, unsigned batch>
bool stack_cache_of<most, batch>::refill() {
  struct alignas(base::cache_line) low_end {
    unsigned char frame[base::cache_line];
    stack header;
  };
  static low_end all[core_world::most_workers];
  static unsigned next = 0;
  slots_[count_++] = &all[next++ % core_world::most_workers].header;
  return true;
}
template <unsigned most, unsigned batch>
void stack_cache_of<most, batch>::spill() {}
template <unsigned most, unsigned batch>
void stack_cache_of<most, batch>::stop() {
  count_ = 0;
}
template <unsigned most, unsigned batch>
void stack_cache_of<most, batch>::trim() {}
template class stack_cache_of<64, 32>;
template class stack_cache_of<8, 2>;
STAND_IN stack* stack_depot::make_mapping(std::size_t) { return nullptr; }
STAND_IN stack* stack_depot::adopt(void*, std::size_t) { return nullptr; }
STAND_IN void stack_depot::destroy(stack*) {}

}  // namespace weft::mem

namespace weft::os {

STAND_IN void sleep_until(std::uint64_t) {}
STAND_IN constinit base::atomic<fault::plan*> fault::installed{nullptr};
STAND_IN bool fault::fails_by_plan(plan*, call) { return false; }
STAND_IN int thread_id() { return 1; }
STAND_IN os_thread this_thread() { return {}; }
STAND_IN void name_this_thread(const char*) {}
STAND_IN void set_timer_slack(std::uint64_t) {}
STAND_IN void take_inheritance(const inheritance&) {}
STAND_IN const place_record* find_place(const void*) { return nullptr; }
STAND_IN status bind_thread(unsigned) { return status::ok; }
STAND_IN status bind_thread_to(const std::uint16_t*, unsigned) { return status::ok; }
STAND_IN void stack_bounds(void** low, std::size_t* bytes) {
  *low = nullptr;
  *bytes = 0;
}

STAND_IN status start_thread(os_thread* out, void* (*function)(void*), void* argument, std::size_t) {
  if (os_threads::in_use == os_threads::there) return status::again;
  const unsigned index = os_threads::in_use++;
  os_threads::slot& next = os_threads::at(index);
  next.function = function;
  next.argument = argument;
  next.at.store(os_threads::started, base::release);
  out->handle = index + 1;
  return status::ok;
}
STAND_IN void run_to_end(void (*body)(void*), void (*)(void*), void* argument) { body(argument); }
STAND_IN bool watch_end(void (*)(void*), void*) { return true; }
STAND_IN void join_thread(os_thread which) {
  const os_threads::slot& its = os_threads::at(static_cast<unsigned>(which.handle) - 1);
  while (its.at.load(base::acquire) != os_threads::ended) arch::pause();
}

// Records of workers alone. The thread that gives one back must be the last to have used it.
STAND_IN std::size_t page_bytes() { return 4096; }
STAND_IN void* reserve(std::size_t bytes, std::size_t) {
  using core_world::the;
  return bytes == sizeof(sched::worker) && the.records < core_world::most_workers ? the.worker_memory[the.records++] : nullptr;
}
STAND_IN void* reserve_unfilled(std::size_t bytes) { return reserve(bytes, 1); }
STAND_IN void release(void* base, std::size_t bytes) {
  if (bytes == sizeof(sched::worker)) static_cast<sched::worker*>(base)->~worker();
}
STAND_IN void* allocate(std::size_t) { return nullptr; }

}  // namespace weft::os
