// Execution streams of the Argobots face that end, over stream_life.cpp, switch.cpp and the schedulers
// as they are: a caller that joins or cancels one is heard, also by a main scheduler that takes the
// stream over meanwhile, and no thread touches the one that goes.
// Built with faces/argobots/src/stream_life.cpp faces/argobots/src/switch.cpp
// Built with faces/argobots/src/xstream.cpp faces/argobots/src/sched.cpp
// Built with faces/argobots/src/sched_predefined.cpp faces/argobots/src/sched_config.cpp
// Built with faces/argobots/src/pool_ops.cpp
// Built with faces/argobots/src/request.cpp faces/argobots/src/thread_migrate.cpp
#include "abt_world.hpp"
#include "environment.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "sched_predefined.hpp"
#include "scheduler.hpp"
#include "self.hpp"
#include "stream.hpp"
#include "unit_end.hpp"

// ---- the core's pools: one unit at most ---------------------------------------------------------

struct weft_pool {
  weft::abt::atomic<std::uint32_t> notified{0};
  weft::abt::atomic<weft_thread*> ready{nullptr};
  weft::abt::atomic<std::size_t> units{0};  // that belong to it
};

namespace {

using namespace abt_world::words;

struct served_pool {
  weft_pool queue;
  pool face{};
  ABT_pool handle = handle_of(&face);

  served_pool() { face.queue = &queue; }
};

// A stream, on which a unit may run that gives it another main scheduler.
struct joined_stream {
  unit main_thread{is_yieldable | is_named | is_main_scheduler};
  unit replacer{is_yieldable};
  unit elsewhere{is_yieldable | is_named | is_migratable};  // of another stream
  runtime all{};
  served_pool root, first_pool, next_pool, other_pool;
  scheduler* next = nullptr;
  stream* one = nullptr;
  flag ended;  // the ULT of its main scheduler
  bool has_replaced = false;

  joined_stream();
  void run();
  void replace();
  void let_replace() {
    replacer.fields.home = &first_pool.face;
    first_pool.queue.units.store(1, std::memory_order_relaxed);
    first_pool.queue.ready.store(replacer.self, std::memory_order_relaxed);
  }
};
joined_stream* of_the_model;

void look_for_news(weft_pool* const* pools, std::size_t count, bool (*is_wanted)(void*), void* argument) {
  std::uint32_t seen[2];
  for (std::size_t index = 0; index < count; ++index)
    seen[index] = pools[index]->notified.fetch_add(0, std::memory_order_acq_rel);
  if (is_wanted(argument)) return;
  for (;;) {
    for (std::size_t index = 0; index < count; ++index) {
      if (pools[index]->notified.load(std::memory_order_acquire) != seen[index]) return;
    }
    spin_hint();
  }
}

}  // namespace

extern "C" {

void weft_yield() {}
void weft_ext_yield_as_new() {}
weft_status weft_worker_add(unsigned* out) {
  *out = 1;
  return WEFT_OK;
}
weft_status weft_pool_attach(weft_pool*, unsigned) { return WEFT_OK; }
std::size_t weft_pool_ready_count(const weft_pool* one) { return one->ready.load(std::memory_order_relaxed) != nullptr ? 1 : 0; }
std::size_t weft_pool_total_count(const weft_pool* one) { return one->units.load(std::memory_order_relaxed); }
weft_thread* weft_ext_pool_pop(weft_pool* one) { return one->ready.exchange(nullptr, std::memory_order_acquire); }
weft_thread* weft_ext_pool_pop_last(weft_pool* one) { return weft_ext_pool_pop(one); }
void weft_ext_pool_notify(weft_pool* one) { one->notified.fetch_add(1, std::memory_order_acq_rel); }
weft_status weft_ext_pool_push(weft_pool* one, weft_thread* unit, weft_push_reason) {
  one->ready.store(unit, std::memory_order_release);
  weft_ext_pool_notify(one);
  return WEFT_OK;
}
weft_status weft_ext_wait_for_work(weft_pool* const* pools, std::size_t count, std::uint64_t deadline_ns,
                                   bool (*is_wanted)(void*), void* argument) {
  if (deadline_ns == WEFT_FOREVER) {
    look_for_news(pools, count, is_wanted, argument);
  } else {
    spin_hint();
  }
  return WEFT_OK;
}

// The unit that replaces the main scheduler runs on the scheduler's stack until it waits, and does
// nothing afterwards.
weft_status weft_ext_dispatch(weft_thread* owned) {
  check(owned == of_the_model->replacer.self, "the only unit");
  of_the_model->replace();
  return WEFT_OK;
}
weft_status weft_ext_dispatch_in_turn(weft_thread* owned, const weft_row* row) {
  for (; owned != nullptr; owned = row->next(row->state, nullptr)) static_cast<void>(weft_ext_dispatch(owned));
  return WEFT_OK;
}
weft_status weft_ext_park(bool (*commit)(weft_thread*, void*), void* argument, const char*) {
  check(commit(abt_world::running()->self, argument), "never refused");
  return WEFT_OK;
}
void weft_ext_unpark(weft_thread* thread) {
  static_cast<void>(weft_ext_pool_push(fields_of(thread)->home->queue, thread, WEFT_PUSH_WOKEN));
}

}  // extern "C"

// ---- the face's other files ---------------------------------------------------------------------

