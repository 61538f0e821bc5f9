// What a model over files of the Argobots face does not include itself, beyond face_stand_ins.cpp:
// calls of Weft and of the face's other files, in the fewest words that keep the promise. All of it
// is weak: a model that includes the real file, or defines something of its own, replaces it. The
// linker leaves out functions that no model reaches, and what they call.
#include "abt_world.hpp"
#include "affinity.hpp"
#include "dump.hpp"
#include "environment.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "scheduler.hpp"
#include "self.hpp"
#include "stream.hpp"
#include "tool.hpp"

#define STAND_IN [[gnu::weak]]

using abt_world::running;

// ---- weft.h, hot.h ------------------------------------------------------------------------------

extern "C" {

STAND_IN weft_thread* weft_self() { return running() != nullptr ? running()->self : nullptr; }
STAND_IN std::uint64_t weft_thread_id(const weft_thread*) { return 1; }
STAND_IN int weft_worker_self() { return 0; }
STAND_IN bool weft_thread_is_tasklet(const weft_thread* thread) {
  return !weft::abt::fields_of(thread)->is(weft::abt::is_yieldable);
}

STAND_IN bool weft_event_is_set(const weft_event* event) { return word_in(event).load(std::memory_order_acquire) != 0; }
STAND_IN weft_status weft_event_wait_until(weft_event* event, std::uint64_t deadline_ns) {
  const bool is_too_late = deadline_ns != WEFT_FOREVER && explorer::any_of(2) != 0;
  while (!weft_event_is_set(event)) {
    if (is_too_late) return WEFT_TIMEOUT;
    weft::abt::spin_hint();
  }
  return WEFT_OK;
}
STAND_IN weft_status weft_event_wait(weft_event* event) { return weft_event_wait_until(event, WEFT_FOREVER); }
STAND_IN weft_status weft_event_set(weft_event* event) {
  std::uint32_t unset = 0;
  static_cast<void>(word_in(event).compare_exchange_strong(unset, 1, std::memory_order_release, std::memory_order_relaxed));
  return WEFT_OK;
}
STAND_IN weft_status weft_event_reset(weft_event* event) {
  word_in(event).store(0, std::memory_order_relaxed);
  return WEFT_OK;
}

STAND_IN weft_status weft_worker_remove(unsigned) { return WEFT_OK; }
STAND_IN weft_status weft_pool_detach(weft_pool*, unsigned) { return WEFT_OK; }
STAND_IN void weft_yield() { weft::abt::spin_hint(); }
STAND_IN std::uint64_t weft_now_ns() { return explorer::now_ns(); }
STAND_IN std::uint64_t weft_deadline_in(std::uint64_t ns) { return explorer::now_ns() + ns; }

// ---- ext.h --------------------------------------------------------------------------------------

STAND_IN weft_status weft_ext_call_outside(weft_function function, void* argument) {
  function(argument);
  return WEFT_OK;
}
STAND_IN weft_status weft_ext_try_until(bool (*attempt)(void* argument), void* argument, const char*) {
  while (!attempt(argument)) weft::abt::spin_hint();
  return WEFT_OK;
}
STAND_IN weft_status weft_ext_pool_push(weft_pool*, weft_thread*, weft_push_reason) {
  explorer::fail("assertion", "the model has no pools");
}
STAND_IN void weft_ext_pool_notify(weft_pool*) {}
STAND_IN bool weft_ext_should_stop() { return false; }
STAND_IN weft_status weft_ext_wait_for_work(weft_pool* const*, std::size_t, std::uint64_t, bool (*)(void*), void*) {
  return WEFT_OK;
}

}  // extern "C"

namespace {
weft_thread* const nobody = nullptr;
constinit weft_hot_line outside{{nullptr}, {nullptr}, {nullptr}, &nobody};
}  // namespace

weft_hot_line* weft_hot_here() { return running() != nullptr ? &running()->line : &outside; }

// ---- the face's other files ---------------------------------------------------------------------

namespace weft::abt {

STAND_IN std::ptrdiff_t distance_to_fields = offsetof(abt_world::unit, fields);
STAND_IN constinit atomic<runtime*> the_runtime{nullptr};
STAND_IN constinit atomic<bool> is_laid_out{false};
STAND_IN constinit atomic<std::uint64_t> tool_mask{0};
STAND_IN constinit atomic<std::uint32_t> dump{no_dump};
STAND_IN settings settings_in_force{};

STAND_IN void call_tool(std::uint64_t, weft_thread*) { explorer::fail("assertion", "the model has no tool"); }
STAND_IN wait_name name_wait(wait_name) { explorer::fail("assertion", "the model has no tool"); }
STAND_IN void exit_unit(unit_fields*) { explorer::fail("assertion", "no unit is cancelled"); }
STAND_IN void obey_cancellation(unit_fields*) { explorer::fail("assertion", "no unit is cancelled"); }
STAND_IN void obey_migration(weft_thread*, unit_fields*) {}
STAND_IN bool obey_requests_for(weft_thread*) { return true; }
STAND_IN void yield_somehow() { weft::abt::spin_hint(); }
STAND_IN void push_to_user(pool*, weft_thread*, ABT_pool_context) { explorer::fail("assertion", "the model has no such pools"); }
STAND_IN void request(scheduler*, std::uint32_t) { explorer::fail("assertion", "nothing is asked of schedulers"); }
STAND_IN void wake_main_scheduler(stream*) {}
STAND_IN bool has_units(scheduler*) { return false; }
STAND_IN void retire_scheduler(scheduler*, bool) {}
STAND_IN void free_pool(pool*) {}
STAND_IN void release_pool(pool*, bool) {}
STAND_IN void return_rank(stream*) {}
STAND_IN bool has_events(const stream*, const scheduler*) { return false; }
STAND_IN void check_events(stream*, scheduler*) {}
STAND_IN void bind_by_rank(const stream*) {}
STAND_IN void enter_stream_for_tools(stream*) {}
STAND_IN int resume_unit(weft_thread*) { return ABT_SUCCESS; }
STAND_IN void take_part_in_dump() { explorer::fail("assertion", "the model has no dump"); }

}  // namespace weft::abt
