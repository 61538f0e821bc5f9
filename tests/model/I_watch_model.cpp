// Protocol I, threads that wait for work in pools: no push, no notification and no end of the
// runtime is missed.
// Built with src/place/wait_for_work.cpp src/place/pool.cpp src/run/awaiter.cpp src/run/wait.cpp
// Built with src/run/resume.cpp src/unit/timer.cpp
#include "place/pool.hpp"
#include "place/wait_for_work.hpp"
#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/wait.hpp"
#include "unit/pool_record.hpp"
#include "unit/waiter.hpp"

#include "core_world.hpp"
#include "os/heap.hpp"

// The same block for each execution, so that nothing is left behind by those that are cut short.
alignas(weft::sched::pool) unsigned char block[8192];
void* weft::os::allocate(std::size_t) { return block; }

namespace {

using namespace core_world::words;

pool* make_pool() {
  pool* one = nullptr;
  static_cast<void>(create_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &one));
  return one;
}

unit* wait_and_pop(pool* from) {
  for (;;) {
    check(wait_for_work(&from, 1, forever, nullptr, nullptr) == status::ok, "there is no deadline");
    if (unit* found = pop_from_pool(from); found != nullptr) return found;
  }
}

void pushed() {
  core_world::make(0);
  pool* one = make_pool();
  unit work{};
  threads(thread{"scheduler", [&] { check(wait_and_pop(one) == &work, "the unit"); }},
          thread{"pusher", [&] { push_to_pool(one, &work, push_reason::created); }});
}

void pushed_to_two() {
  core_world::make(0);
  pool* one = make_pool();
  unit work[2] = {};
  unit* found[2] = {};
  threads(thread{"scheduler", [&] { found[0] = wait_and_pop(one); }},
          thread{"other scheduler", [&] { found[1] = wait_and_pop(one); }},
          thread{"pusher", [&] {
                   push_to_pool(one, &work[0], push_reason::created);
                   push_to_pool(one, &work[1], push_reason::created);
                 }});
  check(found[0] != found[1], "each one of them");
}

struct request {
  base::atomic<bool> is_made{false};
};
bool is_made(void* argument) { return static_cast<request*>(argument)->is_made.load(base::relaxed); }

void notified() {
  core_world::make(0);
  pool* one = make_pool();
  request wanted;
  threads(thread{"scheduler",
                 [&] {
                   while (!is_made(&wanted)) {
                     check(wait_for_work(&one, 1, forever, is_made, &wanted) == status::ok, "there is no deadline");
                   }
                 }},
          thread{"who wants something", [&] {
                   wanted.is_made.store(true, base::relaxed);
                   tell_watchers(the.rt, one);
                 }});
}

void runtime_ends() {
  core_world::make(0);
  pool* one = make_pool();
  threads(thread{"scheduler",
                 [&] { check(wait_for_work(&one, 1, forever, nullptr, nullptr) == status::ok, "there is no deadline"); }},
          thread{"weft_finalize", [&] {
                   the.rt->is_draining.store(true, base::relaxed);
                   tell_all_watchers(the.rt);
                 }});
  check(one->watch_count.load(base::relaxed) == 0, "no thread watches any more");
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};

const model m1{"I pushed to who waits for work", {.at_least = 10, .quick = quick, .deep = deep}, pushed};
const model m2{"I pushed to two who wait for work", {.at_least = 50, .quick = quick, .deep = deep}, pushed_to_two};
const model m3{"I notified while waiting for work", {.at_least = 5, .quick = quick, .deep = deep}, notified};
const model m4{"I the runtime ends while somebody waits for work", {.at_least = 5, .quick = quick, .deep = deep}, runtime_ends};

}  // namespace
