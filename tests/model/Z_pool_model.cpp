// Protocol Z over the pools and schedulers of the Argobots face: a pool goes when no caller is
// inside any more, with the last scheduler that had it or the last unit that remembers it, and a
// scheduler that is asked to stop sees what was done before.
// Built with faces/argobots/src/pool_ops.cpp faces/argobots/src/unit_pool.cpp
// Built with faces/argobots/src/sched.cpp faces/argobots/src/pool_config.cpp
#include "abt_world.hpp"
#include "pool.hpp"
#include "scheduler.hpp"
#include "unit_map.hpp"

// Its list of pools that are kept outlives an execution that is left in the middle: this file
// empties it.
#include "pool.cpp"

// ---- the core's pools: how many units are in one ------------------------------------------------

struct weft_pool {
  weft::abt::atomic<std::size_t> ready{0};
};

namespace {

using namespace abt_world::words;

weft_pool one_queue;

}  // namespace

extern "C" {

weft_status weft_pool_create(weft_pool_kind, weft_pool_access, weft_pool** out) {
  *out = &one_queue;
  return WEFT_OK;
}
weft_status weft_ext_pool_create(const weft_pool_ops*, void*, weft_pool_access, weft_pool** out) {
  *out = &one_queue;
  return WEFT_OK;
}
weft_status weft_pool_destroy(weft_pool*) { return WEFT_OK; }
weft_status weft_ext_thread_set_pool(weft_thread*, weft_pool*) { return WEFT_OK; }
void weft_ext_pool_notify(weft_pool*) {}
std::size_t weft_pool_ready_count(const weft_pool* one) { return one->ready.load(std::memory_order_relaxed); }
std::size_t weft_pool_total_count(const weft_pool* one) { return one->ready.load(std::memory_order_relaxed); }

}  // extern "C"

namespace weft::abt {

int map_unit(ABT_unit, weft_thread*) { return ABT_SUCCESS; }
void unmap_unit(ABT_unit) {}
weft_thread* find_unit(ABT_unit) { explorer::fail("assertion", "nothing is pushed into a pool that is gone"); }
void report(const char*, ...) {}

}  // namespace weft::abt

namespace {

void begin() {
  abt_world::begin();
  weft::abt::kept = nullptr;
}

// ---- a pool goes --------------------------------------------------------------------------------

struct taking {
  flag has_unit;
};
taking* taker;

pool* make_user_pool() {
  static int name;  // of all units: none is looked for by it
  pool_callbacks user{};
  user.create_unit = [](ABT_pool, ABT_thread) { return reinterpret_cast<ABT_unit>(&name); };
  user.free_unit = [](ABT_pool, ABT_unit) {};
  user.push_many = [](ABT_pool, const ABT_unit*, size_t, ABT_pool_context) { taker->has_unit.raise(); };
  pool* made = nullptr;
  check(create_user_pool(user, nullptr, ABT_POOL_ACCESS_MPMC, ABT_POOL_CONFIG_NULL, &made) == ABT_SUCCESS, "there is memory");
  return made;
}

// Its unit has been taken, has run and ended, while the pusher is on the way out.
void freed_behind_a_push() {
  begin();
  taking mine;
  taker = &mine;
  unit one{is_yieldable};
  const ABT_thread handle = handle_of(one.self);
  pool* const where = make_user_pool();
  threads(thread{"pusher", [&] { static_cast<void>(push_many(where, &handle, 1, ABT_POOL_CONTEXT_OP_POOL_OTHER)); }},
          thread{"taker", [&] {
                   mine.has_unit.await();
                   free_pool(where);
                 }});
}

// Its unit gives its name there back meanwhile; the next pool that is freed takes it along.
void freed_while_a_unit_leaves() {
  begin();
  unit one{is_yieldable};
  pool* const where = make_user_pool();
  pool* const other = make_user_pool();
  check(associate_new(one.self, where) == ABT_SUCCESS, "it gets a name");
  threads(thread{"unit", [&] { dissociate(one.self); }}, thread{"owner", [&] {
                                                                  free_pool(where);
                                                                  free_pool(other);
                                                                }});
}

// Then it becomes the next pool.
void goes_with_its_last_scheduler() {
  begin();
  pool* where = nullptr;
  check(create_basic_pool(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, true, &where) == ABT_SUCCESS, "there is memory");
  retain_pool(where);
  retain_pool(where);
  const auto use_and_release = [&] {
    check(where->access == ABT_POOL_ACCESS_MPMC, "as it was made");
    release_pool(where, false);
    pool* next = nullptr;
    check(create_basic_pool(ABT_POOL_FIFO, ABT_POOL_ACCESS_PRIV, true, &next) == ABT_SUCCESS, "there is memory");
  };
  threads(thread{"a", use_and_release}, thread{"b", use_and_release});
}

// ---- a scheduler is asked to stop ---------------------------------------------------------------

void asked_to_stop(std::uint32_t how) {
  begin();
  scheduler one{};
  int line = 0;
  threads(thread{"asks",
                 [&] {
                   line = 1;
                   request(&one, how);
                 }},
          thread{"scheduler", [&] {
                   if (has_to_stop(&one)) check(line == 1, "what was done before");
                 }});
}

// Its pool gets a unit before: it does not stop without it.
void asked_to_stop_when_empty() {
  begin();
  weft_pool queue;
  pool where{};
  where.queue = &queue;
  ABT_pool served = handle_of(&where);
  weft_pool* queues[] = {&queue};
  scheduler one{};
  one.pool_count = 1;
  one.pools = &served;
  one.queues = queues;
  threads(thread{"pushes and asks",
                 [&] {
                   queue.ready.fetch_add(1, std::memory_order_relaxed);
                   request(&one, stop_when_empty);
                 }},
          thread{"scheduler", [&] { check(!has_to_stop(&one), "there is a unit, or no stop was asked for"); }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 300'000};

const model m1{"Z a pool freed behind a push", {.at_least = 2, .quick = quick, .deep = deep}, freed_behind_a_push};
const model m5{"Z a pool freed while a unit leaves", {.at_least = 2, .quick = quick, .deep = deep}, freed_while_a_unit_leaves};
const model m2{
    "Z a pool goes with its last scheduler", {.at_least = 2, .quick = quick, .deep = deep}, goes_with_its_last_scheduler};
const model m3{"Z a scheduler asked to stop", {.at_least = 2, .quick = quick, .deep = deep}, [] { asked_to_stop(stop_now); }};
const model m4{"Z a scheduler asked to stop when empty", {.at_least = 2, .quick = quick, .deep = deep}, asked_to_stop_when_empty};

}  // namespace