namespace weft::abt {

int create_basic_pool(ABT_pool_kind, ABT_pool_access, bool, pool** out) {
  *out = &of_the_model->root.face;
  return ABT_SUCCESS;
}
int make_unit(const unit_plan& plan, weft_thread** out) {
  of_the_model->main_thread.fields.function = plan.function;
  of_the_model->main_thread.fields.argument = plan.argument;
  *out = of_the_model->main_thread.self;
  return ABT_SUCCESS;
}
bool take_rank(stream*, int) { return true; }
void wait_for_unended(weft_thread*, wait_name) { of_the_model->ended.await(); }
int associate(weft_thread* thread, pool* one) {
  fields_of(thread)->home->queue->units.fetch_sub(1, std::memory_order_relaxed);
  fields_of(thread)->home = one;
  one->queue->units.fetch_add(1, std::memory_order_relaxed);
  return ABT_SUCCESS;
}

}  // namespace weft::abt

namespace {

scheduler* make_scheduler(served_pool& over) {
  scheduler* made = nullptr;
  const int error =
      create_scheduler(predefined(ABT_SCHED_BASIC), scheduler_kind::basic, 1, &over.handle, ABT_SCHED_CONFIG_NULL, true, &made);
  check(error == ABT_SUCCESS, "there is memory");
  made->event_frequency = 2;
  made->served[0] = &over.face;
  return made;
}

joined_stream::joined_stream() {
  abt_world::begin();
  of_the_model = this;
  is_laid_out.store(true, std::memory_order_relaxed);
  next = make_scheduler(next_pool);
  check(create_stream(make_scheduler(first_pool), ABT_XSTREAM_ANY_RANK, false, &one) == ABT_SUCCESS, "there is memory");
  replacer.fields.last_stream.store(one, std::memory_order_relaxed);
  elsewhere.fields.home = &other_pool.face;
  all.first = one;
  the_runtime.store(&all, std::memory_order_relaxed);
}

void joined_stream::run() {
  abt_world::run_as(main_thread);
  main_thread.fields.function(main_thread.fields.argument);
  end_main_scheduler(one);
  ended.raise();
}

void joined_stream::replace() {
  if (has_replaced) {
    next_pool.queue.units.store(0, std::memory_order_relaxed);  // it ends
    return;
  }
  has_replaced = true;
  abt_world::run_as(replacer);
  check(replace_main_scheduler(one, next) == ABT_SUCCESS, "its pool is a new one");
  abt_world::run_as(main_thread);
}

void joined() {
  joined_stream shared;
  threads(thread{"stream", [&] { shared.run(); }},
          thread{"joiner", [&] { check(join_stream(shared.one) == ABT_SUCCESS, "another's"); }});
}

void cancelled() {
  joined_stream shared;
  threads(thread{"stream", [&] { shared.run(); }},
          thread{"outside", [&] { check(ABT_xstream_cancel(handle_of(shared.one)) == ABT_SUCCESS, "another's"); }});
}

void joined_while_it_gets_another_scheduler() {
  joined_stream shared;
  shared.let_replace();
  threads(thread{"stream", [&] { shared.run(); }},
          thread{"joiner", [&] { check(join_stream(shared.one) == ABT_SUCCESS, "another's"); }});
  check(shared.has_replaced && shared.one->main_scheduler.load(std::memory_order_relaxed) == shared.next,
        "it did not end before");
  check(shared.next_pool.queue.units.load(std::memory_order_relaxed) == 0, "its unit ended");
}

void cancelled_while_it_gets_another_scheduler() {
  joined_stream shared;
  shared.let_replace();
  threads(thread{"stream", [&] { shared.run(); }},
          thread{"outside", [&] { check(ABT_xstream_cancel(handle_of(shared.one)) == ABT_SUCCESS, "another's"); }});
}

// Some other unit goes to that stream: into the pool of either scheduler.
void migrated_to_while_it_gets_another_scheduler() {
  joined_stream shared;
  shared.let_replace();
  threads(thread{"stream", [&] { shared.run(); }}, thread{"outside", [&] {
                                                            check(ABT_thread_migrate(shared.elsewhere.handle()) == ABT_SUCCESS,
                                                                  "it runs");
                                                            check(join_stream(shared.one) == ABT_SUCCESS, "another's");
                                                          }});
  const pool* const target =
      shared.elsewhere.fields.moving.load(std::memory_order_relaxed)->target.load(std::memory_order_relaxed);
  check(target == &shared.first_pool.face || target == &shared.next_pool.face, "a pool of the stream");
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 100'000};

const model m1{"Z a stream is joined", {.at_least = 20, .quick = quick, .deep = deep}, joined};
const model m2{"Z a stream is cancelled", {.at_least = 20, .quick = quick, .deep = deep}, cancelled};
const model m3{"Z a stream joined while it gets another scheduler",
               {.at_least = 100, .quick = quick, .deep = deep},
               joined_while_it_gets_another_scheduler};
const model m4{"Z a stream cancelled while it gets another scheduler",
               {.at_least = 100, .quick = quick, .deep = deep},
               cancelled_while_it_gets_another_scheduler};
const model m5{"Z a unit migrated to a stream that gets another scheduler",
               {.at_least = 100, .quick = quick, .deep = deep},
               migrated_to_while_it_gets_another_scheduler};

}  // namespace
