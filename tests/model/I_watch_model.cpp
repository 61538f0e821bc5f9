// Protocol I, those who wait for work in a pool, over src/sched/nested.cpp and pool.cpp: what is pushed meanwhile is not missed.
// Built with src/sched/nested.cpp src/sched/pool.cpp src/sched/park.cpp src/sched/timer.cpp
#include "core_world.hpp"
#include "os/heap.hpp"
#include "sched/left_behind.hpp"
#include "sched/nested.hpp"
#include "sched/pool.hpp"
#include "sched/ready.hpp"
#include "sched/thread.hpp"
#include "sched/tracing.hpp"
#include "sched/waiter.hpp"

// The same block for each execution, so that nothing is left behind by those that are cut short.
alignas(weft::sched::pool) unsigned char block[8192];
void* weft::os::allocate(std::size_t) { return block; }

namespace weft::sched {

bool is_left_behind() { return false; }
void trace_resumed(worker*, unit*) {}
void end(worker*, unit*) { explorer::fail("assertion", "the model runs no units"); }

}  // namespace weft::sched

namespace {

using namespace weft::sched;
using core_world::the;
using explorer::bounds;
using explorer::check;
using explorer::model;
using explorer::thread;
using explorer::threads;
using weft::status;

void pushed_while_waited_for() {
  core_world::make(1);
  pool* watched = nullptr;
  static_cast<void>(create_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &watched));
  unit one{};
  threads(thread{"waits",
                 [&] {
                   check(wait_for_work(&watched, 1, forever, nullptr, nullptr) == status::ok, "without a deadline");
                   check(pop_from_pool(watched) == &one, "there is work");
                 }},
          thread{"pushes", [&] { push_to_pool(watched, &one, push_reason::created); }});
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .executions = 10'000'000};

const model m1{"I pushed while waited for", {.at_least = 20, .quick = quick, .deep = deep}, pushed_while_waited_for};

}  // namespace
